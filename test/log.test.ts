// The log of a process outlives the file that it writes to.
import { existsSync } from 'node:fs';
import { expect, it } from 'vitest';
import { createLog } from '../server/log.ts';

const fullDisk = '/dev/full';

it.skipIf(!existsSync(fullDisk))('a full disk costs lines, and throws nothing (Linux alone)', () => {
  const log = createLog('info', fullDisk);
  for (const text of ['first', 'second']) log.warn(text);
  expect(log.recent().map((line) => JSON.parse(line).msg)).toEqual(['first', 'second']);
});
