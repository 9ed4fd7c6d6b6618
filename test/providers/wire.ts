// Each provider's answers, as its part of the SDK reads them.
import { file, json, type Answer, type ProviderServer, type Seen } from './provider-server.ts';

export interface Wire {
  modelId: string;
  name: string;
  /** The path of its base URL. */
  basePath: string;
  keyHeader: [name: string, prefix: string];
  /** Answers with this picture, however many requests that takes. */
  succeed(picture: Uint8Array, server: () => ProviderServer): Answer;
  /** Refuses the prompt under its content rules, in each way that the provider has. */
  refusals: Record<string, (server: () => ProviderServer) => Answer>;
}

const base64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64');
const isImage = ({ path }: Seen): boolean => path.startsWith('/files/');

const bflTask = (server: () => ProviderServer) => ({
  id: 'job-1',
  polling_url: `${server().origin}/v1/get_result?id=job-1`,
});

const bflStatus =
  (status: string) =>
  (server: () => ProviderServer): Answer =>
  ({ method }, response) =>
    json(response, method === 'POST' ? bflTask(server) : { id: 'job-1', status, result: null });

export const wires: Record<string, Wire> = {
  openai: {
    modelId: 'gpt-image-2.5-flare',
    name: 'OpenAI',
    basePath: '/v1',
    keyHeader: ['authorization', 'Bearer '],
    succeed: (picture) => (_, response) =>
      json(response, { created: 1, data: [{ b64_json: base64(picture) }] }),
    refusals: {
      'an error': () => (_, response) =>
        json(
          response,
          {
            error: {
              message: 'Your request was rejected by the safety system.',
              type: 'image_generation_user_error',
              code: 'moderation_blocked',
            },
          },
          400,
        ),
    },
  },
  google: {
    modelId: 'gemini-3-pro-image',
    name: 'Google',
    basePath: '/v1beta',
    keyHeader: ['x-goog-api-key', ''],
    succeed: (picture) => (_, response) =>
      json(response, {
        candidates: [
          {
            content: {
              role: 'model',
              parts: [{ inlineData: { mimeType: 'image/png', data: base64(picture) } }],
            },
            finishReason: 'STOP',
          },
        ],
      }),
    refusals: {
      'a finish reason': () => (_, response) =>
        json(response, { candidates: [{ content: {}, finishReason: 'IMAGE_SAFETY' }] }),
      'a blocked prompt': () => (_, response) =>
        json(response, { promptFeedback: { blockReason: 'PROHIBITED_CONTENT' } }),
    },
  },
  fal: {
    modelId: 'seedream-5.0-pro',
    name: 'fal',
    basePath: '',
    keyHeader: ['authorization', 'Key '],
    succeed: (picture, server) => (seen, response) =>
      isImage(seen)
        ? file(response, picture)
        : json(response, { images: [{ url: `${server().origin}/files/a.png` }] }),
    refusals: {
      'an error': () => (_, response) =>
        json(
          response,
          {
            detail: [{ loc: ['body', 'prompt'], msg: 'Not allowed.', type: 'content_policy_violation' }],
          },
          422,
        ),
      'a black picture': (server) => (seen, response) =>
        isImage(seen)
          ? file(response, Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'))
          : json(response, {
              images: [{ url: `${server().origin}/files/a.png` }],
              has_nsfw_concepts: [true],
            }),
    },
  },
  replicate: {
    modelId: 'replicate-nano-banana-pro',
    name: 'Replicate',
    basePath: '/v1',
    keyHeader: ['authorization', 'Bearer '],
    succeed: (picture, server) => (seen, response) =>
      isImage(seen)
        ? file(response, picture)
        : json(response, {
            id: 'p1',
            status: 'succeeded',
            output: `${server().origin}/files/a.png`,
            urls: { get: `${server().origin}/v1/predictions/p1` },
          }),
    refusals: {
      'a failed prediction': (server) => (_, response) =>
        json(response, {
          id: 'p1',
          status: 'failed',
          error: 'The input or output was flagged as sensitive. (E005)',
          urls: { get: `${server().origin}/v1/predictions/p1` },
        }),
    },
  },
  'black-forest-labs': {
    modelId: 'flux-2-pro',
    name: 'Black Forest Labs',
    basePath: '/v1',
    keyHeader: ['x-key', ''],
    succeed: (picture, server) => (seen, response) => {
      if (isImage(seen)) return file(response, picture);
      if (seen.method === 'POST') return json(response, bflTask(server));
      json(response, { id: 'job-1', status: 'Ready', result: { sample: `${server().origin}/files/a.png` } });
    },
    refusals: {
      'a moderated request': bflStatus('Request Moderated'),
      'a moderated picture': bflStatus('Content Moderated'),
    },
  },
  xai: {
    modelId: 'grok-imagine-image',
    name: 'xAI',
    basePath: '/v1',
    keyHeader: ['authorization', 'Bearer '],
    succeed: (picture) => (_, response) => json(response, { data: [{ b64_json: base64(picture) }] }),
    refusals: {
      'a flag': () => (_, response) =>
        json(response, { data: [{ b64_json: null, respect_moderation: false }] }),
      'an error': () => (_, response) =>
        json(response, { code: 'invalid-argument', error: 'Content violates usage: moderation.' }, 400),
    },
  },
};
