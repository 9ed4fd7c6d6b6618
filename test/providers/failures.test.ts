// A provider's failures: it was asked once, the agent reads one sentence, and the provider's key is nowhere in it.
import { once } from 'node:events';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { AppError } from '../../server/errors.ts';
import type { RootLog } from '../../server/log.ts';
import { adapters } from '../../server/providers/adapters.ts';
import { createProviderFetch, isSibling, publicOnly } from '../../server/providers/provider-fetch.ts';
import {
  canary,
  drawWith,
  file,
  html,
  json,
  pictureOf,
  startProvider,
  withKeys,
  type Answer,
  type ProviderServer,
} from './provider-server.ts';
import { wires, type Wire } from './wire.ts';

const all = Object.entries(wires).map(([providerId, wire]) => ({ providerId, wire }));
const linked = all.filter(({ providerId }) => ['fal', 'replicate', 'black-forest-labs'].includes(providerId));
const inline = all.filter((one) => !linked.includes(one));

let picture: Buffer;
const open: ProviderServer[] = [];
const start = async (answer: Answer): Promise<ProviderServer> => {
  const server = await startProvider(answer);
  open.push(server);
  return server;
};

beforeAll(async () => {
  picture = await pictureOf(64);
});
afterEach(async () => {
  for (const server of open.splice(0)) await server.close();
});

/** Draws against `answer`. Returns the failure after the checks that hold for every failure. */
const failWith = async (
  wire: Wire,
  server: ProviderServer,
  options: { signal?: AbortSignal; lookup?: typeof publicOnly } = {},
): Promise<{ message: string; log: RootLog }> => {
  const { signal, ...more } = options;
  const { providers, log } = withKeys(`${server.origin}${wire.basePath}`, more);
  const error: unknown = await drawWith(
    providers,
    wire.modelId,
    signal === undefined ? {} : { signal },
  ).catch((one: unknown) => one);
  expect(error).toBeInstanceOf(AppError);
  const { code, message, details } = error as AppError;
  expect(code).toBe('generation_failed');
  expect(message.startsWith(`${wire.name} `)).toBe(true);
  expect(message.length).toBeLessThan(300);
  expect(details).toBeUndefined();
  expect(server.posts()).toHaveLength(1);
  const everything = [message, (error as AppError).stack, ...log.recent()].join('\n');
  expect(everything).not.toContain(canary);
  expect(everything).not.toContain(canary.slice(3, 15));
  return { message, log };
};

describe('a refusal', () => {
  const refusals = all.flatMap(({ providerId, wire }) =>
    Object.entries(wire.refusals).map(([way, refuse]) => ({ providerId, wire, way, refuse })),
  );
  it.each(refusals)('under the content rules of $providerId, by $way, says so', async ({ wire, refuse }) => {
    const server = await start((seen, response) => refuse(() => server)(seen, response));
    const { message } = await failWith(wire, server);
    expect(message).toBe(`${wire.name} refused the prompt, or its picture, under its content rules.`);
  });

  const byStatus: [number, unknown, string][] = [
    [
      401,
      { error: { message: `Incorrect API key provided: ${canary}.` } },
      'did not accept the owner’s key.',
    ],
    [402, { error: { message: 'Payment required' } }, 'has no credit left on the owner’s account.'],
    [403, { error: { message: 'Forbidden' } }, 'does not let the owner’s key use this model.'],
    [404, { error: { message: 'Not found' } }, 'does not know this model.'],
    [429, { error: { message: `Slow down, ${canary}` } }, 'is at its rate limit now.'],
    [
      429,
      { error: { message: 'You exceeded your quota', code: 'insufficient_quota' } },
      'has no credit left on the owner’s account.',
    ],
    [500, { error: { message: 'Oops' } }, 'had an error on its side (500).'],
    [503, 'Service Unavailable', 'had an error on its side (503).'],
  ];
  it.each(all.flatMap((one) => byStatus.map(([status, body, says]) => ({ ...one, status, body, says }))))(
    'of $providerId with $status: $says',
    async ({ wire, status, body, says }) => {
      const server = await start((_, response) => json(response, body, status, { 'retry-after': '0' }));
      const { message, log } = await failWith(wire, server);
      expect(message).toBe(`${wire.name} ${says}`);
      expect(server.seen).toHaveLength(1);
      expect(log.recent().join('\n')).toContain(`"status":${status}`);
    },
  );

  it('is not mistaken for the prompt that an answer repeats', async () => {
    const server = await start(({ body }, response) =>
      json(response, { detail: [{ loc: ['body'], msg: 'Too odd.', type: 'value_error', input: body }] }, 422),
    );
    const { providers } = withKeys(server.origin);
    const prompt = 'A safety poster: "no nudity",\nbilling and an invalid token';
    await expect(drawWith(providers, 'seedream-5.0-pro', { prompt })).rejects.toThrow(
      'fal refused the request (422): “body: Too odd”.',
    );
  });

  it('of a Google key is recognised although it is a 400', async () => {
    const error = {
      code: 400,
      message: 'API key not valid. Please pass a valid API key.',
      status: 'INVALID',
    };
    const server = await start((_, response) => json(response, { error }, 400));
    const { message } = await failWith(wires['google'] as Wire, server);
    expect(message).toBe('Google did not accept the owner’s key.');
  });

  it('is quoted where that helps, shortened, without addresses or keys', async () => {
    const message = `Size ${canary} of ${canary.slice(0, 8)}*** is wrong, see https://example.com/a?key=b#c and ${'go on '.repeat(200)}`;
    const server = await start((_, response) => json(response, { error: { message } }, 400));
    const failure = await failWith(wires['openai'] as Wire, server);
    expect(failure.message).toContain(
      'OpenAI refused the request (400): “Size … of … is wrong, see … and go on',
    );
    expect(failure.message.length).toBeLessThan(230);
  });
});

const noPicture = (wire: Wire): string => `${wire.name} did not answer with a picture.`;

describe('an answer without a picture', () => {
  it.each(all)('from $providerId, a web page, is not kept as one', async ({ wire }) => {
    const server = await start((_, response) => html(response));
    expect((await failWith(wire, server)).message).toBe(noPicture(wire));
  });
  it.each(linked)('from $providerId, with a web page at its link, is not kept as one', async ({ wire }) => {
    const page = wire.succeed(Buffer.from('<html>'), () => server);
    const server = await start(page);
    expect((await failWith(wire, server)).message).toBe(noPicture(wire));
  });
  it.each(inline)('from $providerId, noise, is not kept as one', async ({ wire }) => {
    const server = await start(wire.succeed(Buffer.from('no picture at all'), () => server));
    expect((await failWith(wire, server)).message).toBe(noPicture(wire));
  });
  it.each(linked)('from $providerId, with a missing file at its link, is a failure', async ({ wire }) => {
    const succeed = wire.succeed(picture, () => server);
    const server = await start((seen, response) =>
      seen.path.startsWith('/files/') ? html(response, 404) : succeed(seen, response),
    );
    await failWith(wire, server);
  });
  it('at all is a failure', async () => {
    const server = await start((_, response) =>
      json(response, {
        candidates: [{ content: { parts: [{ text: 'I cannot draw.' }] }, finishReason: 'STOP' }],
      }),
    );
    expect((await failWith(wires['google'] as Wire, server)).message).toBe(
      'Google answered without a picture.',
    );
  });
  it('that breaks off is a failure', async () => {
    const server = await start((_, response) => {
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': '1000' });
      response.write('{"data":[{"b64_json":"', () => response.destroy());
    });
    expect((await failWith(wires['openai'] as Wire, server)).message).toBe(
      'OpenAI did not answer with a picture.',
    );
  });
  it('that asks for another try is a failure: a second request could cost a second picture', async () => {
    const server = await start((_, response) =>
      json(response, {
        candidates: [{ content: {}, finishReason: 'CONTINUATION', continuationToken: 'more' }],
      }),
    );
    expect((await failWith(wires['google'] as Wire, server)).message).toContain('asked a second time');
  });
  it('and with a failed prediction says why', async () => {
    const server = await start((_, response) =>
      json(response, {
        status: 'failed',
        error: 'CUDA out of memory',
        urls: { get: `${server.origin}/v1/predictions/p1` },
      }),
    );
    expect((await failWith(wires['replicate'] as Wire, server)).message).toBe(
      'Replicate could not make the picture: “Replicate image generation failed: CUDA out of memory”.',
    );
  });
});

/** A caller that gives up once the server has come this far. */
const patience = (): { signal: AbortSignal; end(): void } => {
  const caller = new AbortController();
  return {
    signal: caller.signal,
    end: () => void setTimeout(() => caller.abort(new DOMException('Too late.', 'TimeoutError')), 20),
  };
};

describe('an answer that does not come', () => {
  it.each(all)('from $providerId ends when the caller gives up', async ({ wire }) => {
    const { signal, end } = patience();
    let hungUp: Promise<unknown> = Promise.resolve();
    const server = await start((_, response) => {
      hungUp = once(response, 'close');
      end();
    });
    expect((await failWith(wire, server, { signal })).message).toBe(`${wire.name} did not answer in time.`);
    await hungUp;
  });
  it.each(inline)('whole from $providerId ends with it, too', async ({ wire }) => {
    const { signal, end } = patience();
    let hungUp: Promise<unknown> = Promise.resolve();
    const server = await start((_, response) => {
      hungUp = once(response, 'close');
      response.writeHead(200, { 'content-type': 'application/json' }).write('{"data":', end);
    });
    expect((await failWith(wire, server, { signal })).message).toBe(`${wire.name} did not answer in time.`);
    await hungUp;
  });
  it.each(linked)('whole from the link of $providerId ends with it, too', async ({ wire }) => {
    const { signal, end } = patience();
    let hungUp: Promise<unknown> = Promise.resolve();
    const succeed = wire.succeed(picture, () => server);
    const server = await start((seen, response) => {
      if (!seen.path.startsWith('/files/')) return succeed(seen, response);
      hungUp = once(response, 'close');
      response.writeHead(200, { 'content-type': 'image/png' }).write(picture.subarray(0, 100), end);
    });
    expect((await failWith(wire, server, { signal })).message).toBe(`${wire.name} did not answer in time.`);
    await hungUp;
  });
  it('after any number of polls ends then, and so do the polls', async () => {
    const { signal, end } = patience();
    const server = await start(({ method }, response) => {
      if (method === 'POST')
        return json(response, { id: 'job-1', polling_url: `${server.origin}/v1/get_result` });
      json(response, { status: 'Pending', result: null });
      end();
    });
    const { message } = await failWith(wires['black-forest-labs'] as Wire, server, { signal });
    expect(message).toBe('Black Forest Labs did not answer in time.');
    const polls = server.seen.length;
    // Longer than the pause between polls.
    await new Promise((resolve) => setTimeout(resolve, 1_300));
    expect(server.seen).toHaveLength(polls);
  });
  it.each(all)('because $providerId hung up is a failure', async ({ wire }) => {
    const server = await start((_, response) => void response.destroy());
    expect((await failWith(wire, server)).message).toBe(`${wire.name} could not be reached.`);
  });
  it('over a connection that was kept open is not requested again', async () => {
    const { modelId, succeed } = wires['openai'] as Wire;
    const server = await start(succeed(picture, () => server));
    const { providers } = withKeys(`${server.origin}/v1`);
    await drawWith(providers, modelId);
    server.answer = (_, response) => void response.socket?.resetAndDestroy();
    await expect(drawWith(providers, modelId)).rejects.toThrow('OpenAI could not be reached.');
    expect(server.posts()).toHaveLength(2);
  });
  it('because nothing listens is a failure', async () => {
    const server = await startProvider(() => {});
    await server.close();
    const { providers } = withKeys(`${server.origin}/v1`);
    await expect(drawWith(providers, 'gpt-image-2.5-flare')).rejects.toThrow('OpenAI could not be reached.');
  });
});

const endless: Answer = (_, response) => {
  response.writeHead(200, { 'content-type': 'application/json' });
  const more = Buffer.alloc(1024 * 1024, 'a');
  const go = (): void => {
    while (!response.destroyed && response.write(more));
    if (!response.destroyed) response.once('drain', go);
  };
  go();
};

describe('an endless answer', () => {
  it('is broken off', async () => {
    const server = await start(endless);
    const { message } = await failWith(wires['openai'] as Wire, server);
    expect(message).toBe('OpenAI answers with more than 43 MiB.');
  });
  it('is broken off at a link', async () => {
    const succeed = (wires['fal'] as Wire).succeed(picture, () => server);
    const server = await start((seen, response) =>
      seen.path.startsWith('/files/') ? endless(seen, response) : succeed(seen, response),
    );
    const { message } = await failWith(wires['fal'] as Wire, server);
    expect(message).toMatch(/^fal answers with more than \d+ MiB\.$/);
  });
  it('is not read when it announces its length', async () => {
    const server = await start((_, response) => {
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': 2 ** 40 }).write('{');
    });
    expect((await failWith(wires['xai'] as Wire, server)).message).toBe('xAI answers with more than 43 MiB.');
  });
});

describe('a redirect', () => {
  it.each(all)('of a request to $providerId is not followed', async ({ wire }) => {
    const other = await start((_, response) => json(response, {}));
    const server = await start((_, response) =>
      json(response, {}, 307, { location: `${other.origin}/stolen` }),
    );
    expect((await failWith(wire, server)).message).toContain('another address, where the key does not go');
    expect(other.seen).toEqual([]);
  });
  it.each(linked)('of a picture within $providerId is followed', async ({ wire }) => {
    const succeed = wire.succeed(picture, () => server);
    const server = await start((seen, response) => {
      if (seen.path === '/moved.png') return file(response, picture);
      if (seen.path.startsWith('/files/')) return json(response, {}, 302, { location: '/moved.png' });
      succeed(seen, response);
    });
    const { providers } = withKeys(`${server.origin}${wire.basePath}`);
    expect(Buffer.from(await drawWith(providers, wire.modelId)).equals(picture)).toBe(true);
    expect(server.posts()).toHaveLength(1);
  });
  it.each(linked)('of a picture of $providerId into a private network is not followed', async ({ wire }) => {
    const other = await start((_, response) => file(response, picture));
    const succeed = wire.succeed(picture, () => server);
    const server = await start((seen, response) =>
      seen.path.startsWith('/files/')
        ? json(response, {}, 302, { location: `${other.origin}/secret.png` })
        : succeed(seen, response),
    );
    await failWith(wire, server);
    expect(other.seen).toEqual([]);
  });
});

const elsewhere = async (): Promise<{ cdn: ProviderServer; url: string }> => {
  const cdn = await start((seen, response) =>
    seen.path.startsWith('/moved')
      ? json(response, {}, 301, { location: seen.path.replace('/moved', '') })
      : file(response, picture),
  );
  return { cdn, url: `http://pictures.example:${cdn.port}/moved/a.png?signature=secret-of-the-link` };
};
/** Makes the test's server appear to be on the internet. */
const lookup: typeof publicOnly = (_, { all: isAll }, callback) =>
  isAll === true ? callback(null, [{ address: '127.0.0.1', family: 4 }]) : callback(null, '127.0.0.1', 4);
const linkTo =
  (url: string, origin: () => string): Answer =>
  ({ method, path }, response) =>
    json(
      response,
      path.includes('flux-2')
        ? { id: 'j', polling_url: `${origin()}/v1/get_result` }
        : {
            images: [{ url }],
            output: url,
            status: method === 'GET' ? 'Ready' : 'succeeded',
            urls: { get: origin() },
            result: { sample: url },
          },
    );

const trap: typeof publicOnly = (_, options, callback) => publicOnly('localhost', options, callback);

describe('a picture at another host', () => {
  it.each(linked)('is fetched for $providerId without the key', async ({ wire }) => {
    const { cdn, url } = await elsewhere();
    const server = await start(linkTo(url, () => server.origin));
    const { providers } = withKeys(`${server.origin}${wire.basePath}`, { lookup });
    expect(Buffer.from(await drawWith(providers, wire.modelId)).equals(picture)).toBe(true);
    expect(cdn.seen.map(({ method }) => method)).toEqual(['GET', 'GET']);
    expect(JSON.stringify(cdn.seen)).not.toContain(canary);
  });

  it.each(linked)(
    'whose name leads into a private network is not fetched for $providerId',
    async ({ wire }) => {
      const { cdn, url } = await elsewhere();
      const server = await start(linkTo(url, () => server.origin));
      const { message } = await failWith(wire, server, { lookup: trap });
      expect(message).not.toContain('secret-of-the-link');
      expect(cdn.seen).toEqual([]);
    },
  );

  it('is not fetched unprotected where the provider itself is protected', async () => {
    const { cdn, url } = await elsewhere();
    const fetch = createProviderFetch({
      name: 'fal',
      baseUrl: 'https://fal.run',
      siblings: undefined,
      refusal: undefined,
      lookup,
      signal: new AbortController().signal,
    });
    await expect(fetch(url)).rejects.toThrow('fal offers its picture over an unprotected connection.');
    expect(cdn.seen).toEqual([]);
  });

  it('may belong to the provider, and only then gets the key', () => {
    const { siblings } = adapters['black-forest-labs'];
    for (const url of ['https://api.us1.bfl.ai/v1/get_result', 'https://api.bfl.ai/x'])
      expect(isSibling(new URL(url), siblings)).toBe(true);
    for (const url of [
      'http://api.us1.bfl.ai/v1',
      'https://api.us1.bfl.ai:8443/v1',
      'https://delivery-eu1.bfl.ai/a.png',
      'https://api.bfl.ai.evil.example/',
      'https://xapi.bfl.ai/',
    ])
      expect(isSibling(new URL(url), siblings)).toBe(false);
    expect(isSibling(new URL('https://api.us1.bfl.ai/'), undefined)).toBe(false);
  });
});
