// Builds the bundles: the dashboard, the desktop's main process and preload script, and the programs that tests start. Each
// is built only when one of its sources is newer than the last build.
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type * as Vite from 'vite';
import type { InlineConfig } from 'vite';
import packageJson from '../package.json' with { type: 'json' };
import { programs } from './programs.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const out = join(root, 'build/out');

export const rendererFolder = join(out, 'renderer');
export const desktopFolder = join(out, 'desktop');

interface Target {
  name: 'dashboard' | 'desktop' | 'programs';
  sources: readonly string[];
  configs: readonly InlineConfig[];
}

/** npm packages stay outside the bundle: some are native, and all are packed beside it. */
const external = [
  /^electron/,
  /^node:/,
  ...Object.keys(packageJson.dependencies).map((name) => new RegExp(`^${name}(/|$)`)),
  'litesvm',
  /^litesvm\//,
];

const nodeBundle = (entry: string, format: 'es' | 'cjs', file: string): InlineConfig => ({
  configFile: false,
  root,
  logLevel: 'warn',
  ssr: { target: 'node' },
  build: {
    ssr: join(root, entry),
    outDir: desktopFolder,
    emptyOutDir: false,
    target: 'node24',
    minify: false,
    rolldownOptions: { external, output: { format, entryFileNames: file, codeSplitting: false } },
  },
});

const targets: readonly Target[] = [
  {
    name: 'dashboard',
    sources: ['renderer', 'server/contract', 'server/money.ts', 'server/errors.ts', 'build/vite.config.ts'],
    configs: [{ configFile: join(root, 'build/vite.config.ts'), logLevel: 'warn' }],
  },
  {
    name: 'desktop',
    sources: ['electron', 'server', 'build/build.ts'],
    configs: [
      nodeBundle('electron/main.ts', 'es', 'main.js'),
      nodeBundle('electron/ipc/preload.ts', 'cjs', 'preload.cjs'),
    ],
  },
  { name: 'programs', sources: ['server', 'build/programs.ts', 'build/preload.mjs'], configs: [programs] },
];

/** What is built again while somebody develops. */
export const bundles: readonly InlineConfig[] = targets.flatMap(({ name, configs }) =>
  name === 'programs' ? [] : configs,
);

/** Builds what is missing or stale, and prints each name. @throws what Vite throws */
export const ensureBuilt = async (...names: Target['name'][]): Promise<void> => {
  for (const { name, sources, configs } of targets.filter((target) => names.includes(target.name))) {
    const stamp = join(out, `${name}.stamp`);
    const changed = newest([...sources, 'package-lock.json']);
    // The programs hold paths of this checkout; and tests must not try what was put back with the time that it had before.
    const mark = name === 'programs' ? `${changed} ${root}` : '';
    if (existsSync(stamp) && changed < statSync(stamp).mtimeMs && readFileSync(stamp, 'utf8') === mark)
      continue;
    const { build } = await loadVite();
    const started = performance.now();
    process.stderr.write(`Building the ${name} ... `);
    const env = process.env['NODE_ENV'];
    // Test runners set `test`, with which Vite would bundle React's slow development build.
    process.env['NODE_ENV'] = 'production';
    for (const config of configs) await build({ ...config, mode: 'production' });
    if (env === undefined) delete process.env['NODE_ENV'];
    else process.env['NODE_ENV'] = env;
    mkdirSync(out, { recursive: true });
    writeFileSync(stamp, mark);
    process.stderr.write(`${((performance.now() - started) / 1_000).toFixed(1)} s\n`);
  }
};

/**
 * Loaded only here, so that a start with nothing to build does without it. Vite takes paths for URLs, in which `#` and `?` end
 * the path: the process ends with a sentence where the checkout lies in a folder like that.
 */
export const loadVite = async (): Promise<Pick<typeof Vite, 'build'>> => {
  if (!/[#?]/.test(root)) return import('vite');
  process.stderr.write(
    `Nothing can be built in ${root}: the name of a folder has a # or a ?. Move the checkout, or run: npm run headless\n`,
  );
  process.exit(1);
};

/** When the newest file below these paths of the repository was changed, in Unix milliseconds. */
export const newest = (paths: readonly string[]): number =>
  Math.max(...paths.map((path) => newestBelow(join(root, path))));

const newestBelow = (path: string): number => {
  const { mtimeMs } = statSync(path);
  if (!statSync(path).isDirectory()) return mtimeMs;
  return Math.max(mtimeMs, ...readdirSync(path).map((name) => newestBelow(join(path, name))));
};

const isEntryPoint = import.meta.url === pathToFileURL(process.argv[1] ?? '').href;
if (isEntryPoint) await ensureBuilt('dashboard', 'desktop');
