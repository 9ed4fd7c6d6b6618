// The log of a process outlives the file that it writes to.
import { existsSync } from 'node:fs';
import { devNull } from 'node:os';
import { expect, it } from 'vitest';
import { AppError } from '../server/errors.ts';
import { createLog } from '../server/log.ts';

const fullDisk = '/dev/full';

it.skipIf(!existsSync(fullDisk))('a full disk costs lines, and throws nothing (Linux alone)', () => {
  const log = createLog('info', fullDisk);
  for (const text of ['first', 'second']) log.warn(text);
  expect(log.recent().map((line) => JSON.parse(line).msg)).toEqual(['first', 'second']);
});

const failed = (why: string) => new AppError('chain_unreachable', why, {}, { cause: new Error('inside') });

it('a chain out of reach is logged without a stack, and once a minute for the same reason', () => {
  const log = createLog('info', devNull);
  for (const why of ['silent', 'silent', 'busy', 'silent'])
    log.child({ part: 'x' }).warn({ err: failed(why) }, 'the wallets could not be read now');
  log.warn({ err: failed('silent') }, 'open payments could not be looked up now');
  for (const _ of [1, 2])
    log.warn({ err: new Error('a fault of ours') }, 'the wallets could not be read now');
  const lines = log.recent().map((line) => JSON.parse(line));
  expect(lines.map(({ err }) => err.message)).toEqual([
    'silent',
    'busy',
    'silent',
    'a fault of ours',
    'a fault of ours',
  ]);
  expect(lines.map(({ err }) => err.stack !== undefined)).toEqual([false, false, false, true, true]);
});
