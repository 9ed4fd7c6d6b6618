// A part of a gate that is a file of the suite itself.
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Sheet } from './gate.ts';
import { thisSource } from './source-copy.ts';

/** In short it is not run again: it is part of `npm test`. */
export const suite =
  (...files: readonly string[]) =>
  async ({ short, exactly, none, tell, skip }: Sheet): Promise<void> => {
    const what = files.join(', ');
    if (short) return skip(what, 'part of npm test itself');
    const program = join(thisSource, 'node_modules', 'vitest', 'vitest.mjs');
    const run = promisify(execFile)(
      process.execPath,
      [program, 'run', '-c', 'build/vitest.config.ts', '--reporter', 'json', ...files],
      { cwd: thisSource, maxBuffer: 256 * 1024 * 1024 },
    );
    const { stdout } = await run.catch((error: unknown) => error as { stdout: string });
    const report = JSON.parse(stdout.slice(stdout.indexOf('{"'))) as Report;
    const tests = report.testResults.flatMap(({ assertionResults }) => assertionResults);
    const passed = tests.filter(({ status }) => status === 'passed').length;
    none(
      `tests that failed in ${what}`,
      tests.filter(({ status }) => status === 'failed').map(({ fullName }) => fullName),
    );
    exactly(
      `files of it that could not be run`,
      files.length - report.testResults.filter((one) => one.assertionResults.length > 0).length,
      0,
    );
    tell('of it passed', passed);
  };

interface Report {
  testResults: { assertionResults: { status: string; fullName: string }[] }[];
}
