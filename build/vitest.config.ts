import { fileURLToPath } from 'node:url';
import { configDefaults, defineConfig } from 'vitest/config';

/** litesvm, the sandbox's runtime, has no Windows binary: build/test.ts counts these files as skipped. */
export const needSandbox = [
  'engine',
  'http',
  'host',
  'sandbox',
  'x402',
  'store',
  'cli',
  'electron',
  'mcp',
  'signin',
  'lab',
  'lib',
  'paywall',
  'catalog',
  'backup',
  'canary.test.ts',
  ...['first-run', 'story', 'screens', 'live', 'bundle', 'link*'].map((name) => `renderer/${name}.test.ts`),
].map((name) => `test/${name}${name.endsWith('.ts') ? '' : '/**'}`);

export default defineConfig({
  test: {
    root: fileURLToPath(new URL('..', import.meta.url)),
    include: ['test/**/*.test.ts'],
    globalSetup: [fileURLToPath(new URL('../test/harness/build.ts', import.meta.url))],
    exclude: [...configDefaults.exclude, ...(process.platform === 'win32' ? needSandbox : [])],
    environment: 'node',
    pool: 'forks',
    maxWorkers: 2,
    testTimeout: 120_000,
    hookTimeout: 120_000,
  },
});
