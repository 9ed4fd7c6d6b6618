// A part of a gate that is a file of the suite itself.
import { join } from 'node:path';
import type { Sheet } from './gate.ts';
import { runTests } from './run-tests.ts';
import { thisSource } from './source-copy.ts';

/**
 * Its loops run at full length (`tries` of test/harness). The short size does not run it again: it is part of `npm
 * test`.
 */
export const suite =
  (...files: readonly string[]) =>
  async ({ short, stage, exactly, none, tell, skip }: Sheet): Promise<void> => {
    const what = files.join(', ');
    if (short) return skip(what, 'part of npm test itself');
    const ran = await runTests(thisSource, {
      files,
      output: join(stage.folder(), 'report.json'),
      env: { TREASURY_TESTS: 'large' },
    });
    none(`tests that failed in ${what}`, ran?.failed ?? ['vitest told nothing']);
    exactly('files of it that could not be run', ran?.empty ?? files.length, 0);
    tell('of it passed', ran?.passed ?? 0);
  };
