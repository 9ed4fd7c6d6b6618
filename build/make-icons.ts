// `node build/make-icons.ts`: draws all icons from build/icons/icon.svg and writes them beside it. The tray's states
// differ in shape as well as in color. Needs a Chromium, in PATH or named by CHROMIUM.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import process from 'node:process';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { chromium, type Page } from 'playwright-core';

const folder = fileURLToPath(new URL('icons', import.meta.url));
const source = readFileSync(join(folder, 'icon.svg'), 'utf8');

const partOf = (pattern: RegExp): string => {
  const found = pattern.exec(source)?.[0];
  if (found === undefined) throw new Error(`icon.svg has no part like ${pattern.source}`);
  return found;
};
const ground = partOf(/<rect id="ground"[^>]*\/>/);
const mark = partOf(/<g id="mark".*?<\/g>/s);

const svg = (content: string): string =>
  `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 64 64">${content}</svg>`;
const onGround = (color: string, content: string): string =>
  svg(ground.replace(/fill="[^"]*"/, `fill="${color}"`) + content);

const pause = (fill: string): string => `<path fill="${fill}" d="M19 15h10v34H19zM35 15h10v34H35z"/>`;
const alert = (fill: string): string =>
  `<path fill="${fill}" d="M27 11h10l-1.500 28h-7z"/><circle fill="${fill}" cx="32" cy="48" r="5.500"/>`;
const dot = '<circle cx="50" cy="14" r="13" fill="#fff"/><circle cx="50" cy="14" r="10" fill="#e8590c"/>';

/** In color, for panels of any shade. */
const trayPictures = {
  running: onGround('#087f5b', mark),
  attention: onGround('#087f5b', mark + dot),
  frozen: onGround('#1971c2', pause('#fff')),
  halted: onGround('#c92a2a', alert('#fff')),
};

/** For macOS, which colors black by itself; larger, since no background frames it. */
const enlarged = (content: string): string => `<g transform="translate(-16 -16) scale(1.500)">${content}</g>`;
const outline =
  '<rect x="3" y="3" width="58" height="58" rx="13" fill="none" stroke="#000" stroke-width="5"/>';
const blackMark = enlarged(mark.replace('#fff', '#000'));
const small = (content: string): string =>
  `<g transform="translate(4.800 4.800) scale(0.850)">${content}</g>`;
const templatePictures = {
  running: svg(blackMark),
  attention: svg(
    `<mask id="m"><rect width="64" height="64" fill="#fff"/><circle cx="51" cy="13" r="17" fill="#000"/></mask><g mask="url(#m)">${blackMark}</g><circle cx="51" cy="13" r="12" fill="#000"/>`,
  ),
  frozen: svg(outline + small(pause('#000'))),
  halted: svg(outline + small(alert('#000'))),
};

const icoOf = (pictures: readonly { size: number; png: Buffer }[]): Buffer => {
  const head = Buffer.alloc(6);
  head.writeUInt16LE(1, 2);
  head.writeUInt16LE(pictures.length, 4);
  let offset = 6 + 16 * pictures.length;
  const entries = pictures.map(({ size, png }) => {
    const entry = Buffer.alloc(16);
    // The format writes 256 as 0.
    entry.writeUInt8(size % 256, 0);
    entry.writeUInt8(size % 256, 1);
    entry.writeUInt16LE(1, 4);
    entry.writeUInt16LE(32, 6);
    entry.writeUInt32LE(png.length, 8);
    entry.writeUInt32LE(offset, 12);
    offset += png.length;
    return entry;
  });
  return Buffer.concat([head, ...entries, ...pictures.map(({ png }) => png)]);
};

const icnsTypes = [
  ['icp4', 16],
  ['icp5', 32],
  ['ic11', 32],
  ['ic12', 64],
  ['ic07', 128],
  ['ic13', 256],
  ['ic08', 256],
  ['ic14', 512],
  ['ic09', 512],
  ['ic10', 1_024],
] as const;

const chunk = (type: string, content: Buffer): Buffer => {
  const head = Buffer.alloc(8);
  head.write(type, 'latin1');
  head.writeUInt32BE(content.length + 8, 4);
  return Buffer.concat([head, content]);
};

const icnsOf = (pngOf: (size: number) => Buffer): Buffer => {
  return chunk('icns', Buffer.concat(icnsTypes.map(([type, size]) => chunk(type, pngOf(size)))));
};

const findChromium = (): string => {
  const named = process.env['CHROMIUM'];
  const names = ['chromium', 'chromium-browser', 'google-chrome'];
  const paths = (process.env['PATH'] ?? '')
    .split(delimiter)
    .flatMap((dir) => names.map((name) => join(dir, name)));
  const found = named ?? paths.find((path) => existsSync(path));
  if (found === undefined) throw new Error('No Chromium in PATH: name one with CHROMIUM.');
  return found;
};

const draw = async (page: Page, picture: string, size: number): Promise<Buffer> => {
  await page.setViewportSize({ width: size, height: size });
  const image = picture.replace('<svg ', `<svg width="${size}" height="${size}" `);
  await page.setContent(`<style>*{margin:0}svg{display:block}</style>${image}`);
  return page.screenshot({ omitBackground: true });
};

const save = (name: string, bytes: Buffer): void => writeFileSync(join(folder, name), bytes);

const makeApplicationIcons = async (page: Page): Promise<void> => {
  const pngs = new Map<number, Buffer>();
  for (const size of [16, 24, 32, 48, 64, 128, 256, 512, 1_024])
    pngs.set(size, await draw(page, source, size));
  const pngOf = (size: number): Buffer => pngs.get(size) ?? Buffer.alloc(0);
  save('icon.png', pngOf(512));
  save('icon.ico', icoOf([16, 24, 32, 48, 64, 128, 256].map((size) => ({ size, png: pngOf(size) }))));
  save('icon.icns', icnsOf(pngOf));
};

const makeTrayIcons = async (page: Page): Promise<void> => {
  for (const [state, picture] of Object.entries(trayPictures)) {
    save(`tray-${state}.png`, await draw(page, picture, 24));
    save(`tray-${state}@2x.png`, await draw(page, picture, 48));
    const pictures = [];
    for (const size of [16, 20, 24, 32, 48]) pictures.push({ size, png: await draw(page, picture, size) });
    save(`tray-${state}.ico`, icoOf(pictures));
  }
  for (const [state, picture] of Object.entries(templatePictures)) {
    save(`tray-${state}Template.png`, await draw(page, picture, 18));
    save(`tray-${state}Template@2x.png`, await draw(page, picture, 36));
  }
};

const run = async (): Promise<void> => {
  const browser = await chromium.launch({
    executablePath: findChromium(),
    chromiumSandbox: process.getuid?.() !== 0,
  });
  try {
    const page = await browser.newPage();
    await makeApplicationIcons(page);
    await makeTrayIcons(page);
  } finally {
    await browser.close();
  }
};

const isEntryPoint = import.meta.url === pathToFileURL(process.argv[1] ?? '').href;
if (isEntryPoint) await run();
