// The programs that tests start, as bundles. They are not in build.ts, which also names the sources of the dashboard: a
// change of those would reach every test that starts a program (reach.ts).
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { InlineConfig } from 'vite';

const root = fileURLToPath(new URL('..', import.meta.url));

export const programsFolder = join(root, 'build/out/programs');

const entries = [
  'server/main.ts',
  'server/sandbox/main.ts',
  'server/cli/main.ts',
  'server/mcp/main.ts',
] as const;
export type Entry = (typeof entries)[number];

/**
 * The programs with all their modules in a few files, which start at two thirds of the cost of their sources. Each finds
 * its neighbors (the dashboard, the bridge) where its source does.
 */
export const programs: InlineConfig = {
  configFile: false,
  root,
  logLevel: 'warn',
  ssr: { target: 'node', noExternal: true },
  plugins: [
    {
      name: 'where the source lies',
      transform: (code, id) =>
        code.includes('import.meta.url')
          ? { code: code.replaceAll('import.meta.url', JSON.stringify(pathToFileURL(id).href)), map: null }
          : undefined,
    },
  ],
  build: {
    ssr: true,
    outDir: programsFolder,
    emptyOutDir: true,
    target: 'node24',
    minify: false,
    rolldownOptions: {
      input: Object.fromEntries(entries.map((entry) => [entry.replace(/\.ts$/, ''), join(root, entry)])),
      // Native, or with files beside them; outside of node_modules, Node warns of what whatwg-url loads.
      external: [
        /^node:/,
        'better-sqlite3',
        'bigint-buffer',
        /^litesvm/,
        /^@napi-rs\//,
        'pino',
        'whatwg-url',
      ],
      output: { format: 'es', entryFileNames: '[name].js' },
    },
  },
};
