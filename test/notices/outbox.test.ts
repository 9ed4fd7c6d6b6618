// Deliveries under a clock that the test moves: in order, again after growing waits, for 24 hours, and no channel waits for
// another; and the outcome of each answer of an endpoint.
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { NoticeKind } from '../../server/contract/notices/notices.ts';
import type { Channel, Store } from '../../server/engine/ports.ts';
import { createLog } from '../../server/log.ts';
import type { Message } from '../../server/notices/message.ts';
import { createOutbox, type Outbox } from '../../server/notices/outbox.ts';
import { type Outcome, outcomeOf } from '../../server/notices/outcome.ts';
import { openStore } from '../harness/engine/store.ts';
import { removeFolder, temporaryFolder, until } from '../harness/treasury.ts';

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;
const start = Date.parse('2030-01-01T00:00:00Z');

let folder = '';
let store: Store;
let outbox: Outbox;
let now = start;
let sent: { channel: string; message: Message }[] = [];
/** The outcome of each channel's next attempts. */
let outcomes: Record<string, Outcome | Promise<Outcome>> = {};

const taken: Outcome = { kind: 'delivered', answer: 'HTTP 200' };
const broken: Outcome = { kind: 'failed', answer: 'HTTP 500' };

beforeEach(() => {
  [now, sent, outcomes] = [start, [], {}];
  folder = temporaryFolder();
  store = openStore(join(folder, 'treasury.db'), () => now);
  outbox = createOutbox({
    store,
    now: () => now,
    changed: () => {},
    log: createLog('silent'),
    phoneLinks: () => ({ approve: 'solana:one', deny: 'solana:two' }),
    send: async ({ id }, message) => {
      sent.push({ channel: id, message });
      return outcomes[id] ?? taken;
    },
  });
});
afterEach(async () => {
  await outbox.close();
  store.close();
  removeFolder(folder);
});

const addChannel = (id: string, hasPhoneLinks = false): void => {
  const channel: Channel = {
    id,
    name: id,
    place: { kind: 'desktop' },
    kinds: ['refused', 'frozen', 'halted', 'approval'],
    createdAt: now,
    hasPhoneLinks,
    removedAt: null,
  };
  store.atomically(() => store.notices.channels.put(channel));
};
const add = (agentId: string | null, kind: NoticeKind = 'refused'): void =>
  store.atomically(() =>
    store.notices.add({ kind, agentId, subject: null, title: 'T', text: 'A sentence.' }, { at: now }),
  );
const toldTo = (channel: string): string[] =>
  sent
    .filter((one) => one.channel === channel)
    .map(({ message: { kind, agentId } }) => `${kind} ${agentId ?? '-'}`);
const textOn = (channel: string, kind: NoticeKind) =>
  sent.find((one) => one.channel === channel && one.message.kind === kind)?.message.text;
const deliveries = (failed = false) =>
  store.notices.list({ before: null, limit: 100, failed }).flatMap((one) => one.deliveries);

/** Lets the time pass in steps, as the timers of the outbox would see it. */
const pass = async (ms: number, step: number): Promise<void> => {
  for (const end = now + ms; now < end;) {
    now = Math.min(end, now + step);
    await outbox.look();
  }
};

describe('the outbox', () => {
  it('delivers each notice once where it is taken, in order, and a freeze first', async () => {
    addChannel('a');
    for (const agentId of ['one', 'two']) add(agentId);
    add(null, 'frozen');
    await outbox.look();
    await pass(hour, minute);
    expect(toldTo('a')).toEqual(['frozen -', 'refused one', 'refused two']);
  });

  it('tries again after waits that grow from seconds to an hour, with the same id, and goes on in order', async () => {
    addChannel('a');
    outcomes['a'] = broken;
    add('one');
    add('two');
    await outbox.look();
    let at = 0;
    for (const [n, second] of [5, 20, 65, 200, 605, 1_820, 5_420, 9_020, 12_620, 16_220, 19_820].entries()) {
      await pass((second - 1 - at) * 1_000, minute);
      expect([second, sent.length]).toEqual([second, n + 1]);
      await pass(1_000, 1_000);
      expect([second, sent.length]).toEqual([second, n + 2]);
      at = second;
    }
    expect(new Set(toldTo('a'))).toEqual(new Set(['refused one']));
    expect(new Set(sent.map(({ message }) => message.id)).size).toBe(1);
    outcomes['a'] = taken;
    await pass(hour, minute);
    expect(toldTo('a').slice(-2)).toEqual(['refused one', 'refused two']);
    expect(deliveries().map(({ state }) => state)).toEqual(['delivered', 'delivered']);
  });

  it('loses nothing while an endpoint answers again within 24 hours', async () => {
    addChannel('a');
    outcomes['a'] = broken;
    for (const agentId of ['one', 'two', 'three']) add(agentId);
    await pass(23 * hour, 10 * minute);
    expect(deliveries().map(({ state }) => state)).toEqual(['waiting', 'waiting', 'waiting']);
    outcomes['a'] = taken;
    await pass(hour, 10 * minute);
    expect(deliveries().map(({ state }) => state)).toEqual(['delivered', 'delivered', 'delivered']);
  });

  it('fails, where it can be seen, what an endpoint refused for a day, and still tries what came later', async () => {
    addChannel('a');
    outcomes['a'] = broken;
    add('one');
    await pass(12 * hour, 10 * minute);
    add('two');
    await pass(13 * hour, 10 * minute);
    expect(store.notices.list({ before: null, limit: 10, failed: true })).toMatchObject([
      { agentId: 'one', deliveries: [{ state: 'failed', answer: 'HTTP 500' }] },
    ]);
    expect(toldTo('a')).toContain('refused two');
    await pass(day, 10 * minute);
    expect(deliveries().map(({ state }) => state)).toEqual(['failed', 'failed']);
    const tries = sent.length;
    await pass(day, hour);
    expect(sent).toHaveLength(tries);
  });

  it('ends at once what an endpoint will never take', async () => {
    addChannel('a');
    outcomes['a'] = { kind: 'refused', answer: 'HTTP 404' };
    add('one');
    await outbox.look();
    await pass(day, hour);
    expect(sent).toHaveLength(1);
    expect(deliveries()).toMatchObject([{ state: 'failed', answer: 'HTTP 404', attempts: 1 }]);
  });

  it('lets no channel wait for another whose endpoint is dead or never answers', async () => {
    // In the order of their ids: the good one comes last.
    for (const id of ['a-dead', 'a-silent', 'good']) addChannel(id);
    const answer = Promise.withResolvers<Outcome>();
    outcomes = { 'a-dead': broken, 'a-silent': answer.promise };
    add('one');
    await until('the first', () => toldTo('good').length === 1);
    add('two');
    await until('the second', () => toldTo('good').length === 2);
    expect([toldTo('a-silent'), toldTo('good')]).toEqual([['refused one'], ['refused one', 'refused two']]);
    answer.resolve(taken);
  });

  it('holds a channel whose secret is locked, without an attempt, until it is unlocked', async () => {
    addChannel('a');
    outcomes['a'] = { kind: 'locked' };
    add('one');
    await outbox.look();
    await pass(2 * day, hour);
    expect(sent).toHaveLength(1);
    expect(deliveries()).toMatchObject([{ state: 'waiting', attempts: 0 }]);
    outcomes['a'] = taken;
    outbox.unlocked();
    await outbox.look();
    expect(deliveries()).toMatchObject([{ state: 'delivered' }]);
  });

  it('does not hold a channel that is unlocked while its secret is asked for', async () => {
    addChannel('a');
    const answer = Promise.withResolvers<Outcome>();
    outcomes['a'] = answer.promise;
    add('one');
    await until('the attempt', () => sent.length === 1);
    outbox.unlocked();
    outcomes['a'] = taken;
    answer.resolve({ kind: 'locked' });
    await until('the delivery', () => deliveries()[0]?.state === 'delivered');
  });

  it('tells nothing before its commit is on disk', async () => {
    addChannel('a');
    await outbox.look();
    const { durable } = store.grouped(() =>
      store.notices.add(
        { kind: 'refused', agentId: 'one', subject: null, title: 'T', text: 'S' },
        { at: now },
      ),
    );
    let isOnDisk = false;
    void durable.then(() => (isOnDisk = true));
    const looking = outbox.look();
    expect([isOnDisk, sent.length]).toEqual([false, 0]);
    await looking;
    expect([isOnDisk, toldTo('a')]).toEqual([true, ['refused one']]);
  });

  it('wakes by itself for a new notice', async () => {
    addChannel('a');
    add('one');
    await until('the notice', () => sent.length === 1);
  });

  it('carries an approval’s links for a phone only on a channel that the owner marked for it', async () => {
    addChannel('marked', true);
    addChannel('plain');
    const approval = { kind: 'approval', agentId: 'a', title: 'T', text: 'A sentence.' } as const;
    store.atomically(() => store.notices.add({ ...approval, subject: 'apr_1' }, { at: now }));
    store.atomically(() =>
      store.notices.add({ ...approval, kind: 'refused', subject: 'pay_1' }, { at: now }),
    );
    await outbox.look();
    expect(textOn('marked', 'approval')).toBe(
      'A sentence.\nApprove from your phone: solana:one\nDecline from your phone: solana:two',
    );
    for (const text of [textOn('plain', 'approval'), textOn('marked', 'refused')])
      expect(text).toBe('A sentence.');
  });

  it('says how many events a notice tells of', async () => {
    addChannel('a');
    for (let n = 0; n < 4; n += 1) add('one');
    await outbox.look();
    await pass(20 * minute, minute);
    expect(sent.map(({ message }) => [message.count, message.text])).toEqual([
      [1, 'A sentence.'],
      [3, 'A sentence. 2 more of this kind followed.'],
    ]);
  });

  it('tells from memory what the records do not take, to the channels that want it', async () => {
    addChannel('a');
    await outbox.look();
    store.close();
    outbox.tell(
      { kind: 'halted', agentId: null, subject: null, title: 'Halted', text: 'The disk failed.' },
      'ntc_halt',
    );
    outbox.tell({ kind: 'linked', agentId: null, subject: null, title: 'Not wanted', text: '' }, 'ntc_other');
    await until('the halt', () => sent.length === 1);
    expect(sent[0]).toMatchObject({ channel: 'a', message: { id: 'ntc_halt', title: 'Halted' } });
    store = openStore(join(folder, 'treasury.db'), () => now);
  });
});

describe('the outcome of an endpoint’s answer', () => {
  it.each([
    ['delivered', [200, 201, 202, 204, 299]],
    ['refused', [400, 401, 403, 404, 405, 410, 413, 422, 451, 499]],
    ['failed', [100, 301, 302, 307, 308, 408, 429, 500, 502, 503, 504, 599]],
  ] as const)('is %s for %j', (kind, statuses) => {
    for (const status of statuses)
      expect(outcomeOf({ status, bytes: Buffer.from('') })).toEqual({ kind, answer: `HTTP ${status}` });
  });

  it('hides the secret that the endpoint was sent, and cuts its words', () => {
    const bytes = Buffer.from(`who is tk_hidden?\n${'so long '.repeat(100)}`);
    const outcome = outcomeOf({ status: 401, bytes }, 'tk_hidden');
    expect(outcome).toMatchObject({
      kind: 'refused',
      answer: expect.stringMatching(/^HTTP 401: who is hidden \?/),
    });
    expect('answer' in outcome && outcome.answer.length).toBeLessThan(160);
  });
});
