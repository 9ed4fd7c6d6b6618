// `npm test [vitest's arguments]`: prepares the tools, runs vitest, lists skipped tests, and counts.
import { spawnSync } from 'node:child_process';
import { chmodSync, constants, mkdtempSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import process from 'node:process';
import { parseCLI, startVitest, type TestCase, type TestModule, type TestState } from 'vitest/node';
import { describeMissing, ensureTestTools, isAllowed } from './setup.ts';
import { bugsCaughtByTests } from '../test/lab/campaign/bugs/caught-by-tests.ts';
import { reachedTests } from './reach.ts';
import { keepTimes } from './test-times.ts';

const print = (line: string): void => {
  process.stdout.write(`${line}\n`);
};

// Each file of tests and each program that it starts is a process of its own: with its modules compiled beforehand, a host
// starts at half the cost.
process.env['NODE_COMPILE_CACHE'] ??= fileURLToPath(new URL('out/compile-cache', import.meta.url));

/**
 * A folder in memory, where the system has one with room that programs can be started from. A treasury waits for the disk at
 * each commit, and what else the machine does would decide how long the tests take. Null elsewhere, and where TMPDIR names
 * another place.
 */
const folderInMemory = (): string | null => {
  const memory = '/dev/shm';
  if (process.env['TMPDIR'] !== undefined || !isAllowed(memory, constants.W_OK)) return null;
  const { bavail, bsize } = statfsSync(memory);
  if (bavail * bsize < 4 * 2 ** 30) return null;
  const folder = mkdtempSync(join(memory, 'treasury-tests-'));
  // As in the usual folder, other users may pass through: one test has an owner who is another user.
  chmodSync(folder, 0o711);
  const program = join(folder, 'program');
  writeFileSync(program, '#!/bin/sh\n', { mode: 0o700 });
  if (spawnSync(program).status === 0) return folder;
  rmSync(folder, { recursive: true });
  return null;
};

/** Lets the tests work there, and gives the memory back at the end. */
const workIn = (folder: string): void => {
  process.env['TMPDIR'] = folder;
  // A program that a test started may still be writing there.
  process.on('exit', () => rmSync(folder, { recursive: true, force: true, maxRetries: 10 }));
  // Vite exits by itself at the other signals.
  process.once('SIGHUP', () => process.exit(129));
};

const run = async (): Promise<void> => {
  const temporary = folderInMemory();
  if (temporary !== null) workIn(temporary);
  for (const tool of await ensureTestTools()) print(describeMissing(tool));

  const { filter: given, options } = parseCLI(['vitest', 'run', ...process.argv.slice(2)]);
  const reached = options.changed ? reachedTests() : null;
  if (reached?.length === 0) return print('no test can be reached by what differs from the last commit');
  const filter = [...given, ...(reached ?? [])];
  delete options.changed;
  const config = fileURLToPath(new URL('vitest.config.ts', import.meta.url));
  const vitest = await startVitest('test', filter, { config, ...options, watch: false });
  const modules = vitest.state.getTestModules();
  const unhandled = vitest.state.getUnhandledErrors().length;
  await vitest.close();

  const tests = modules.flatMap((testModule) => [...testModule.children.allTests()]);
  const inState = (state: TestState): TestCase[] => tests.filter((test) => test.result().state === state);
  // A file that fails to load has no failed tests, but must not look as if all were well.
  const broken = modules.filter((testModule) => testModule.errors().length > 0);
  const isWhole = filter.length === 0 && !options.testNamePattern;
  const untied = isWhole ? bugsWithoutTest(tests) : [];
  for (const bug of untied) print(`planted bug whose test does not exist: ${bug}`);
  const failed = inState('failed').length + broken.length + unhandled + untied.length;
  if (failed > 0) process.exitCode ||= 1;

  // Tests that `-t` excludes are not listed.
  if (!options.testNamePattern)
    for (const test of inState('skipped')) print(`skipped: ${test.fullName}${reasonOf(test)}`);
  for (const { relativeModuleId } of broken) print(`failed to load: ${relativeModuleId}`);
  if (unhandled > 0) print(`failed outside any test: ${unhandled}`);
  if (isWhole) {
    const times = modules.map((one): [string, number] => [one.relativeModuleId, timeOf(one)]);
    const { slowest, newlyLong } = keepTimes(times);
    for (const [file, seconds] of slowest) print(`slowest: ${file}, ${seconds} s`);
    for (const [file, seconds] of newlyLong) print(`newly over 15 s: ${file}, ${seconds} s`);
  }
  const closing = `${inState('passed').length} passed, ${failed} failed, ${inState('skipped').length} skipped\n`;
  // Exit even if a test left a handle open.
  process.stdout.write(closing, () => process.exit());
};

/** The campaign would run nothing for such a bug. */
const bugsWithoutTest = (tests: readonly TestCase[]): string[] => {
  const titles = tests.map((test) => ({
    file: test.module.relativeModuleId,
    title: test.fullName.replaceAll(' > ', ' '),
  }));
  return bugsCaughtByTests
    .filter((bug) => !titles.some(({ file, title }) => file === bug.file && title.includes(bug.title)))
    .map(({ name, file, title }) => `${name} (${file}, ${title})`);
};

const timeOf = (testModule: TestModule): number => {
  const { collectDuration, setupDuration, duration } = testModule.diagnostic();
  return collectDuration + setupDuration + duration;
};

const reasonOf = (test: TestCase): string => {
  const result = test.result();
  return result.state === 'skipped' && result.note ? ` (${result.note})` : '';
};

await run();
