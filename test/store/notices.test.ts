// The outbox: a notice and its deliveries are written with the event, keep their order, and fold.
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Channel, News, Store } from '../../server/engine/ports.ts';
import { openStore } from '../harness/engine/store.ts';
import { removeFolder, temporaryFolder } from '../harness/treasury.ts';

const minute = 60_000;
const day = 1_440 * minute;
const start = Date.parse('2030-01-01T00:00:00Z');

let folder = '';
let store: Store;
beforeEach(() => {
  folder = temporaryFolder();
  store = openStore(join(folder, 'treasury.db'), () => start);
});
afterEach(() => {
  store.close();
  removeFolder(folder);
});

const channel = (id: string, more: Partial<Channel> = {}): Channel => ({
  id,
  name: id,
  place: { kind: 'webhook', url: 'https://hooks.example.com/', allowPrivate: false },
  kinds: ['refused', 'approval', 'frozen', 'deposit'],
  createdAt: start,
  hasPhoneLinks: false,
  removedAt: null,
  ...more,
});
const putChannel = (one: Channel): void => store.atomically(() => store.notices.channels.put(one));
const news = (more: Partial<News> = {}): News => ({
  kind: 'refused',
  agentId: 'scout',
  subject: null,
  title: 'Refused',
  text: 'Too much.',
  ...more,
});
const add = (more: Partial<News>, at: number, latestAt?: number): void =>
  store.atomically(() =>
    store.notices.add(news(more), { at, ...(latestAt === undefined ? {} : { latestAt }) }),
  );
const next = (channelId: string, now: number) => store.notices.next(channelId, now)?.notice;
const deliver = (channelId: string, now: number): string => {
  const notice = next(channelId, now);
  if (notice === undefined) return 'none';
  store.atomically(() =>
    store.notices.end(notice.seq, channelId, { state: 'delivered', answer: '200', at: now }),
  );
  return `${notice.kind} ${notice.agentId ?? '-'} ${notice.count}`;
};
const all = () => store.notices.list({ before: null, limit: 100, failed: false });

describe('a notice', () => {
  it('is written with its event, or not at all', () => {
    putChannel(channel('a'));
    expect(() =>
      store.atomically(() => {
        store.notices.add(news(), { at: start });
        throw new Error('the event did not happen');
      }),
    ).toThrow('did not happen');
    expect(all()).toEqual([]);
    add({}, start);
    expect(all()).toHaveLength(1);
  });

  it('is not written when no channel wants its kind', () => {
    putChannel(channel('a'));
    add({ kind: 'linked' }, start);
    expect([store.notices.isWanted('linked'), store.notices.isWanted('refused'), all()]).toEqual([
      false,
      true,
      [],
    ]);
  });

  it('has one id for all its channels, and goes only to those that want it', () => {
    for (const id of ['a', 'b']) putChannel(channel(id));
    putChannel(channel('c', { kinds: ['deposit'] }));
    add({}, start);
    expect(all()[0]?.deliveries.map(({ channelId }) => channelId)).toEqual(['a', 'b']);
    expect(next('a', start)?.id).toBe(next('b', start)?.id);
    expect(next('c', start)).toBeUndefined();
  });

  it('is written once under an id of its own', () => {
    putChannel(channel('a'));
    for (const at of [start, start + minute])
      store.atomically(() => store.notices.add(news({ kind: 'frozen', agentId: null }), { at, id: 'ntc_1' }));
    expect(all().map(({ id }) => id)).toEqual(['ntc_1']);
  });
});

describe('a channel', () => {
  it('gets its notices in their order, but a freeze before all others', () => {
    putChannel(channel('a'));
    add({ agentId: 'one' }, start);
    add({ agentId: 'two' }, start + 1);
    add({ kind: 'frozen', agentId: null }, start + 2);
    expect([1, 2, 3, 4].map(() => deliver('a', start + minute))).toEqual([
      'frozen - 1',
      'refused one 1',
      'refused two 1',
      'none',
    ]);
  });

  it('gets nothing before what it could not be told', () => {
    putChannel(channel('a'));
    putChannel(channel('b'));
    add({ agentId: 'one' }, start);
    add({ agentId: 'two' }, start + 1);
    const first = next('a', start + 1);
    store.atomically(() =>
      store.notices.tried(first?.seq ?? 0, 'a', { answer: 'HTTP 500', nextAt: start + 5_000 }),
    );
    expect(store.notices.next('a', start + 1)).toMatchObject({
      notice: { agentId: 'one' },
      delivery: { attempts: 1, nextAt: start + 5_000, answer: 'HTTP 500', state: 'waiting' },
    });
    expect([deliver('b', start + 1), deliver('b', start + 1)]).toEqual(['refused one 1', 'refused two 1']);
  });

  it('is tried at once for all that it missed, once it takes one notice again', () => {
    putChannel(channel('a'));
    add({ agentId: 'one' }, start);
    const one = next('a', start);
    store.atomically(() => store.notices.tried(one?.seq ?? 0, 'a', { answer: 'no', nextAt: start + day }));
    add({ kind: 'frozen', agentId: null }, start + 1);
    expect(deliver('a', start + 2)).toBe('frozen - 1');
    expect(store.notices.next('a', start + 2)?.delivery.nextAt).toBe(start + 2);
  });

  it('fails what waits for it when it is removed, and takes no more', () => {
    putChannel(channel('a'));
    add({}, start);
    store.atomically(() => store.notices.channels.remove('a', start + 1));
    expect(all()[0]?.deliveries).toMatchObject([{ state: 'failed', answer: 'The channel was removed.' }]);
    add({ agentId: 'other' }, start + 2);
    expect(all()).toHaveLength(1);
    expect(store.journal.verifyRules()).toBeNull();
  });
});

describe('equal kinds', () => {
  it('fold for each agent: the first is told at once, those of ten minutes once, with their number', () => {
    putChannel(channel('a'));
    for (let n = 0; n < 500; n += 1) add({}, start + n * 1_000);
    add({ agentId: 'other' }, start + 1_000);
    expect(deliver('a', start)).toBe('refused scout 1');
    expect([deliver('a', start + 9 * minute), deliver('a', start + 9 * minute)]).toEqual([
      'refused other 1',
      'none',
    ]);
    expect(store.notices.nextDue('a')).toBe(start + 10 * minute);
    expect(deliver('a', start + 10 * minute)).toBe('refused scout 499');
    add({}, start + 30 * minute);
    expect(deliver('a', start + 30 * minute)).toBe('refused scout 1');
  });

  it('are never folded into a notice that was sent, even if the clock is set back', () => {
    putChannel(channel('a'));
    add({}, start);
    const sent = next('a', start);
    store.atomically(() => store.notices.tried(sent?.seq ?? 0, 'a', { answer: 'no', nextAt: start }));
    add({}, start - minute);
    expect(all().map(({ count }) => count)).toEqual([1, 1]);
  });

  it('are not delayed beyond the time until which they have to be told', () => {
    putChannel(channel('a'));
    add({ kind: 'approval' }, start, start + 5 * minute);
    add({ kind: 'approval' }, start + 1, start + 8 * minute);
    add({ kind: 'approval' }, start + 2, start + 3 * minute);
    expect(deliver('a', start + 2)).toBe('approval scout 1');
    expect(deliver('a', start + 3 * minute - 1)).toBe('none');
    expect(deliver('a', start + 3 * minute)).toBe('approval scout 2');
  });

  it('are told one by one where they are freezes', () => {
    putChannel(channel('a'));
    for (const at of [start, start + 1]) add({ kind: 'frozen', agentId: null }, at);
    expect([deliver('a', start + 1), deliver('a', start + 1)]).toEqual(['frozen - 1', 'frozen - 1']);
  });
});

const failOne = (): void => {
  const notice = next('a', start + day);
  store.atomically(() =>
    store.notices.end(notice?.seq ?? 0, 'a', { state: 'failed', answer: 'HTTP 500', at: start + day }),
  );
};
const agents = (found: { agentId: string | null }[]) => found.map(({ agentId }) => agentId);

describe('the history', () => {
  it('lists the newest first, and failures alone where they are asked for', () => {
    putChannel(channel('a'));
    for (const [index, agentId] of ['one', 'two', 'three'].entries()) add({ agentId }, start + index);
    failOne();
    expect(agents(all())).toEqual(['three', 'two', 'one']);
    const [newest] = all();
    const older = store.notices.list({ before: newest?.seq ?? 0, limit: 1, failed: false });
    expect(agents(older)).toEqual(['two']);
    expect(agents(store.notices.list({ before: null, limit: 10, failed: true }))).toEqual(['one']);
  });

  it('lets a failed notice be tried for another day, under its id', () => {
    putChannel(channel('a'));
    add({}, start);
    const id = next('a', start)?.id ?? '';
    failOne();
    expect(next('a', start + 2 * day)).toBeUndefined();
    store.atomically(() => store.notices.retry(store.notices.get(id)?.seq ?? 0, start + 2 * day));
    expect(store.notices.next('a', start + 2 * day)).toMatchObject({
      notice: { id },
      delivery: { nextAt: start + 2 * day, untilAt: start + 3 * day },
    });
  });

  it('forgets what is older than 30 days, and nothing that still waits before that', () => {
    putChannel(channel('a'));
    add({ agentId: 'one' }, start);
    add({ agentId: 'two' }, start + 29 * day);
    store.atomically(() => store.notices.prune(start + 29 * day));
    expect(all()).toHaveLength(2);
    store.atomically(() => store.notices.prune(start + 31 * day));
    expect(all().map(({ agentId }) => agentId)).toEqual(['two']);
  });

  it('keeps the newest 10,000 of those that wait for nothing', () => {
    putChannel(channel('a'));
    add({ agentId: 'waits' }, start);
    store.atomically(() => {
      for (let n = 0; n < 10_050; n += 1) {
        store.notices.add(news({ agentId: `agent-${n}` }), { at: start });
        store.notices.end(n + 2, 'a', { state: 'delivered', answer: '', at: start });
      }
      store.notices.prune(start);
    });
    const oldest = store.notices.list({ before: 53, limit: 100, failed: false });
    expect(oldest.map(({ agentId }) => agentId)).toEqual(['agent-50', 'waits']);
  });
});

it('the low balance is 1 USDC, until the owner says otherwise for all agents or for one', () => {
  const { notices } = store;
  const both = () => [notices.lowBalance(null), notices.lowBalance('scout')];
  const set = (agentId: string | null, limit: bigint | null | undefined): void =>
    store.atomically(() => notices.setLowBalance(agentId, limit as never));
  expect(both()).toEqual([1_000_000n, 1_000_000n]);
  set('scout', 5n);
  set(null, null);
  expect(both()).toEqual([null, 5n]);
  set('scout', null);
  set(null, 7n);
  expect(both()).toEqual([7n, null]);
  set('scout', undefined);
  expect(both()).toEqual([7n, 7n]);
});
