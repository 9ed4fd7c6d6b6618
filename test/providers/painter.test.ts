// The sandbox's painter, by reading its decoded pictures back.
import sharp from 'sharp';
import { describe, expect, it } from 'vitest';
import { paint } from '../../server/providers/painter.ts';

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
