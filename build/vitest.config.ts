import { existsSync, readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { configDefaults, defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { committedTimes, lastTimes } from './test-times.ts';

const root = fileURLToPath(new URL('..', import.meta.url));

/**
 * Files that take longer than others by the last whole run come first, so that none of them is waited for at the end. A
 * fresh clone starts from the times that are in the repository. The files with a process of their own come before all
 * others: vitest ends a shared process when the next file is not for it.
 */
const seconds: Record<string, number> = Object.assign(
  {},
  ...[committedTimes, lastTimes].filter(existsSync).map((file) => JSON.parse(readFileSync(file, 'utf8'))),
);

const timeOf = ({ moduleId }: TestSpecification): number =>
  seconds[relative(root, moduleId).replaceAll('\\', '/')] ?? 0;

const isShared = ({ project }: TestSpecification): number => Number(project.name === 'shared');

class LongestFirst extends BaseSequencer {
  override sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    return Promise.resolve(files.toSorted((a, b) => isShared(a) - isShared(b) || timeOf(b) - timeOf(a)));
  }
}

/**
 * Files that replace a module have a process of their own: another file may have loaded the module before. So has the
 * file whose treasuries use a keychain, which is one for each process.
 */
const alone = ['engine/slow-disk', 'http/hostile/theft'].map((name) => `test/${name}.test.ts`);

export default defineConfig({
  test: {
    root,
    setupFiles: [fileURLToPath(new URL('../test/harness/leave-no-trace.ts', import.meta.url))],
    globalSetup: [fileURLToPath(new URL('../test/harness/programs/build.ts', import.meta.url))],
    environment: 'node',
    pool: 'forks',
    // Much of what a file does is waiting: for a process, a browser, a block of the chain.
    maxWorkers: Math.min(3 * availableParallelism(), 8),
    sequence: { sequencer: LongestFirst },
    testTimeout: 600_000,
    hookTimeout: 600_000,
    // The default of a second is less than a process may need on a busy machine.
    expect: { poll: { timeout: 90_000 } },
    projects: [
      // Files share their processes, and so load the product's modules once for many files.
      {
        extends: true,
        test: {
          name: 'shared',
          isolate: false,
          include: ['test/**/*.test.ts'],
          exclude: [...configDefaults.exclude, ...alone],
        },
      },
      { extends: true, test: { name: 'alone', include: alone, exclude: configDefaults.exclude } },
    ],
  },
});
