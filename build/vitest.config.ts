import { availableParallelism } from 'node:os';
import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { configDefaults, defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

const root = fileURLToPath(new URL('..', import.meta.url));

/** The files that take longest, most of it waiting. They come first, so that none of them is waited for at the end. */
const longest = [
  'lab/campaign/campaign',
  'renderer/screens',
  'backup/restore',
  'client/story',
  'backup/backup',
  'x402/official/x402-v1',
  'renderer/fits',
  'renderer/tabs',
  'renderer/squatter',
  'mcp/life',
  'client/kills',
  'renderer/live',
  'renderer/catalog',
  'x402/hostile-sellers',
  'host/first-start',
  'renderer/link-sign-in',
  'renderer/squatter-open-pages',
  'renderer/link-looks',
  'renderer/safety',
  'electron/packaging',
  'renderer/remedies',
  'paywall/dialects',
  'renderer/story',
  'renderer/allowance',
  'paywall/recipes',
  'renderer/gallery',
  'engine/crash',
  'engine/generation-crash',
  'cli/link',
  'books/formats/balances',
  'store/spending',
  'mcp/waiting',
  'vault/keychain',
  'paywall/official',
  'mcp/restart',
  'paywall/package',
  'renderer/books',
  'catalog/bazaar',
  'paywall/try',
  'remote-words/flood',
  'remote-words/crash',
  'client/recipes',
  'cli/executable',
  'renderer/notices',
  'paywall/once',
  'renderer/link',
  'mcp/many-bridges',
  'http/theft',
  'x402/docs',
  'renderer/phones',
  'engine/draw-crash',
  'renderer/groups',
  'notices/kill',
  'electron/page',
  'cli/help',
  'renderer/host-down',
  'renderer/find',
  'x402/lost-answers',
  'vault/signer-fuzz',
  'http/proxy/sdks',
].map((name) => `test/${name}.test.ts`);

const rank = ({ moduleId }: TestSpecification): number => {
  const at = longest.indexOf(relative(root, moduleId).replaceAll('\\', '/'));
  return at === -1 ? longest.length : at;
};

class LongestFirst extends BaseSequencer {
  override sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    return Promise.resolve(files.toSorted((a, b) => rank(a) - rank(b)));
  }
}

/**
 * Files that replace a module have a process of their own: another file may have loaded the module before. So has the
 * file whose treasuries use a keychain, which is one for each process.
 */
const alone = ['engine/slow-disk', 'host/disk', 'host/stop-marker-sync', 'http/theft'].map(
  (name) => `test/${name}.test.ts`,
);

/**
 * Files that drive a browser. On a loaded machine a page misses a moment that the test did not wait for; such a test
 * runs once more, and build/test.ts names it. All other tests have one try: a race that shows once is a defect.
 */
const driveBrowsers = ['test/renderer/**/*.test.ts', 'test/electron/{page-policy,real}.test.ts'];

export default defineConfig({
  test: {
    root,
    setupFiles: [fileURLToPath(new URL('../test/harness/leave-no-trace.ts', import.meta.url))],
    globalSetup: [fileURLToPath(new URL('../test/harness/build.ts', import.meta.url))],
    environment: 'node',
    pool: 'forks',
    // Half of what a file does is waiting: for a process, a browser, a block of the chain.
    maxWorkers: Math.min(2 * availableParallelism(), 8),
    sequence: { sequencer: LongestFirst },
    testTimeout: 600_000,
    hookTimeout: 600_000,
    projects: [
      // Files share their processes, and so load the product's modules once for many files.
      {
        extends: true,
        test: {
          name: 'shared',
          isolate: false,
          include: ['test/**/*.test.ts'],
          exclude: [...configDefaults.exclude, ...alone, ...driveBrowsers],
        },
      },
      {
        extends: true,
        test: {
          name: 'browser',
          isolate: false,
          retry: 1,
          include: driveBrowsers,
          exclude: configDefaults.exclude,
        },
      },
      { extends: true, test: { name: 'alone', include: alone, exclude: configDefaults.exclude } },
    ],
  },
});
