// Answers and their files are kept for a day, whether or not their clients have received them.
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { createKept } from '../../server/engine/purchase/kept.ts';
import { createRoom } from '../../server/engine/purchase/room.ts';
import type { AnswerFiles, Store } from '../../server/engine/ports.ts';
import { createTime, wholeClock } from '../../server/engine/domain/time.ts';
import { createLog } from '../../server/log.ts';
import { createAnswerFiles } from '../../server/store/answers/answer-files.ts';
import { useFolders } from '../harness/folders.ts';
import { reservedPayment } from '../harness/payment-row.ts';
import { openStore } from '../harness/store.ts';

const day = 86_400_000;
const hour = 3_600_000;
const start = Date.UTC(2026, 0, 1);
const newFolder = useFolders();
const log = createLog('silent');
let folder: string;
let store: Store;
let files: AnswerFiles;
let now: number;

const keep = async (id: string, at: number, receivedAt: number | null): Promise<void> => {
  const draft = files.draft(id);
  await draft.write(Buffer.from('sun'));
  await draft.keep();
  store.atomically(() => {
    const row = { id, agentId: 'a', walletIndex: 1, wallet: 'wallet', amount: 1n, createdAt: at };
    store.transfers.insert(reservedPayment(row));
    const answer = { transferId: id, agentId: 'a', status: 200, headers: {}, bytes: 3, at, receivedAt };
    store.answers.keep({ ...answer, encoding: 'utf8' });
  });
};
beforeEach(() => {
  folder = newFolder();
  now = start;
  store = openStore(join(folder, 't.db'), () => now);
  const agent = { agentId: 'a', displayName: 'a', status: 'active', statusReason: null } as const;
  store.atomically(() => store.agents.insert({ ...agent, createdAt: 1, archivedAt: null }, () => 'wallet'));
  files = createAnswerFiles({
    folder: join(folder, 'answers'),
    syncFolder: () => Promise.resolve(),
    turn: () => Promise.resolve(),
  });
});
afterEach(() => {
  vi.useRealTimers();
  store.close();
});

it('are removed with their files when they are older than 24 hours, and not before', async () => {
  await keep('pay_older', start - 1, null);
  await keep('pay_day', start, null);
  await keep('pay_had', start, start + 1);
  await keep('pay_new', start + day - hour, null);
  now = start + day;
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
  const time = createTime(wholeClock({ wall: () => now, monotonic: () => now }), store.newestTime);
  const context = { store, time, log };
  const kept = createKept(context, files, createRoom(context, files));
  kept.start();
  await vi.advanceTimersByTimeAsync(2 * hour);
  await kept.stop();
  expect(readdirSync(join(folder, 'answers')).toSorted()).toEqual(['pay_day', 'pay_had', 'pay_new']);
  expect(store.answers.get('pay_older')).toBeUndefined();
  expect(kept.of('pay_older')).toBeUndefined();
  expect(kept.of('pay_day')).toMatchObject({ status: 200, body: { bytes: 3 } });
  expect(store.answers.sum('a')).toBe(9);
});
