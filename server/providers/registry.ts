// The image models that ship with the product, as data. Prices are the providers' published ones per square picture,
// rounded up where they bill by token; the owner can edit them, and they are checked again before each release.
// Pictures are square: `asking` asks each model for that, and for the resolution.
import type { Resolution } from '../engine/ports.ts';
import type { Asking, ProviderId } from './adapters.ts';

export interface RegisteredModel {
  id: string;
  displayName: string;
  providerId: ProviderId;
  /** The provider's name for it. */
  name: string;
  description: string;
  enabled: boolean;
  /** Decimal USDC for each resolution that the model can make. */
  pricing: Readonly<Partial<Record<Resolution, string>>>;
  asking: (resolution: Resolution) => Asking;
}

/** Width and height of a square picture, in pixels. */
export const sideOf: Readonly<Record<Resolution, number>> = { '1k': 1024, '2k': 2048, '4k': 4096 };

const sized = (resolution: Resolution): Asking => ({ size: `${sideOf[resolution]}x${sideOf[resolution]}` });
const upper = (resolution: Resolution): string => resolution.toUpperCase();

/** Most are offered, under the name that their provider has for them. */
type Shipped = Omit<RegisteredModel, 'name' | 'enabled'> & Partial<RegisteredModel>;

const shipped: readonly Shipped[] = [
  {
    id: 'gemini-3-pro-image',
    displayName: 'Nano Banana Pro',
    providerId: 'google',
    description:
      'Careful with text, diagrams and many subjects in one picture, up to 4k; slow and not cheap.',
    pricing: { '1k': '0.134', '2k': '0.134', '4k': '0.24' },
    asking: (resolution) => ({ aspectRatio: '1:1', options: { imageSize: upper(resolution) } }),
  },
  {
    id: 'gemini-nano-banana-2.1',
    displayName: 'Nano Banana 2.1',
    providerId: 'google',
    description: 'A good first choice for most pictures, with legible text and resolutions up to 4k.',
    pricing: { '1k': '0.04', '2k': '0.06', '4k': '0.134' },
    asking: (resolution) => ({ aspectRatio: '1:1', options: { imageSize: upper(resolution) } }),
  },
  {
    id: 'gpt-image-2.5-sunburst',
    displayName: 'GPT Image 2.5 Sunburst',
    providerId: 'openai',
    description: 'Follows long, exact instructions closely and renders fine detail; takes its time.',
    pricing: { '1k': '0.06', '2k': '0.10' },
    asking: (resolution) => ({ ...sized(resolution), options: { quality: 'high' } }),
  },
  {
    id: 'gpt-image-2.5-flare',
    displayName: 'GPT Image 2.5 Flare',
    providerId: 'openai',
    description: 'Quick and cheap for everyday pictures and drafts.',
    pricing: { '1k': '0.02', '2k': '0.03' },
    asking: (resolution) => ({ ...sized(resolution), options: { quality: 'medium' } }),
  },
  {
    id: 'flux-2-pro',
    displayName: 'FLUX.2 [pro]',
    providerId: 'black-forest-labs',
    description: 'Photographs and product shots, within seconds.',
    pricing: { '1k': '0.03', '2k': '0.075' },
    asking: sized,
  },
  {
    id: 'flux-2-max',
    displayName: 'FLUX.2 [max]',
    providerId: 'black-forest-labs',
    description: 'The most faithful FLUX: exact colors, lettering and photographic detail.',
    pricing: { '1k': '0.07', '2k': '0.16' },
    asking: sized,
  },
  {
    id: 'seedream-5.0-pro',
    displayName: 'Seedream 5.0 Pro',
    providerId: 'fal',
    name: 'bytedance/seedream/v5/pro/text-to-image',
    description: 'Dense layouts, posters and text in many languages.',
    pricing: { '1k': '0.045', '2k': '0.09' },
    asking: sized,
  },
  {
    id: 'fal-nano-banana-pro',
    displayName: 'Nano Banana Pro (fal)',
    providerId: 'fal',
    name: 'fal-ai/nano-banana-pro',
    description: 'Nano Banana Pro through fal, for treasuries without a Google key.',
    enabled: false,
    pricing: { '1k': '0.15', '2k': '0.15', '4k': '0.30' },
    asking: (resolution) => ({ options: { aspect_ratio: '1:1', resolution: upper(resolution) } }),
  },
  {
    id: 'replicate-nano-banana-pro',
    displayName: 'Nano Banana Pro (Replicate)',
    providerId: 'replicate',
    name: 'google/nano-banana-pro',
    description: 'Nano Banana Pro through Replicate, for treasuries without a Google key.',
    enabled: false,
    pricing: { '1k': '0.15', '2k': '0.15', '4k': '0.30' },
    asking: (resolution) => ({
      aspectRatio: '1:1',
      options: { resolution: upper(resolution), output_format: 'png' },
    }),
  },
  {
    id: 'replicate-flux-2-pro',
    displayName: 'FLUX.2 [pro] (Replicate)',
    providerId: 'replicate',
    name: 'black-forest-labs/flux-2-pro',
    description: 'FLUX.2 [pro] through Replicate, for treasuries without a Black Forest Labs key.',
    pricing: { '1k': '0.03', '2k': '0.075' },
    asking: (resolution) => ({
      aspectRatio: '1:1',
      options: { resolution: resolution === '1k' ? '1 MP' : '4 MP', output_format: 'png' },
    }),
  },
  {
    id: 'grok-imagine-image',
    displayName: 'Grok Imagine',
    providerId: 'xai',
    description: 'Pictures within two seconds, for drafts and social media.',
    pricing: { '1k': '0.02', '2k': '0.02' },
    asking: (resolution) => ({ aspectRatio: '1:1', options: { resolution } }),
  },
  {
    id: 'grok-imagine-image-quality',
    displayName: 'Grok Imagine Quality',
    providerId: 'xai',
    description: 'Grok Imagine with finer texture and more realism.',
    pricing: { '1k': '0.05', '2k': '0.07' },
    asking: (resolution) => ({ aspectRatio: '1:1', options: { resolution } }),
  },
];

export const registry: readonly RegisteredModel[] = shipped.map((model) => ({
  name: model.id,
  enabled: true,
  ...model,
}));
