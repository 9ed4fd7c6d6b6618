// The request to each provider, field by field, for every model and resolution of the registry.
import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { registry } from '../../server/providers/registry.ts';
import {
  canary,
  drawWith,
  json,
  pictureOf,
  startProvider,
  withKeys,
  type Answer,
  type ProviderServer,
} from './provider-server.ts';
import { wires } from './wire.ts';

const prompt = 'A lighthouse at dusk';

const openai = (model: string, size: string, quality: string) => ({ model, prompt, n: 1, size, quality });
const google = (imageSize: string) => ({
  contents: [{ role: 'user', parts: [{ text: prompt }] }],
  generationConfig: { responseModalities: ['IMAGE'], imageConfig: { aspectRatio: '1:1', imageSize } },
});
const flux = (side: number) => ({
  prompt,
  aspect_ratio: '1:1',
  width: side,
  height: side,
  output_format: 'png',
});
const seedream = (side: number) => ({
  prompt,
  num_images: 1,
  image_size: { width: side, height: side },
  output_format: 'png',
});
const falBanana = (resolution: string) => ({
  prompt,
  num_images: 1,
  aspect_ratio: '1:1',
  resolution,
  output_format: 'png',
});
const replicate = (resolution: string) => ({
  input: { prompt, aspect_ratio: '1:1', num_outputs: 1, resolution, output_format: 'png' },
});
const grok = (model: string, resolution: string) => ({
  model,
  prompt,
  n: 1,
  response_format: 'b64_json',
  aspect_ratio: '1:1',
  resolution,
});

/** By model: the path, and the body for each resolution. */
const expected: Record<string, { path: string; bodies: Record<string, unknown> }> = {
  'gemini-3-pro-image': {
    path: '/v1beta/models/gemini-3-pro-image:generateContent',
    bodies: { '1k': google('1K'), '2k': google('2K'), '4k': google('4K') },
  },
  'gemini-nano-banana-2.1': {
    path: '/v1beta/models/gemini-nano-banana-2.1:generateContent',
    bodies: { '1k': google('1K'), '2k': google('2K'), '4k': google('4K') },
  },
  'gpt-image-2.5-sunburst': {
    path: '/v1/images/generations',
    bodies: {
      '1k': openai('gpt-image-2.5-sunburst', '1024x1024', 'high'),
      '2k': openai('gpt-image-2.5-sunburst', '2048x2048', 'high'),
    },
  },
  'gpt-image-2.5-flare': {
    path: '/v1/images/generations',
    bodies: {
      '1k': openai('gpt-image-2.5-flare', '1024x1024', 'medium'),
      '2k': openai('gpt-image-2.5-flare', '2048x2048', 'medium'),
    },
  },
  'flux-2-pro': { path: '/v1/flux-2-pro', bodies: { '1k': flux(1024), '2k': flux(2048) } },
  'flux-2-max': { path: '/v1/flux-2-max', bodies: { '1k': flux(1024), '2k': flux(2048) } },
  'seedream-5.0-pro': {
    path: '/bytedance/seedream/v5/pro/text-to-image',
    bodies: { '1k': seedream(1024), '2k': seedream(2048) },
  },
  'fal-nano-banana-pro': {
    path: '/fal-ai/nano-banana-pro',
    bodies: { '1k': falBanana('1K'), '2k': falBanana('2K'), '4k': falBanana('4K') },
  },
  'replicate-nano-banana-pro': {
    path: '/v1/models/google/nano-banana-pro/predictions',
    bodies: { '1k': replicate('1K'), '2k': replicate('2K'), '4k': replicate('4K') },
  },
  'replicate-flux-2-pro': {
    path: '/v1/models/black-forest-labs/flux-2-pro/predictions',
    bodies: { '1k': replicate('1 MP'), '2k': replicate('4 MP') },
  },
  'grok-imagine-image': {
    path: '/v1/images/generations',
    bodies: { '1k': grok('grok-imagine-image', '1k'), '2k': grok('grok-imagine-image', '2k') },
  },
  'grok-imagine-image-quality': {
    path: '/v1/images/generations',
    bodies: {
      '1k': grok('grok-imagine-image-quality', '1k'),
      '2k': grok('grok-imagine-image-quality', '2k'),
    },
  },
};

let picture: Buffer;
let server: ProviderServer;
const serve = async (answer: Answer): Promise<void> => {
  server = await startProvider(answer);
};

beforeAll(async () => {
  picture = await pictureOf(64);
});
afterEach(async () => {
  await server?.close();
});

const cases = registry.flatMap(({ id, providerId, pricing }) =>
  Object.keys(pricing).map((resolution) => ({
    id,
    providerId,
    resolution: resolution as keyof typeof pricing,
  })),
);

describe('a provider', () => {
  it.each(cases)(
    'gets one correct request for $id in $resolution',
    async ({ id, providerId, resolution }) => {
      const wire = wires[providerId];
      if (wire === undefined) throw new Error(`No wire of ${providerId}.`);
      await serve(wire.succeed(picture, () => server));
      const { providers, log } = withKeys(`${server.origin}${wire.basePath}`);
      expect(Buffer.from(await drawWith(providers, id, { resolution })).equals(picture)).toBe(true);

      const [asked, ...others] = server.seen;
      expect(asked?.method).toBe('POST');
      expect(asked?.path).toBe(expected[id]?.path);
      const [header, prefix] = wire.keyHeader;
      expect(asked?.headers[header]).toBe(`${prefix}${canary}`);
      expect(asked?.headers['content-type']).toBe('application/json');
      expect(asked?.body).toEqual(expected[id]?.bodies[resolution]);
      if (providerId === 'replicate') expect(asked?.headers['prefer']).toBe('wait');
      for (const other of others) expect(other.method).toBe('GET');
      expect(log.recent().join('\n')).not.toContain(canary);
    },
  );

  it('has an expectation here for every model', () => {
    expect(Object.keys(expected).toSorted()).toEqual(registry.map(({ id }) => id).toSorted());
  });

  it.each(['fal', 'replicate'])(
    'that answers with a link (%s) does not get the key at that link',
    async (providerId) => {
      const wire = wires[providerId];
      await serve(wire?.succeed(picture, () => server) ?? (() => {}));
      await drawWith(withKeys(`${server.origin}${wire?.basePath}`).providers, wire?.modelId ?? '');
      const fetched = server.seen.find(({ path }) => path === '/files/a.png');
      expect(fetched?.method).toBe('GET');
      expect(JSON.stringify(fetched?.headers)).not.toContain(canary);
    },
  );

  it('that is polled is polled with the key, until it is ready', async () => {
    const ready = wires['black-forest-labs']?.succeed(picture, () => server);
    let polls = 0;
    await serve((seen, response) => {
      if (!seen.path.startsWith('/v1/get_result') || ++polls > 1) return ready?.(seen, response);
      json(response, { id: 'job-1', status: 'Pending', result: null });
    });
    await drawWith(withKeys(`${server.origin}/v1`).providers, 'flux-2-pro');
    expect(server.posts()).toHaveLength(1);
    const polled = server.seen.filter(({ path }) => path === '/v1/get_result?id=job-1');
    expect(polled.map(({ headers }) => headers['x-key'])).toEqual([canary, canary]);
  });

  it('that takes longer is asked for the result', async () => {
    const done = wires['replicate']?.succeed(picture, () => server);
    await serve((seen, response) => {
      if (seen.method !== 'POST') return done?.(seen, response);
      const urls = { get: `${server.origin}/v1/predictions/p1` };
      json(response, { id: 'p1', status: 'processing', output: null, urls }, 201);
    });
    await drawWith(withKeys(`${server.origin}/v1`).providers, 'replicate-nano-banana-pro');
    expect(server.posts()).toHaveLength(1);
    expect(server.seen.map(({ path }) => path)).toEqual([
      '/v1/models/google/nano-banana-pro/predictions',
      '/v1/predictions/p1',
      '/files/a.png',
    ]);
  });
});

describe('without another address', () => {
  const own: Record<string, string> = {
    openai: 'https://api.openai.com/v1/images/generations',
    google: 'https://generativelanguage.googleapis.com/v1beta/models/gemini-3-pro-image:generateContent',
    fal: 'https://fal.run/bytedance/seedream/v5/pro/text-to-image',
    replicate: 'https://api.replicate.com/v1/models/google/nano-banana-pro/predictions',
    'black-forest-labs': 'https://api.bfl.ai/v1/flux-2-pro',
    xai: 'https://api.x.ai/v1/images/generations',
  };

  // There is no internet here, so this replaces its first step.
  it.each(Object.keys(own))(
    '%s is asked at its own address, whatever the environment says',
    async (providerId) => {
      await serve((_, response) => json(response, {}, 500));
      const asked: string[] = [];
      const network = vi.spyOn(globalThis, 'fetch').mockImplementation((input) => {
        asked.push(input instanceof Request ? input.url : String(input));
        return Promise.resolve(new Response('{}', { status: 500 }));
      });
      for (const variable of ['OPENAI_BASE_URL', 'XAI_BASE_URL', 'REPLICATE_BASE_URL', 'FAL_BASE_URL'])
        vi.stubEnv(variable, server.origin);
      try {
        const modelId = wires[providerId]?.modelId ?? '';
        await expect(drawWith(withKeys(null).providers, modelId)).rejects.toThrow('500');
      } finally {
        network.mockRestore();
        vi.unstubAllEnvs();
      }
      expect(asked).toEqual([own[providerId]]);
      expect(server.seen).toEqual([]);
    },
  );
});
