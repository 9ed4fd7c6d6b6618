// The sandbox's own painter: an abstract picture, clearly labeled, determined by the task and its prompt alone.
import { createHash } from 'node:crypto';

interface Commission {
  taskId: string;
  prompt: string;
  /** Pixels, wide and high. */
  side: number;
}

/** A PNG; always the same one for a task and prompt. */
export const paint = async ({ taskId, prompt, side }: Commission): Promise<Uint8Array> => {
  // Loaded with the first picture, so that a starting host need not wait for it.
  const { default: sharp } = await import('sharp');
  const svg = compose(createDice(`${taskId}\n${prompt}`), side);
  return sharp(Buffer.from(svg)).removeAlpha().png({ compressionLevel: 3 }).toBuffer();
};

/** Units of the drawing, whatever its size in pixels. */
const canvas = 1_000;

type Dice = (low: number, high: number) => number;

/** Numbers determined by `seed`: a hash of it and a counter. */
const createDice = (seed: string): Dice => {
  let count = 0;
  return (low, high) => {
    const digest = createHash('sha256').update(`${count++}\n${seed}`).digest();
    return low + (digest.readUInt32BE(0) / 2 ** 32) * (high - low);
  };
};

const compose = (dice: Dice, side: number): string => {
  const hue = dice(0, 360);
  const sun = { x: dice(200, 800), y: dice(150, 420), radius: dice(70, 150) };
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${side}" height="${side}" viewBox="0 0 ${canvas} ${canvas}">
<defs>
<linearGradient id="sky" x1="0" y1="0" x2="${round(dice(0.1, 0.6))}" y2="1">
<stop offset="0" stop-color="${color(hue, 55, 22)}"/>
<stop offset="0.55" stop-color="${color(hue + dice(30, 70), 60, 52)}"/>
<stop offset="1" stop-color="${color(hue + dice(80, 130), 80, 76)}"/>
</linearGradient>
<radialGradient id="glow"><stop offset="0" stop-color="#fff" stop-opacity="0.85"/>
<stop offset="1" stop-color="#fff" stop-opacity="0"/></radialGradient>
</defs>
<rect width="${canvas}" height="${canvas}" fill="url(#sky)"/>
<circle cx="${round(sun.x)}" cy="${round(sun.y)}" r="${round(sun.radius * 3)}" fill="url(#glow)"/>
<circle cx="${round(sun.x)}" cy="${round(sun.y)}" r="${round(sun.radius)}" fill="${color(hue + 150, 90, 88)}"/>
${times(9, () => bubble(dice, hue))}
${times(4, (index) => hill(dice, hue, index))}
${label}
</svg>`;
};

const bubble = (dice: Dice, hue: number): string =>
  `<circle cx="${round(dice(0, canvas))}" cy="${round(dice(0, 650))}" r="${round(dice(12, 110))}" fill="${color(hue + dice(-40, 160), 75, dice(55, 80))}" fill-opacity="${round(dice(0.12, 0.4))}"/>`;

/** Each nearer hill is lower and darker. */
const hill = (dice: Dice, hue: number, index: number): string => {
  const height = 500 + index * 95;
  const y = (): number => round(height + dice(-70, 70));
  const curve = `M0 ${y()}C250 ${y()} 300 ${y()} 500 ${y()}S800 ${y()} ${canvas} ${y()}V${canvas}H0z`;
  return `<path d="${curve}" fill="${color(hue + index * 14, 50, 46 - index * 10)}"/>`;
};

/** SANDBOX PICTURE, drawn here, since a bare machine has no fonts. */
const title = [
  '.####..###..#...#.####..####...###..#...#.......####...###...###..#####.#...#.####..#####.',
  '#.....#...#.#...#.#...#.#...#.#...#.#...#.......#...#...#...#...#...#...#...#.#...#.#.....',
  '#.....#...#.##..#.#...#.#...#.#...#..#.#........#...#...#...#.......#...#...#.#...#.#.....',
  '.###..#####.#.#.#.#...#.####..#...#...#.........####....#...#.......#...#...#.####..####..',
  '....#.#...#.#..##.#...#.#...#.#...#..#.#........#.......#...#.......#...#...#.#.#...#.....',
  '....#.#...#.#...#.#...#.#...#.#...#.#...#.......#.......#...#...#...#...#...#.#..#..#.....',
  '####..#...#.#...#.####..####...###..#...#.......#......###...###....#....###..#...#.#####.',
];

/** Each run of adjacent points is one stroke: edges within a stroke would show as seams. */
const titlePath = title
  .flatMap((row, y) =>
    [...row.matchAll(/#+/g)].map(({ index: x, 0: { length } }) => `M${x} ${y}h${length}v1h-${length}z`),
  )
  .join('');

/** A band at the foot, so that nobody takes this for a model's picture. */
const label = `<rect y="800" width="${canvas}" height="200" fill="#0b0f19" fill-opacity="0.82"/>
<path d="${titlePath}" transform="translate(50 865) scale(10)" fill="#fff"/>`;

const times = (count: number, draw: (index: number) => string): string =>
  Array.from({ length: count }, (_, index) => draw(index)).join('\n');

const color = (hue: number, saturation: number, lightness: number): string =>
  `hsl(${round(((hue % 360) + 360) % 360)}, ${round(saturation)}%, ${round(lightness)}%)`;

const round = (value: number): number => Math.round(value * 1_000) / 1_000;
