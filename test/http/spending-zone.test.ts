// Days in the owner's time zone, in the charts, the activity, its totals and the statement: the sums are those of the rows
// between the zone's own midnights.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  flowOf,
  isSpending,
  outcomeOf,
  outcomes,
  type Outcome,
} from '../../server/contract/payments/outcomes.ts';
import type { Reply } from '../../server/contract/schemas.ts';
import { spendingOf } from '../../server/engine/api/spending.ts';
import type { Purchase } from '../../server/engine/ports.ts';
import { localDays } from '../../server/lib/local-days.ts';
import { reservedPayment } from '../harness/engine/payment-row.ts';
import { live } from '../harness/life.ts';
import { openTreasury, until, type Treasury } from '../harness/treasury.ts';
import { checked, type Checked } from './contract/contract-client.ts';

let treasury: Treasury;
let client: Checked;
beforeAll(async () => {
  treasury = await openTreasury();
  client = checked(treasury.client);
  await live(treasury);
  await until('the end of all', () => treasury.host.engine.context.store.transfers.open().length === 0);
});
afterAll(() => treasury.close());

interface Row {
  day: string;
  agentId: string;
  amount: string;
  payments: number;
}
const millionths = (amount: string): number => Math.round(Number(amount) * 1e6);

/** By the rows themselves. */
const expected = (zone: string, days: number): Map<string, number> => {
  const spans = localDays(zone, days, Date.now());
  const sums = new Map<string, number>();
  for (const row of treasury.host.engine.context.store.transfers.iterate({})) {
    if (row.kind !== 'payment' || row.state !== 'final') continue;
    const at = Math.max(row.reservedAt ?? 0, row.blockTime ?? 0);
    const span = spans.find(({ from, to }) => at >= from && at < to);
    if (span === undefined) continue;
    const key = `${span.day} ${row.agentId}`;
    sums.set(key, (sums.get(key) ?? 0) + Number(row.amount));
  }
  return sums;
};

const totalIn = async (zone: string): Promise<number> =>
  ((await client.get(`/v1/spending?days=7&zone=${encodeURIComponent(zone)}`)).body['agents'] as Row[]).reduce(
    (all, row) => all + millionths(row.amount),
    0,
  );

describe.each(['Pacific/Kiritimati', 'America/Los_Angeles', 'Asia/Kathmandu', 'UTC'])('in %s', (zone) => {
  it.each([7, 30])('each agent’s sum of each of the last %i days is that of its rows', async (days) => {
    const query = `days=${days}&zone=${encodeURIComponent(zone)}`;
    const { body } = await client.get(`/v1/spending?${query}`);
    const told = (body['days'] as Row[]).map((row) => [`${row.day} ${row.agentId}`, millionths(row.amount)]);
    expect(new Map(told as [string, number][])).toEqual(expected(zone, days));
    const sum = (rows: Row[]): number => rows.reduce((all, row) => all + millionths(row.amount), 0);
    expect(sum(body['agents'])).toBe(sum(body['days']));
    for (const same of ['services', 'groups', 'serviceDays', 'groupDays'])
      expect([same, sum(body[same])]).toEqual([same, sum(body['days'])]);
  });

  it('a new payment is in today’s sum at once, though the days before are kept', async () => {
    const { store } = treasury.host.engine.context;
    const before = await totalIn(zone);
    const body = { service: 'sandbox-weather', amount: '0.01', currency: 'USDC' };
    const { status, text } = await treasury.client.post('/v1/agents/research-scout/pay', body);
    expect(status, text).toBe(200);
    await until('its end', () => store.transfers.open().length === 0);
    expect(await totalIn(zone)).toBe(before + 10_000);
  });
});

/** A payment that was paid at this time, whose seller answered 500. */
const undelivered = (createdAt: number): string => {
  const { store, newId } = treasury.host.engine.context;
  const { walletIndex, wallet } = store.agents.get('newsletter') ?? { walletIndex: 0, wallet: '' };
  const purchase: Purchase = {
    dialect: 'receipt',
    feePayer: null,
    memo: null,
    splits: [],
    terms: {},
    carrier: 'treasury',
    method: 'GET',
    url: 'https://a.example/x',
    requestHash: '0'.repeat(64),
    txSignature: null,
    delivery: 'open',
    evidence: null,
  };
  return store.atomically(() => {
    const { id } = store.transfers.insert(
      reservedPayment({
        id: newId('pay'),
        agentId: 'newsletter',
        walletIndex,
        wallet,
        createdAt,
        amount: 70_000n,
        purchase,
      }),
    );
    const lifetime = { blockhash: 'b', lastValidHeight: 1, slot: 1, height: 1 };
    const signature = '5'.repeat(88);
    const signed = { messageHash: 'm', signature, wire: new Uint8Array(), lifetime, at: createdAt };
    store.transfers.move(id, 'reserved', 'signed', { signed });
    store.transfers.move(id, 'signed', 'sent', { sentAt: createdAt });
    store.transfers.move(id, 'sent', 'seen', { seenAt: createdAt, seenSlot: 1, blockTime: createdAt });
    store.transfers.move(id, 'seen', 'final', { endedAt: createdAt });
    store.transfers.deliver(id, 'undelivered', { status: 500, error: 'database exploded' });
    return id;
  });
};

type Entries = Reply<'activity'>['entries'];
type Totals = Reply<'totals'>;
const entriesOf = async (query: string): Promise<Entries> =>
  (await client.get(`/v1/activity?limit=500&${query}`)).body['entries'] as Entries;
const totalsOf = async (query: string): Promise<Totals> =>
  (await client.get(`/v1/activity/totals?${query}`)).body as unknown as Totals;
const sum = (entries: readonly { amount: string }[]): number =>
  entries.reduce((all, { amount }) => all + millionths(amount), 0);

describe('the activity', () => {
  let lost: string;
  beforeAll(() => {
    lost = undelivered(Date.now());
  });

  it.each(Object.keys(outcomes) as Outcome[])(
    'with the outcome %s holds what the page calls so',
    async (outcome) => {
      const all = await entriesOf('');
      expect((await entriesOf(`outcome=${outcome}`)).map(({ id }) => id)).toEqual(
        all.filter((entry) => outcomeOf(entry) === outcome).map(({ id }) => id),
      );
      if (outcome === 'undelivered')
        expect(await entriesOf(`outcome=${outcome}`)).toMatchObject([{ id: lost }]);
    },
  );

  it('has totals that are those of its rows, by their way', async () => {
    const all = (await entriesOf('')).filter(({ currency }) => currency === 'USDC');
    const { flows, undelivered: notDelivered } = await totalsOf('');
    for (const [flow, { amount, count }] of Object.entries(flows)) {
      const rows = all.filter((entry) => flowOf(entry) === flow);
      const entries = rows.reduce((total, { counted }) => total + 1 + counted, 0);
      expect([flow, millionths(amount), count]).toEqual([flow, sum(rows), entries]);
    }
    expect(notDelivered).toEqual({ amount: '0.07', count: 1 });
  });

  it.each(['Pacific/Kiritimati', 'America/Los_Angeles', 'owner', undefined])(
    'counts the days of %s in its list, its totals and its statement, and names the zone',
    async (asked) => {
      await client.post('/v1/treasury/time-zone', { timeZone: 'Asia/Kathmandu' });
      const zone = asked === 'owner' ? 'Asia/Kathmandu' : (asked ?? 'UTC');
      const query = asked === undefined ? '' : `&zone=${encodeURIComponent(asked)}`;
      const all = (await entriesOf('')).filter(({ currency }) => currency === 'USDC');
      const { rows, zone: named } = await totalsOf(`by=day${query}`);
      expect(named).toBe(zone);
      expect(rows.length).toBeGreaterThan(20);
      for (const { day, from, to } of localDays(zone, 4, Date.now())) {
        const ofDay = all.filter(
          ({ timestamp }) => Date.parse(timestamp) >= from && Date.parse(timestamp) < to,
        );
        const spent = ofDay.filter((entry) => isSpending(entry) && flowOf(entry) === 'out');
        const period = `from=${day}&to=${day}${query}`;
        expect((await entriesOf(period)).map(({ id }) => id)).toEqual(ofDay.map(({ id }) => id));
        expect(millionths((await totalsOf(period)).amount)).toBe(sum(spent));
        expect(millionths(rows.find(({ key }) => key === day)?.amount ?? '0')).toBe(sum(spent));
        const { text, headers } = await client.get(`/v1/statement?format=json&${period}`);
        const statement = JSON.parse(text) as { zone: string; transfers: { id: string }[] };
        expect(statement.transfers.map(({ id }) => id)).toEqual(ofDay.map(({ id }) => id));
        expect([statement.zone, headers['x-statement-zone']]).toEqual([zone, zone]);
      }
    },
  );

  it.each(['agent', 'group', 'service', 'model', 'day', 'month'])(
    'splits what was spent by %s, with what was lost',
    async (by) => {
      const { rows, amount, payments } = await totalsOf(`by=${by}`);
      if (by === 'model') return expect(rows).toEqual([]);
      expect([sum(rows), rows.reduce((total, row) => total + row.payments, 0)]).toEqual([
        millionths(amount),
        payments,
      ]);
      expect(rows.filter((row) => row.undelivered.count > 0)).toMatchObject([
        { undelivered: { amount: '0.07', count: 1 } },
      ]);
      expect(rows.some(({ refused }) => refused.count > 0)).toBe(true);
      const names = {
        agent: 'Newsletter',
        group: 'No group',
        service: 'any',
        day: expect.any(String),
        month: expect.any(String),
      };
      expect(rows.find((row) => row.undelivered.count > 0)?.name).toEqual(names[by as keyof typeof names]);
    },
  );
});

describe('the sum of a day', () => {
  it('lets other work go on between any two of its pieces', async () => {
    const { context } = treasury.host.engine;
    const { store } = context;
    const turnsOfPieces: number[] = [];
    const between: typeof store.spend.between = (...span) => {
      turnsOfPieces.push(turn);
      return store.spend.between(...span);
    };
    let turn = 0;
    let others = setImmediate(function next() {
      turn += 1;
      others = setImmediate(next);
    });
    const watched = { ...context, store: { ...store, spend: { ...store.spend, between } } };
    await spendingOf(watched, { days: 2, zone: 'Asia/Kathmandu' });
    clearImmediate(others);
    expect(turnsOfPieces.length).toBeGreaterThanOrEqual(16);
    expect(new Set(turnsOfPieces).size).toBe(turnsOfPieces.length);
  });
});
