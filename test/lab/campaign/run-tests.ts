// Runs files of the suite itself in this tree or in a copy of it. Returns the results of their tests.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';

export interface Ran {
  passed: number;
  failed: string[];
  /** Those that were run, with their full names. */
  tests: { file: string; name: string; hasPassed: boolean }[];
  /** The number of files without a test that could be run. */
  empty: number;
}

export interface Wanted {
  files: readonly string[];
  /** Only tests whose full name contains one of these. */
  titles?: readonly string[];
  /** The file for vitest's report, which must not exist yet. */
  output: string;
  withinMs?: number;
  /** How long one test may take. */
  testMs?: number;
  env?: NodeJS.ProcessEnv;
}

interface Report {
  testResults: { name: string; assertionResults: { status: string; fullName: string }[] }[];
}

/** Null when it did not finish in time. */
export const runTests = async (
  source: string,
  { files, titles, output, withinMs = 3_600_000, testMs, env = {} }: Wanted,
): Promise<Ran | null> => {
  const program = join(source, 'node_modules', 'vitest', 'vitest.mjs');
  const report = ['--reporter', 'json', '--outputFile', output];
  const only =
    titles === undefined
      ? []
      : ['-t', titles.map((title) => title.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')).join('|')];
  const limit = testMs === undefined ? [] : ['--testTimeout', String(testMs)];
  const args = [program, 'run', '-c', 'build/vitest.config.ts', ...report, ...limit, ...only, ...files];
  // In a group of its own: with a bug in it, a host may outlive the test that started it.
  const child = spawn(process.execPath, args, {
    cwd: source,
    env: { ...process.env, ...env },
    stdio: 'ignore',
    detached: true,
  });
  const endGroup = (): void => {
    try {
      if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
    } catch {
      // The whole group has ended.
    }
  };
  const timer = setTimeout(endGroup, withinMs);
  // It exits with 1 when a test fails; the report names it.
  await once(child, 'exit');
  clearTimeout(timer);
  endGroup();
  if (!existsSync(output)) return null;
  const { testResults } = JSON.parse(readFileSync(output, 'utf8')) as Report;
  const tests = testResults.flatMap(({ name: path, assertionResults }) =>
    assertionResults
      .filter(({ status }) => status === 'passed' || status === 'failed')
      .map(({ status, fullName }) => ({
        file: relative(source, path),
        name: fullName,
        hasPassed: status === 'passed',
      })),
  );
  return {
    tests,
    passed: tests.filter(({ hasPassed }) => hasPassed).length,
    failed: tests.filter(({ hasPassed }) => !hasPassed).map(({ name }) => name),
    empty: files.length - testResults.filter((one) => one.assertionResults.length > 0).length,
  };
};
