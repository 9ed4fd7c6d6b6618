// The files of sellers' answers: a draft that breaks off while a piece of it is being written leaves nothing behind, and
// a whole answer is kept for a day, whether or not its client has received it.
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { createTime, wholeClock } from '../../server/engine/domain/time.ts';
import type { AnswerFiles } from '../../server/engine/ports.ts';
import { createKept } from '../../server/engine/purchase/kept.ts';
import { createRoom } from '../../server/engine/purchase/room.ts';
import { createLog } from '../../server/log.ts';
import { createAnswerFiles } from '../../server/store/answers/answer-files.ts';
import { useFolders } from '../harness/folders.ts';
import { paymentOf, storeWithAgent } from './store-with-agent.ts';

const newFolder = useFolders();
let folder: string;
let files: AnswerFiles;
beforeEach(() => {
  folder = newFolder();
  files = createAnswerFiles({
    folder: join(folder, 'answers'),
    syncFolder: () => Promise.resolve(),
    turn: () => Promise.resolve(),
  });
});
afterEach(() => void vi.useRealTimers());

const left = (): string[] => readdirSync(join(folder, 'answers')).toSorted();
const piece = Buffer.alloc(100_000, 7);

it('is gone once it is discarded, whatever was being written', async () => {
  const many = Array.from({ length: 20 }, (_, n) => files.draft(`pay_${n}`));
  for (const draft of many) {
    const writing = draft.write(piece);
    await new Promise((resolve) => setImmediate(resolve));
    const discarding = draft.discard();
    await Promise.all([writing, discarding, draft.write(piece)]);
  }
  expect(left()).toEqual([]);
});

it('keeps pieces that were written at once in their order', async () => {
  const draft = files.draft('pay_1');
  await Promise.all([1, 2, 3].map((byte) => draft.write(Buffer.alloc(70_000, byte))));
  await draft.keep();
  const pieces: Buffer[] = [];
  for await (const one of draft.body().read()) pieces.push(one);
  expect(Buffer.concat(pieces)).toEqual(Buffer.concat([1, 2, 3].map((byte) => Buffer.alloc(70_000, byte))));
});

it('answers are removed with their files when they are older than 24 hours, and not before', async () => {
  const [hour, day] = [3_600_000, 86_400_000];
  const start = Date.UTC(2026, 0, 1);
  let now = start;
  const store = storeWithAgent(join(folder, 't.db'), () => now);
  const keep = async (id: string, at: number, receivedAt: number | null): Promise<void> => {
    const draft = files.draft(id);
    await draft.write(Buffer.from('sun'));
    await draft.keep();
    store.atomically(() => {
      store.transfers.insert(paymentOf(id, { createdAt: at }));
      const answer = { transferId: id, agentId: 'a', status: 200, headers: {}, bytes: 3, at, receivedAt };
      store.answers.keep({ ...answer, encoding: 'utf8' });
    });
  };
  await keep('pay_older', start - 1, null);
  await keep('pay_day', start, null);
  await keep('pay_had', start, start + 1);
  await keep('pay_new', start + day - hour, null);
  now = start + day;
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
  const time = createTime(wholeClock({ wall: () => now, monotonic: () => now }), store.newestTime);
  const context = { store, time, log: createLog('silent') };
  const kept = createKept(context, files, createRoom(context, files));
  kept.start();
  await vi.advanceTimersByTimeAsync(2 * hour);
  await kept.stop();
  expect(left()).toEqual(['pay_day', 'pay_had', 'pay_new']);
  expect(store.answers.get('pay_older')).toBeUndefined();
  expect(kept.of('pay_older')).toBeUndefined();
  expect(kept.of('pay_day')).toMatchObject({ status: 200, body: { bytes: 3 } });
  expect(store.answers.sum('a')).toBe(9);
  store.close();
});

it('keeps nobody waiting for room whose caller goes while room is being made', async () => {
  const store = storeWithAgent(join(folder, 't.db'));
  const room = createRoom({ store, log: createLog('silent') }, files);
  const all = 64 * 1024 * 1024;
  const { giveBack } = await room.take('a', all, new AbortController().signal);
  const caller = new AbortController();
  const waiting = room.take('a', 1, caller.signal);
  // Nothing could be removed; the wait for other answers begins after this turn.
  caller.abort();
  await expect(waiting).rejects.toMatchObject({ code: 'not_available' });
  giveBack();
  store.close();
});
