// The kept pictures: only whole ones, under names that only a task can have, also after a crash.
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { mkdir, open } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { crc32, deflateSync } from 'node:zlib';
import sharp, { type Sharp } from 'sharp';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { openTo } from '../../server/lib/files/owner-only.ts';
import type { Pictures } from '../../server/engine/ports.ts';
import { createPictures } from '../../server/providers/pictures.ts';
import { pictureOf } from './provider-server.ts';

let parent: string;
let folder: string;
let pictures: Pictures;

beforeEach(() => {
  parent = mkdtempSync(join(tmpdir(), 'pictures-'));
  folder = join(parent, 'pictures');
  pictures = createPictures({ folder });
});
afterEach(() => {
  vi.restoreAllMocks();
  rmSync(parent, { recursive: true, force: true });
});

const isPosix = process.platform !== 'win32';
const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');
const names = (): string[] => (existsSync(folder) ? readdirSync(folder).toSorted() : []);
const unfit = { name: 'AppError', code: 'generation_failed' };

const chunk = (type: string, data: Uint8Array): Buffer => {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(data.byteLength);
  const sum = Buffer.alloc(4);
  sum.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, sum]);
};
/** A black PNG, with a bit for each point, that claims to be this large. */
const blackPng = (width: number, height: number, rows = height): Buffer => {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([1, 0, 0, 0, 0], 8);
  return Buffer.concat([
    Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'),
    chunk('IHDR', header),
    chunk('IDAT', deflateSync(Buffer.alloc(rows * (1 + Math.ceil(width / 8))))),
    chunk('IEND', Buffer.alloc(0)),
  ]);
};

describe('keeping a picture', () => {
  it.each([
    ['png', 'image/png'],
    ['jpeg', 'image/jpeg'],
    ['webp', 'image/webp'],
  ] as const)('recognises a %s, and leaves its bytes unchanged', async (format, mediaType) => {
    const exif = { IFD0: { Copyright: 'made by a model' } };
    const bytes = await sharp({ create: { width: 300, height: 200, channels: 3, background: '#a1b2c3' } })
      .withMetadata({ orientation: 6, exif })
      .toFormat(format)
      .toBuffer();
    const image = await pictures.keep('task_1', bytes);
    expect(image).toEqual({
      mediaType,
      width: 300,
      height: 200,
      bytes: bytes.byteLength,
      sha256: sha256(bytes),
    });
    expect((await pictures.read('task_1', image)).equals(bytes)).toBe(true);
    expect(await pictures.find('task_1')).toEqual(image);
    expect(names()).toEqual([`task_1.${format === 'jpeg' ? 'jpg' : format}`]);
  });

  it.each([
    ['nothing', async () => Buffer.alloc(0)],
    ['a web page', async () => Buffer.from('<html><body>Sorry</body></html>')],
    [
      'a drawing in SVG',
      async () => Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" width="99" height="99"/>'),
    ],
    ['a GIF', () => sharp(blackPng(100, 100)).gif().toBuffer()],
    ['a TIFF', () => sharp(blackPng(100, 100)).tiff().toBuffer()],
    ['a PNG without its end', async () => (await pictureOf(256)).subarray(0, -2_000)],
    ['half a PNG', async () => (await pictureOf(256)).subarray(0, 60_000)],
    ['the beginning of a PNG', async () => (await pictureOf(256)).subarray(0, 60)],
    [
      'half a JPEG',
      async () =>
        halfOf(
          await sharp(await pictureOf(256))
            .jpeg()
            .toBuffer(),
        ),
    ],
    [
      'half a WebP',
      async () =>
        halfOf(
          await sharp(await pictureOf(256))
            .webp()
            .toBuffer(),
        ),
    ],
    ['a PNG with a damaged middle', async () => damage(await pictureOf(256))],
    ['a PNG with too few rows', async () => blackPng(100, 100, 50)],
    ['a picture too small', () => sharp(blackPng(100, 63)).png().toBuffer()],
    ['a picture too wide', async () => blackPng(8_193, 64)],
    ['a picture too high', async () => blackPng(64, 8_193)],
    ['a PNG that moves nowhere but claims to be a WebP', async () => Buffer.from('RIFF\x10\0\0\0WEBPVP8 ')],
    ['more than 32 MiB', async () => Buffer.concat([await pictureOf(64), Buffer.alloc(32 * 1024 * 1024)])],
    [
      'a WebP that moves',
      async () =>
        sharp([await pictureOf(100), blackPng(100, 100)], { join: { animated: true } })
          .webp()
          .toBuffer(),
    ],
  ])('refuses %s, and keeps nothing of it', async (_, make) => {
    await expect(pictures.keep('task_1', await make())).rejects.toMatchObject(unfit);
    expect(names()).toEqual([]);
    expect(await pictures.find('task_1')).toBeNull();
  });

  it.each([
    ['in grey', (one: Sharp) => one.greyscale()],
    ['with a transparent part', (one: Sharp) => one.ensureAlpha(0.5)],
    ['with a palette', (one: Sharp) => one.png({ palette: true })],
    ['in sixteen bits', (one: Sharp) => one.toColourspace('rgb16')],
    ['in four inks', (one: Sharp) => one.toColourspace('cmyk').jpeg()],
  ])('accepts one %s', async (_, change) => {
    const bytes = await change(sharp(await pictureOf(80)).png()).toBuffer();
    expect(await pictures.keep('task_1', bytes)).toMatchObject({ width: 80, height: 80 });
  });

  it('accepts one of the largest size', async () => {
    const image = await pictures.keep('task_1', blackPng(8_192, 8_192));
    expect(image).toMatchObject({ width: 8_192, height: 8_192 });
  });

  it('does not decompress a small file into gigabytes', async () => {
    const before = process.memoryUsage().rss;
    for (const bomb of [blackPng(30_000, 30_000, 20_000), blackPng(2 ** 31 - 1, 2 ** 31 - 1, 0)])
      await expect(pictures.keep('task_1', bomb)).rejects.toMatchObject(unfit);
    expect(process.memoryUsage().rss - before).toBeLessThan(400 * 1024 * 1024);
    expect(names()).toEqual([]);
  });

  it.runIf(isPosix)('makes it readable by this user alone', async () => {
    await pictures.keep('task_1', await pictureOf(64));
    expect(openTo(folder)).toBeNull();
    expect(openTo(join(folder, 'task_1.png'))).toBeNull();
  });

  it('of many tasks at once keeps each', async () => {
    const made = await Promise.all([64, 65, 66, 67].map(pictureOf));
    const kept = await Promise.all(
      Array.from({ length: 24 }, (_, index) =>
        pictures.keep(`task_${index}`, made[index % made.length] ?? Buffer.alloc(0)),
      ),
    );
    for (const [index, image] of kept.entries()) {
      expect(await pictures.find(`task_${index}`)).toEqual(image);
      expect(image.width).toBe(64 + (index % 4));
    }
    expect(names()).toHaveLength(24);
  });

  it('of one task many times at once ends with one whole picture', async () => {
    const made = await Promise.all([64, 65, 66, 67].map(pictureOf));
    const kept = await Promise.all([...made, ...made].map((bytes) => pictures.keep('task_1', bytes)));
    expect(kept).toContainEqual(await pictures.find('task_1'));
    expect(names()).toEqual(['task_1.png']);
  });
});

const halfOf = (bytes: Buffer): Buffer => bytes.subarray(0, bytes.byteLength / 2);
const damage = (bytes: Buffer): Buffer => {
  const damaged = Buffer.from(bytes);
  const middle = Math.floor(bytes.byteLength / 2);
  damaged.fill(0x55, middle, middle + 64);
  return damaged;
};

describe('a power cut', () => {
  it('finds a name only once the file is whole', async () => {
    const bytes = await pictureOf(2_048);
    expect(bytes.byteLength).toBeGreaterThan(4_000_000);
    const path = join(folder, 'task_1.png');
    const sizes = new Set<number>();
    let next = setImmediate(look);
    function look(): void {
      if (existsSync(path)) sizes.add(statSync(path).size);
      next = setImmediate(look);
    }
    await pictures.keep('task_1', bytes);
    clearImmediate(next);
    sizes.add(statSync(path).size);
    expect([...sizes]).toEqual([bytes.byteLength]);
  });

  it.runIf(isPosix)(
    'comes after file and name are on disk, or before the picture counts as kept',
    async () => {
      const bytes = await pictureOf(64);
      const file = await open(join(parent, 'probe'), 'w');
      const prototype = Object.getPrototypeOf(file) as typeof file;
      await file.close();
      const synced: string[][] = [];
      const { sync } = prototype;
      vi.spyOn(prototype, 'sync').mockImplementation(async function (this: typeof file) {
        synced.push(names().map((name) => name.replace(/^\..*\.part$/, 'part')));
        return sync.call(this);
      });
      await pictures.keep('task_1', bytes);
      // First the bytes under their temporary name, then the folder with the final one.
      expect(synced).toEqual([['part'], ['task_1.png']]);
    },
  );

  it('leaves incomplete files that never pass for a picture, and are removed', async () => {
    await mkdir(folder);
    const bytes = await pictureOf(64);
    writeFileSync(join(folder, '.5b3c8f0e-0000-4000-8000-000000000000.part'), bytes.subarray(0, 500));
    expect(await pictures.find('task_1')).toBeNull();
    await pictures.keep('task_2', bytes);
    expect(names()).toEqual(['task_2.png']);
  });

  it('amid many leaves every picture whole or absent', async () => {
    const bytes = await pictureOf(512);
    writeFileSync(join(parent, 'source.png'), bytes);
    const module = new URL('../../server/providers/pictures.ts', import.meta.url).href;
    const script = `
      import { readFileSync } from 'node:fs';
      const { createPictures } = await import(${JSON.stringify(module)});
      const pictures = createPictures({ folder: ${JSON.stringify(folder)} });
      const bytes = readFileSync(${JSON.stringify(join(parent, 'source.png'))});
      for (let index = 0; ; index++) {
        await pictures.keep('task_' + index, bytes);
        console.log(index);
      }`;
    const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const said: string[] = [];
    child.stdout.on('data', (line: Buffer) => {
      said.push(...line.toString().trim().split('\n'));
      if (said.length >= 10) child.kill('SIGKILL');
    });
    await once(child, 'exit');
    for (const index of said) expect((await pictures.find(`task_${index}`))?.sha256).toBe(sha256(bytes));
    for (const name of names().filter((one) => one.startsWith('task_')))
      expect(readFileSync(join(folder, name)).equals(bytes)).toBe(true);
  });
});

describe('a kept picture', () => {
  it.each([
    ['changed by a bit', (path: string, bytes: Buffer) => writeFileSync(path, damage(bytes))],
    ['cut short', (path: string, bytes: Buffer) => writeFileSync(path, halfOf(bytes))],
    ['replaced by another', (path: string) => writeFileSync(path, blackPng(100, 100))],
    ['gone', (path: string) => rmSync(path)],
  ])('that was %s is not shown', async (_, change) => {
    const bytes = await pictureOf(256);
    const image = await pictures.keep('task_1', bytes);
    change(join(folder, 'task_1.png'), bytes);
    await expect(pictures.read('task_1', image)).rejects.toMatchObject({
      name: 'AppError',
      code: 'not_found',
    });
    await expect(pictures.small('task_1', image)).rejects.toMatchObject({ code: 'not_found' });
  });

  it('that was damaged is not found, nor is one under another format’s name', async () => {
    const bytes = await pictureOf(256);
    await pictures.keep('task_1', bytes);
    writeFileSync(join(folder, 'task_1.png'), damage(bytes));
    writeFileSync(join(folder, 'task_2.webp'), bytes);
    expect(await pictures.find('task_1')).toBeNull();
    expect(await pictures.find('task_2')).toBeNull();
  });

  it('is found by the next start', async () => {
    const image = await pictures.keep('task_1', await pictureOf(64));
    expect(await createPictures({ folder }).find('task_1')).toEqual(image);
  });
});

describe('a small picture', () => {
  it('fits into 512 points, upright, without the large one’s metadata', async () => {
    const bytes = await sharp({ create: { width: 2_000, height: 1_000, channels: 3, background: '#446688' } })
      .withMetadata({ orientation: 6, exif: { IFD0: { Copyright: 'somebody' } } })
      .jpeg()
      .toBuffer();
    const image = await pictures.keep('task_1', bytes);
    const small = await pictures.small('task_1', image);
    expect(small).toMatchObject({ mediaType: 'image/webp', width: 256, height: 512 });
    const { format, width, height, exif } = await sharp(small.bytes).metadata();
    expect({ format, width, height, exif }).toEqual({
      format: 'webp',
      width: 256,
      height: 512,
      exif: undefined,
    });
    expect(small.bytes.byteLength).toBeLessThan(60_000);
  });

  it('of a picture that is small already is no larger', async () => {
    const image = await pictures.keep('task_1', await pictureOf(100));
    expect(await pictures.small('task_1', image)).toMatchObject({ width: 100, height: 100 });
  });

  it('is made once, and again when it was damaged', async () => {
    const image = await pictures.keep('task_1', await pictureOf(1_024));
    const first = await pictures.small('task_1', image);
    const [name = ''] = names().filter((one) => one.includes('small'));
    const path = join(folder, name);
    const made = statSync(path).mtimeMs;
    expect(await pictures.small('task_1', image)).toEqual(first);
    expect(statSync(path).mtimeMs).toBe(made);
    writeFileSync(path, halfOf(first.bytes));
    expect(await pictures.small('task_1', image)).toEqual(first);
    expect(readFileSync(path).equals(first.bytes)).toBe(true);
    expect(await pictures.find('task_1')).toEqual(image);
  });

  it('is made for many at once', async () => {
    const image = await pictures.keep('task_1', await pictureOf(1_024));
    const all = await Promise.all(Array.from({ length: 8 }, () => pictures.small('task_1', image)));
    for (const one of all) expect(one).toEqual(all[0]);
  });
});

describe('the id of a task', () => {
  it.each(['', '.', '..', '../task', 'a/b', 'a\\b', 'a\0', 'task.png', '%2e%2e', 'C:x', 'x'.repeat(65), 'ä'])(
    'is not %j',
    async (id) => {
      const bytes = await pictureOf(64);
      const image = await pictures.keep('task_1', bytes);
      const why = 'the id of a task is one';
      await expect(pictures.keep(id, bytes)).rejects.toThrow(why);
      await expect(pictures.find(id)).rejects.toThrow(why);
      await expect(pictures.read(id, image)).rejects.toThrow(why);
      await expect(pictures.small(id, image)).rejects.toThrow(why);
      expect(readdirSync(parent)).toEqual(['pictures']);
      expect(names()).toEqual(['task_1.png']);
    },
  );
});
