// The activity's filters in the address, its list kept live, and one transfer's story.
import { describe, expect, it } from 'vitest';
import { explorerUrl } from '../../renderer/screens/activity/explorer.ts';
import {
  filtersOf,
  mayShow,
  queryOf,
  searchOf,
  type Entry,
} from '../../renderer/screens/activity/filters.ts';
import { exchange, putOnTop } from '../../renderer/screens/activity/live-entries.ts';
import { stepsOf, type Transfer } from '../../renderer/screens/activity/steps.ts';

const entry = (cursor: number, more: Partial<Entry> = {}): Entry => ({
  id: `pay_${cursor}`,
  kind: 'payment',
  agentId: 'one',
  service: 'Weather',
  serviceId: 'weather',
  amount: '0.01',
  currency: 'USDC',
  status: 'confirmed',
  state: 'final',
  timestamp: '2026-01-02T03:04:05.000Z',
  payee: 'payee',
  description: '',
  txSignature: null,
  failure: null,
  counted: 0,
  note: null,
  cursor,
  ...more,
});
const cursors = (entries: readonly Entry[] | null): number[] | undefined =>
  entries?.map(({ cursor }) => cursor);

describe('the filters', () => {
  it('survive being written to an address and read back', () => {
    const filters = { agent: 'one', service: 'a&b=c', status: 'refused', from: '2026-01-02', q: 'a b?#' };
    expect(filtersOf(new URLSearchParams(new URLSearchParams(searchOf(filters)).toString()))).toEqual(
      filters,
    );
  });

  it('ignore nonsense in an address', () => {
    const search = new URLSearchParams({
      kind: 'theft',
      status: 'approved',
      from: 'yesterday',
      to: '2026-13-02',
      agent: ' ',
      q: 'x'.repeat(201),
      other: '1',
    });
    expect(filtersOf(search)).toEqual({});
  });

  it('translate to the treasury’s own names', () => {
    expect(queryOf({ agent: 'one', service: 'weather', q: 'x' })).toEqual({
      agentId: 'one',
      serviceId: 'weather',
      q: 'x',
    });
    // A day of this machine's own time zone, from its first to its last millisecond.
    const { from = '', to = '' } = queryOf({ from: '2026-01-02', to: '2026-01-02' });
    expect([new Date(from), new Date(to)]).toEqual([
      new Date(2026, 0, 2),
      new Date(2026, 0, 2, 23, 59, 59, 999),
    ]);
    expect(queryOf({ status: 'undelivered' })).toEqual({ status: 'confirmed' });
    expect(queryOf({ status: 'declined' })).toEqual({ status: 'denied' });
    // A settling transfer has one of several statuses, and is searched for in the last day.
    const now = Date.parse('2026-01-03T04:05:06.000Z');
    expect(queryOf({ status: 'settling' }, now)).toEqual({ from: '2026-01-02T04:05:06.000Z' });
    expect(Object.keys(queryOf({ status: 'settling', from: '2026-01-01' }, now))).toEqual(['from']);
  });

  it('admit an entry only when it fits all of them', () => {
    expect(mayShow(entry(1), { agent: 'one', status: 'paid', kind: 'payment', service: 'weather' })).toBe(
      true,
    );
    for (const filters of [{ agent: 'two' }, { status: 'failed' }, { kind: 'recall' }, { service: 'x' }]) {
      expect(mayShow(entry(1), filters)).toBe(false);
    }
  });
});

describe('the live list', () => {
  it('replaces changed entries in place, and drops entries that no longer fit the filters', () => {
    const changed = new Map([
      ['pay_2', entry(2, { status: 'failed' })],
      ['pay_1', entry(1, { agentId: 'two' })],
    ]);
    const list = exchange([entry(3), entry(2), entry(1)], changed, ({ agentId }) => agentId === 'one');
    expect(list.map(({ id, status }) => [id, status])).toEqual([
      ['pay_3', 'confirmed'],
      ['pay_2', 'failed'],
    ]);
  });

  it('puts new entries on top, each once, and keeps the older ones below', () => {
    const head = { entries: [entry(7), entry(6), entry(5)], next: 5 };
    const list = putOnTop([entry(5), entry(4), entry(3), entry(2)], head);
    expect(cursors(list)).toEqual([7, 6, 5, 4, 3, 2]);
  });

  it('starts over when entries would be missing in between', () => {
    const head = { entries: [entry(9), entry(8), entry(7)], next: 7 };
    expect(putOnTop([entry(3), entry(2)], head)).toBeNull();
  });

  it('goes by the range that the newest page covers, not by its length', () => {
    expect(cursors(putOnTop([entry(9), entry(2)], { entries: [entry(9)], next: 6 }))).toEqual([9, 2]);
    expect(putOnTop([entry(5), entry(2)], { entries: [entry(9)], next: 6 })).toBeNull();
    expect(putOnTop([], { entries: [], next: 6 })).toBeNull();
  });

  it('is the newest page alone when there is no other', () => {
    const head = { entries: [entry(6), entry(5)], next: null };
    expect(cursors(putOnTop([entry(5), entry(1)], head))).toEqual([6, 5]);
    expect(putOnTop([entry(5)], { entries: [], next: null })).toEqual([]);
  });
});

const at = (second: number): string => `2026-01-02T03:04:0${second}.000Z`;

const titles = (transfer: Pick<Transfer, 'state' | 'times'>): string[] =>
  stepsOf(transfer).map(({ title }) => title);

describe('the steps of a transfer', () => {
  const none = { reserved: null, signed: null, sent: null, seen: null, block: null, ended: null };
  it('are in the order in which they happen, although the chain’s clock differs', () => {
    const times = {
      asked: at(4),
      reserved: at(4),
      signed: at(5),
      sent: at(5),
      seen: at(6),
      block: at(3),
      ended: at(9),
    };
    expect(titles({ state: 'final', times })).toEqual([
      'Asked for',
      'Reserved',
      'Signed',
      'Sent to the network',
      'In a block',
      'Seen on the chain',
      'Final',
    ]);
  });

  it('end with the next step', () => {
    const steps = stepsOf({ state: 'awaiting_approval', times: { asked: at(1), ...none } });
    expect(steps.map(({ title, at: time }) => [title, time])).toEqual([
      ['Asked for', at(1)],
      ['Waiting for you', null],
    ]);
  });

  it('say of an unknown transfer that its amount stays reserved', () => {
    const times = { asked: at(1), ...none, reserved: at(1), signed: at(2), sent: at(2) };
    expect(stepsOf({ state: 'unknown', times }).at(-1)?.note).toContain('stays reserved');
  });
});

describe('the explorer’s link', () => {
  const signature = '5'.repeat(88);
  it('names the network, and does not exist on the sandbox', () => {
    expect(explorerUrl('mainnet', signature)).toBe(`https://explorer.solana.com/tx/${signature}`);
    expect(explorerUrl('devnet', signature)).toBe(
      `https://explorer.solana.com/tx/${signature}?cluster=devnet`,
    );
    expect(explorerUrl('sandbox', signature)).toBeNull();
  });

  it('is made only of a signature', () => {
    expect(explorerUrl('mainnet', `${signature}?x=<script>`)).toBeNull();
    expect(explorerUrl('mainnet', '../evil')).toBeNull();
  });
});
