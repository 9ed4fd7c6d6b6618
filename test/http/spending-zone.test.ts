// The charts' days in the owner's time zone: the sums are those of the rows between the zone's own midnights.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { spendingOf } from '../../server/engine/api/spending.ts';
import { localDays } from '../../server/lib/local-days.ts';
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
