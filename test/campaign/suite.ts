// A part of a gate that is a file of the suite itself.
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Sheet } from './gate.ts';
import { thisSource } from './source-copy.ts';

/** In short it is not run again: it is part of `npm test`. */
export const suite =
  (...files: readonly string[]) =>
  async ({ short, stage, exactly, none, tell, skip }: Sheet): Promise<void> => {
    const what = files.join(', ');
    if (short) return skip(what, 'part of npm test itself');
    const program = join(thisSource, 'node_modules', 'vitest', 'vitest.mjs');
    const output = join(stage.folder(), 'report.json');
    const args = [
      'run',
      '-c',
      'build/vitest.config.ts',
      '--reporter',
      'json',
      '--outputFile',
      output,
      ...files,
    ];
    // It exits with 1 when a test fails; the report tells which.
    await promisify(execFile)(process.execPath, [program, ...args], { cwd: thisSource }).catch(() => {});
    const report = JSON.parse(readFileSync(output, 'utf8')) as Report;
    const tests = report.testResults.flatMap(({ assertionResults }) => assertionResults);
    const passed = tests.filter(({ status }) => status === 'passed').length;
    none(
      `tests that failed in ${what}`,
      tests.filter(({ status }) => status === 'failed').map(({ fullName }) => fullName),
    );
    exactly(
      'files of it that could not be run',
      files.length - report.testResults.filter((one) => one.assertionResults.length > 0).length,
      0,
    );
    tell('of it passed', passed);
  };

interface Report {
  testResults: { assertionResults: { status: string; fullName: string }[] }[];
}
