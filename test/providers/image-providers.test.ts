// The registry with the owner's settings, the choice between provider and painter, and the sandbox's painter, by reading its
// decoded pictures back.
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import sharp from 'sharp';
import { describe, expect, it } from 'vitest';
import type { ModelChange } from '../../server/engine/ports.ts';
import { AppError } from '../../server/errors.ts';
import { parseUsdc } from '../../server/money.ts';
import { adapters } from '../../server/providers/adapters.ts';
import { paint } from '../../server/providers/painter.ts';
import { registry } from '../../server/providers/registry.ts';
import { drawWith, json, startProvider, withKeys } from './provider-server.ts';

const none = { hasKey: () => false, keyOf: () => undefined };

describe('the registry', () => {
  it('names every model once, in a way that fits a path', () => {
    const ids = registry.map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
    for (const id of ids) expect(id).toMatch(/^[a-z0-9][a-z0-9.-]{0,63}$/);
  });

  it('has a model of every provider, and a provider of every model', () => {
    expect([...new Set(registry.map(({ providerId }) => providerId))].toSorted()).toEqual(
      Object.keys(adapters).toSorted(),
    );
  });

  it('prices at least one resolution of each, in amounts that the treasury accepts', () => {
    for (const { pricing } of registry) {
      expect(Object.keys(pricing)).not.toEqual([]);
      for (const price of Object.values(pricing)) expect(parseUsdc(price)).toBeGreaterThan(0n);
    }
  });

  it('describes each in one sentence', () => {
    for (const { description } of registry) expect(description).toMatch(/^[A-Z][^\n]{20,140}\.$/);
  });
});

describe('the models', () => {
  it('have the owner’s prices and switches, and still name the shipped ones', () => {
    const changes = new Map<string, ModelChange>([
      ['gemini-3-pro-image', { enabled: false, pricing: { '2k': '0.50' } }],
      ['flux-2-pro', { enabled: null, pricing: { '4k': '9.00' } }],
    ]);
    const { providers } = withKeys(null, { changes: () => changes });
    const model = (id: string) => providers.models().find((one) => one.id === id);
    expect(model('gemini-3-pro-image')).toMatchObject({
      provider: 'Google',
      providerId: 'google',
      enabled: false,
      pricing: { '1k': '0.134', '2k': '0.50', '4k': '0.24' },
      shippedPricing: { '1k': '0.134', '2k': '0.134', '4k': '0.24' },
    });
    expect(model('flux-2-pro')?.enabled).toBe(true);
    expect(Object.keys(model('flux-2-pro')?.pricing ?? {})).toEqual(['1k', '2k']);
    changes.clear();
    expect(model('gemini-3-pro-image')?.enabled).toBe(true);
  });

  it('are usable with a key, and on the sandbox without one', () => {
    for (const network of ['sandbox', 'devnet', 'mainnet'] as const) {
      const without = withKeys(null, { network, ...none }).providers;
      const some = withKeys(null, { network, hasKey: (id) => id === 'fal' }).providers;
      for (const model of without.models()) {
        expect(without.usable(model)).toBe(network === 'sandbox');
        expect(some.usable(model)).toBe(network === 'sandbox' || model.providerId === 'fal');
      }
    }
  });

  it('can be asked twice only when the painter draws', () => {
    for (const [network, hasKey, expected] of [
      ['sandbox', false, true],
      ['sandbox', true, false],
      ['mainnet', true, false],
      ['mainnet', false, false],
    ] as const) {
      const { providers } = withKeys(null, { network, hasKey: () => hasKey });
      for (const model of providers.models()) expect(providers.repeatable(model)).toBe(expected);
    }
  });

  it('draw as many at once as the owner set for their provider', () => {
    const { providers } = withKeys(null, {
      settingsOf: (id) => ({ baseUrl: null, atOnce: id === 'xai' ? 7 : 2 }),
    });
    for (const model of providers.models())
      expect(providers.atOnce(model)).toBe(model.providerId === 'xai' ? 7 : 2);
  });

  it('come from providers with a page where keys are made', () => {
    const all = withKeys(null).providers.providers();
    expect(all.map(({ providerId }) => providerId)).toEqual(Object.keys(adapters));
    for (const { name, keysUrl } of all) {
      expect(name).not.toBe('');
      expect(new URL(keysUrl).protocol).toBe('https:');
    }
  });
});

describe('a picture', () => {
  it('is painted on the sandbox without a key, in the requested size', async () => {
    const { providers } = withKeys(null, { network: 'sandbox', ...none });
    for (const model of providers.models())
      expect((await sharp(await drawWith(providers, model.id)).metadata()).width).toBe(1024);
  });

  it('comes from its provider, even on the sandbox, once there is a key', async () => {
    const server = await startProvider((_, response) => json(response, {}, 500));
    const { providers } = withKeys(`${server.origin}/v1`, { network: 'sandbox' });
    await expect(drawWith(providers, 'gpt-image-2.5-flare')).rejects.toThrow(
      'OpenAI had an error on its side',
    );
    expect(server.posts()).toHaveLength(1);
    await server.close();
  });

  it('is requested from nobody without a key on a real network, or in a size that the model does not make', async () => {
    const server = await startProvider((_, response) => json(response, {}));
    const keyless = withKeys(server.origin, none).providers;
    await expect(drawWith(keyless, 'gemini-3-pro-image')).rejects.toThrow('There is no key for Google.');
    const { providers } = withKeys(server.origin);
    await expect(drawWith(providers, 'flux-2-pro', { resolution: '4k' })).rejects.toMatchObject({
      code: 'generation_failed',
    });
    expect(server.seen).toEqual([]);
    await server.close();
  });

  it('waits for a locked vault, and sends no request', async () => {
    const locked = new AppError('locked', 'The vault is locked.');
    const keyOf = (): never => {
      throw locked;
    };
    await expect(drawWith(withKeys(null, { keyOf }).providers, 'flux-2-pro')).rejects.toBe(locked);
  });
});

it('costs a host that starts neither the SDK nor the decoder', async () => {
  const module = fileURLToPath(new URL('../../server/providers/image-providers.ts', import.meta.url));
  const pictures = fileURLToPath(new URL('../../server/providers/pictures.ts', import.meta.url));
  // `require` lists the CommonJS modules; imported ones show in the native libraries and the loader's own list.
  const script = `
    import { registerHooks } from 'node:module';
    const loaded = [];
    registerHooks({ load(url, context, next) { loaded.push(url); return next(url, context); } });
    const { createImageProviders } = await import(${JSON.stringify(module)});
    const { createPictures } = await import(${JSON.stringify(pictures)});
    createPictures({ folder: '/nowhere' });
    createImageProviders({ network: 'sandbox', hasKey: () => false, changes: () => new Map() }).models();
    console.log(JSON.stringify(loaded.filter((url) => /node_modules/.test(url))));`;
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', script]);
  expect(JSON.parse(stdout)).not.toEqual([]);
  expect(JSON.parse(stdout).filter((url: string) => /@ai-sdk|\/ai\/|sharp|@img/.test(url))).toEqual([]);
});

const prompt = 'A lighthouse at dusk';

/** The label's title in seven rows; each point is 10 wide on a canvas of 1,000. */
const readTitle = async (picture: Uint8Array): Promise<string[]> => {
  const { data, info } = await sharp(picture).greyscale().raw().toBuffer({ resolveWithObject: true });
  const point = (column: number, row: number): string => {
    const across = Math.round(((50 + (column + 0.5) * 10) / 1_000) * info.width - 0.5);
    const down = Math.round(((865 + (row + 0.5) * 10) / 1_000) * info.height - 0.5);
    const grey = data[down * info.width + across] ?? 0;
    return grey > 200 ? '#' : grey < 90 ? '.' : '?';
  };
  return Array.from({ length: 7 }, (_none, row) =>
    Array.from({ length: 90 }, (_, column) => point(column, row)).join(''),
  );
};

const isTitle = (rows: readonly string[]): void => {
  expect(rows.map((row) => row.slice(0, 42))).toEqual(sandbox);
  expect(rows.map((row) => row.slice(48))).toEqual(picture);
};

const sandbox = [
  '.####..###..#...#.####..####...###..#...#.',
  '#.....#...#.#...#.#...#.#...#.#...#.#...#.',
  '#.....#...#.##..#.#...#.#...#.#...#..#.#..',
  '.###..#####.#.#.#.#...#.####..#...#...#...',
  '....#.#...#.#..##.#...#.#...#.#...#..#.#..',
  '....#.#...#.#...#.#...#.#...#.#...#.#...#.',
  '####..#...#.#...#.####..####...###..#...#.',
];
const picture = [
  '####...###...###..#####.#...#.####..#####.',
  '#...#...#...#...#...#...#...#.#...#.#.....',
  '#...#...#...#.......#...#...#.#...#.#.....',
  '####....#...#.......#...#...#.####..####..',
  '#.......#...#.......#...#...#.#.#...#.....',
  '#.......#...#...#...#...#...#.#..#..#.....',
  '#......###...###....#....###..#...#.#####.',
];
const sky = async (taskId: string, words: string): Promise<string> =>
  (
    await sharp(await paint({ taskId, prompt: words, side: 1024 }))
      .extract({ left: 0, top: 0, width: 1024, height: 600 })
      .resize(32, 32)
      .raw()
      .toBuffer()
  ).toString('hex');

describe('a painted picture', () => {
  it.each([1024, 2048, 4096])('is a PNG of exactly %i points square, and bears its label', async (side) => {
    const bytes = await paint({ taskId: 'task_1', prompt, side });
    const { format, width, height, channels } = await sharp(bytes).metadata();
    expect({ format, width, height, channels }).toEqual({
      format: 'png',
      width: side,
      height: side,
      channels: 3,
    });
    isTitle(await readTitle(bytes));
  });

  it('is the same on every request, to the byte', async () => {
    const [one, two] = await Promise.all([1, 2].map(() => paint({ taskId: 'task_1', prompt, side: 1024 })));
    expect(Buffer.from(one ?? []).equals(Buffer.from(two ?? []))).toBe(true);
  });

  it('differs for another prompt, or another task', async () => {
    const skies = [
      await sky('task_1', prompt),
      await sky('task_1', `${prompt}.`),
      await sky('task_2', prompt),
      await sky('task_2', 'Tea'),
    ];
    expect(new Set(skies).size).toBe(4);
  });

  it('bears its label and no other text, whatever the prompt', async () => {
    for (const words of [
      '<script>alert(1)</script> & "quotes" </svg>',
      '日本語 и по-русски 🏝️',
      'a'.repeat(4_000),
      `x ${'b'.repeat(60)}`,
      '\n\n\u0000 \u0007',
      'word '.repeat(800),
    ]) {
      const bytes = await paint({ taskId: 'task_1', prompt: words, side: 1024 });
      expect((await sharp(bytes).metadata()).width).toBe(1024);
      isTitle(await readTitle(bytes));
    }
  });

  it('does not block the event loop', async () => {
    let turns = 0;
    const timer = setInterval(() => (turns += 1), 1);
    await paint({ taskId: 'task_1', prompt, side: 4096 });
    clearInterval(timer);
    expect(turns).toBeGreaterThan(10);
  });
});
