// Renaming over a file that another program has open, which Windows refuses for as long.
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { renameOver, renameOverLater } from '../../server/lib/files/rename-over.ts';
import { useFolders } from '../harness/folders.ts';

const folder = useFolders();

const twoFiles = () => {
  const [from, to] = [join(folder(), 'new'), join(folder(), 'old')];
  writeFileSync(from, 'new');
  writeFileSync(to, 'old');
  return { from, to };
};

/** Refuses so many times as Windows does, and then renames. */
const refusing = (code: string, times: number) => {
  let left = times;
  return (...[from, to]: Parameters<typeof renameSync>): void => {
    if (left > 0) {
      left -= 1;
      throw Object.assign(new Error('refused'), { code });
    }
    renameSync(from, to);
  };
};

describe.each([
  ['at once', async (...given: Parameters<typeof renameOver>) => renameOver(...given)],
  [
    'without blocking',
    (from: string, to: string, how: NonNullable<Parameters<typeof renameOver>[2]>) =>
      renameOverLater(from, to, { ...how, renames: async (...paths) => how.renames(...paths) }),
  ],
] as const)('a file renamed over another %s', (_, rename) => {
  it.each(['EPERM', 'EACCES', 'EBUSY'])('is tried again after %s on Windows', async (code) => {
    const { from, to } = twoFiles();
    await rename(from, to, { platform: 'win32', renames: refusing(code, 3) });
    expect(readFileSync(to, 'utf8')).toBe('new');
    expect(existsSync(from)).toBe(false);
  });

  it.each([
    ['EPERM', 'linux'],
    ['ENOENT', 'win32'],
  ] as const)('is not tried again after %s on %s', async (code, platform) => {
    const { from, to } = twoFiles();
    await expect(rename(from, to, { platform, renames: refusing(code, 1) })).rejects.toThrow('refused');
    expect(readFileSync(to, 'utf8')).toBe('old');
  });

  it('is given up in the end, with both files as they were', async () => {
    const { from, to } = twoFiles();
    const renames = refusing('EBUSY', Infinity);
    await expect(rename(from, to, { platform: 'win32', renames })).rejects.toThrow('refused');
    expect([readFileSync(from, 'utf8'), readFileSync(to, 'utf8')]).toEqual(['new', 'old']);
  });
});
