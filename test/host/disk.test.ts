// The disk that holds the records: its free space is what this program may still write.
import type * as Fs from 'node:fs';
import { afterEach, expect, it, vi } from 'vitest';
import { createDisk } from '../../server/host/disk.ts';

const system = vi.hoisted(() => ({ asked: [] as string[], bavail: 0 }));
vi.mock('node:fs', async (original) => ({
  ...(await original<typeof Fs>()),
  statfsSync(folder: string) {
    system.asked.push(folder);
    // Some blocks are reserved for the administrator.
    return { bsize: 4_096, blocks: 100_000, bfree: system.bavail + 5_000, bavail: system.bavail };
  },
}));
afterEach(() => void vi.useRealTimers());

it('reports the free space of unprivileged programs, read once a second at most', () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  const disk = createDisk('/records');
  system.bavail = 16_384;
  expect(disk.freeBytes()).toBe(64 * 1024 * 1024);
  system.bavail = 16_383;
  vi.advanceTimersByTime(999);
  expect(disk.freeBytes()).toBe(64 * 1024 * 1024);
  vi.advanceTimersByTime(1);
  expect(disk.freeBytes()).toBe(64 * 1024 * 1024 - 4_096);
  expect(system.asked).toEqual(['/records', '/records']);
});
