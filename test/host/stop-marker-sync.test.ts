// A stop in the marker is on disk before anybody is told of it: written once, in place, and synced.
import type * as Fs from 'node:fs';
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, vi } from 'vitest';
import { openStopMarker } from '../../server/store/records/stop-marker.ts';
import { useFolders } from '../harness/folders.ts';

const calls = vi.hoisted((): string[] => []);
vi.mock('node:fs', async (original) => {
  const fs = await original<typeof Fs>();
  return {
    ...fs,
    writeSync(...args: [fd: number, bytes: Buffer, from: number, length: number, at: number]) {
      const [, , , length, at] = args;
      calls.push(`write ${length} at ${at}`);
      return fs.writeSync(...args);
    },
    fsyncSync(fd: number) {
      calls.push('sync');
      fs.fsyncSync(fd);
    },
  };
});

const newFolder = useFolders();
const emptyStore = () => {
  const values = new Map<string, string>();
  const meta = {
    get: (name: string) => values.get(name),
    set: (name: string, to: string) => void values.set(name, to),
  };
  return { meta, atomically: <T>(work: () => T): T => work() };
};

it('is written over what is there and synced when it is set, and when it is cleared', () => {
  const folder = newFolder();
  const store = emptyStore();
  const marker = openStopMarker(folder, store, Date.now);
  const file = join(folder, 'stop.marker');
  const { ino, size } = statSync(file);
  calls.length = 0;
  // A reason of any length and characters.
  marker.set({ since: 7, reason: '\u0000"é😀'.repeat(2_000) });
  expect(calls).toEqual([`write ${size} at 0`, 'sync']);
  expect(statSync(file)).toMatchObject({ ino, size });
  marker.close();

  const again = openStopMarker(folder, store, Date.now);
  expect(again.get()?.reason.startsWith('\u0000"é😀')).toBe(true);
  calls.length = 0;
  again.clear();
  expect([calls, again.get()]).toEqual([[`write ${size} at 0`, 'sync'], null]);
  expect(readFileSync(file, 'utf8').trim()).toBe('{"stop":null}');
  // Nothing is written when there is nothing to clear.
  again.clear();
  expect(calls).toHaveLength(2);
  again.close();
});

it('that cannot be made ends the start, with what to do', () => {
  const store = emptyStore();
  const opening = (): unknown => openStopMarker(join(newFolder(), 'missing'), store, Date.now);
  expect(opening).toThrow(/stop\.marker could not be written .*\(ENOENT\)\. Free space/);
  // The next start makes it, and does not treat it as lost.
  expect(store.meta.get('stop-marker')).toBeUndefined();
});
