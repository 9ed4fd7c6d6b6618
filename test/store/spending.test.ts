// The window's sums, compared with a sum over all rows; the window's edge, to the millisecond; and a sum that is made in
// slices, between which further payments end.
import { join } from 'node:path';
import Database from 'better-sqlite3';
import {
  array,
  assert,
  bigInt,
  constant,
  constantFrom,
  integer,
  nat,
  oneof,
  property,
  record,
  uniqueArray,
  type Arbitrary,
} from 'fast-check';
import { afterEach, describe, expect, it } from 'vitest';
import { partsOfScope, scopeOfService } from '../../server/engine/domain/limits.ts';
import type { MeterName, Store, Transfer, TransferState } from '../../server/engine/ports.ts';
import { createMonths } from '../../server/lib/local-days.ts';
import { usdc } from '../../server/money.ts';
import { createMeters } from '../../server/store/spending/meters.ts';
import { useFolders } from '../harness/folders.ts';
import { reservedPayment, type PaymentRow } from '../harness/engine/payment-row.ts';
import { openStore } from '../harness/engine/store.ts';
import { tries } from '../harness/tries.ts';
import { paymentOf, storeWithAgent } from './store-with-agent.ts';

const newFolder = useFolders();
const day = 86_400_000;
const hour = 3_600_000;
const start = 1_800_000_000_000;
const agents = ['a', 'b'] as const;
const services = ['maps', 'a@b'] as const;

let store: Store;
let rows = 0;
afterEach(() => store.close());

const open = (): void => {
  store = openStore(join(newFolder(), 't.db'));
  rows = 0;
  store.atomically(() => {
    store.wallets.add({ address: 'treasury', index: 0, agentId: null });
    for (const agentId of agents)
      store.agents.insert(
        {
          agentId,
          displayName: agentId,
          status: 'active',
          statusReason: null,
          createdAt: start,
          archivedAt: null,
        },
        (index) => `wallet-${index}`,
      );
  });
};

const reserve = (agentId: string, amount: bigint, at: number, more: Partial<PaymentRow> = {}): Transfer => {
  const walletIndex = 1 + agents.indexOf(agentId as 'a');
  const own = {
    id: `pay_${(rows += 1)}`,
    agentId,
    walletIndex,
    wallet: `wallet-${walletIndex}`,
    createdAt: at,
  };
  return store.atomically(() =>
    store.transfers.insert(reservedPayment({ ...own, amount, feeLamports: 5n, ...more })),
  );
};
const refund = (charge: Transfer, at: number): Transfer =>
  reserve(String(charge.agentId), charge.amount, at, {
    kind: 'refund',
    walletIndex: 0,
    wallet: 'treasury',
    payee: charge.wallet,
    invoice: charge.id,
    serviceId: charge.serviceId,
  });
const move = (
  row: Transfer,
  to: TransferState,
  change: Parameters<Store['transfers']['move']>[3],
): Transfer => {
  const { state } = store.transfers.get(row.id) ?? row;
  return store.atomically(() => store.transfers.move(row.id, state, to, change));
};
const sign = (row: Transfer, at: number): Transfer => {
  const lifetime = { blockhash: 'hash', lastValidHeight: 1, slot: 1, height: 1 };
  const signed = { messageHash: row.id, signature: row.id, wire: new Uint8Array(1), lifetime, at };
  return move(row, 'signed', { signed });
};
const end = (row: Transfer, to: 'final' | 'failed' | 'dead', at: number, blockTime = at): Transfer => {
  sign(row, at);
  if (to !== 'final')
    return move(row, to, { endedAt: at, refusal: { code: 'payment_failed', message: '', details: {} } });
  move(row, 'seen', { seenAt: at, seenSlot: 1, blockTime });
  return move(row, 'final', { endedAt: at });
};
/** Spending as a decision reads it. */
const spentAt = (agentId: string | null, now: number) => store.atomically(() => store.spend.at(agentId, now));

describe('the edge of the window', () => {
  it('a payment counts until 86,400,000 ms after it and not one longer, and freedAt says that moment', () => {
    open();
    end(reserve('a', 600n, start), 'final', start);
    expect(spentAt('a', start + day - 1).final).toBe(600n);
    expect(store.spend.freedAt('a', start + day - 1, usdc(1n), day)).toBe(start + day);
    expect(spentAt('a', start + day).final).toBe(0n);
    // Forwards and back, to the same sums.
    expect(spentAt('a', start + day - 1).final).toBe(600n);
    expect(spentAt(null, start + day).final).toBe(0n);
  });

  it('a payment that becomes final when it is as old as the window does not count', () => {
    open();
    const row = reserve('a', 600n, start);
    spentAt('a', start + day);
    end(row, 'final', start + day, start);
    expect(spentAt('a', start + day)).toEqual({ open: 0n, final: 0n, fees: 0n });
    expect(spentAt('a', start + day - 1)).toMatchObject({ final: 600n });
  });
});

describe('a refund', () => {
  it('counts at the time of its charge: when that leaves the window, nothing is left of either', () => {
    open();
    const charge = end(reserve('a', 400n, start, { kind: 'charge' }), 'final', start);
    end(refund(charge, start + 10 * hour), 'final', start + 10 * hour);
    for (const after of [11 * hour, day - 1, day, day + 1, day + 10 * hour, day + 11 * hour])
      for (const scope of ['a', null])
        expect([after, spentAt(scope, start + after).final]).toEqual([after, 0n]);
  });
});

const openStates = ['reserved', 'signed', 'sent', 'seen', 'unknown'];
const counted = (row: Transfer): number => Math.max(row.reservedAt ?? 0, row.blockTime ?? 0);

/** @param scope an agent, or nothing for all; and the service, after an @ */
const rowsOf = (scope: string): Transfer[] => {
  const { node: agentId, serviceId: service } = partsOfScope(scope);
  return [...store.transfers.iterate({})].filter(
    (row) => (agentId === '' || row.agentId === agentId) && (service === null || row.serviceId === service),
  );
};

/** The sum of final rows later than the edge, from the rows alone. */
const finalSince = (scope: string, edge: number): bigint => {
  let final = 0n;
  for (const row of rowsOf(scope).filter(({ state }) => state === 'final')) {
    const charge = row.kind === 'refund' ? store.transfers.get(String(row.invoice)) : undefined;
    if (counted(charge ?? row) > edge) final += charge === undefined ? row.amount : -row.amount;
  }
  return final;
};
const openNow = (scope: string): bigint =>
  rowsOf(scope)
    .filter(({ kind, state }) => kind !== 'refund' && openStates.includes(state))
    .reduce((sum, { amount }) => sum + amount, 0n);
const paymentsSince = (scope: string, edge: number): bigint =>
  BigInt(
    rowsOf(scope).filter(
      ({ kind, state, reservedAt }) =>
        kind !== 'refund' && [...openStates, 'final'].includes(state) && (reservedAt ?? 0) > edge,
    ).length,
  );

const months = createMonths();
const edges: Record<MeterName, (now: number) => number> = {
  week: (now) => now - 7 * day,
  month: (now) => months('Europe/Lisbon', now).from - 1,
  total: () => start - 1,
  hour: (now) => now - hour,
  day: (now) => now - day,
  reserved: () => 0,
  'spent-day': (now) => now - day,
};
/** Of a node; and of a node at a service. */
const [meterNames, namesAtService] = [
  ['week', 'month', 'total', 'hour', 'day'],
  ['reserved', 'spent-day', 'month'],
] as const satisfies MeterName[][];

const anyStep = oneof(
  record({
    what: constantFrom('pay' as const, 'charge' as const),
    agentId: constantFrom(...agents),
    amount: bigInt(1n, 1_000_000n),
    service: constantFrom(...services),
  }),
  record({
    what: constant('end' as const),
    which: nat(),
    to: constantFrom('final' as const, 'final' as const, 'failed' as const, 'dead' as const),
    blockLag: integer({ min: -hour, max: hour }),
  }),
  record({ what: constant('refund' as const), which: nat() }),
  record({
    what: constant('clock' as const),
    by: oneof(integer({ min: -2 * hour, max: 14 * hour }), integer({ min: -2 * day, max: 9 * day })),
  }),
  record({
    what: constant('limit' as const),
    scope: constantFrom(...agents, ''),
    names: uniqueArray(constantFrom(...meterNames)),
    atServices: uniqueArray(
      record({ service: constantFrom(...services), name: constantFrom(...namesAtService) }),
      { selector: ({ service, name }) => `${service} ${name}` },
    ),
  }),
);
type Step = typeof anyStep extends Arbitrary<infer S> ? S : never;

const pick = (list: readonly Transfer[], which: number) => list[which % Math.max(1, list.length)];

const checkAtService = (scope: string, now: number): void => {
  expect([scope, store.spend.reservedAt(scope)]).toEqual([scope, openNow(scope)]);
  for (const name of ['spent-day', 'month'] as const) {
    const edge = edges[name](now);
    const found = store.atomically(() => store.spend.above(scope, name, edge, now));
    expect([scope, name, found]).toEqual([scope, name, finalSince(scope, edge)]);
  }
};

const live = (steps: readonly Step[]): void => {
  let now = start;
  for (const one of steps) {
    const all = [...store.transfers.iterate({})];
    if (one.what === 'clock') now += one.by;
    else if (one.what === 'limit') {
      const kept = [
        ...one.names.map((name) => ({ scope: one.scope as string, name: name as MeterName })),
        ...one.atServices.map(({ service, name }) => ({ scope: scopeOfService(one.scope, service), name })),
      ];
      store.atomically(() => store.spend.meterOnly(one.scope, kept));
      for (const key of kept) Array.from(store.spend.meter(key, edges[key.name](now)));
    } else if (one.what === 'refund') {
      const paidBack = new Set(all.map(({ invoice }) => invoice));
      const charges = all.filter(
        (row) => row.kind === 'charge' && row.state === 'final' && !paidBack.has(row.id),
      );
      const charge = pick(charges, one.which);
      if (charge !== undefined) refund(charge, now);
    } else if (one.what === 'end') {
      const row = pick(
        all.filter(({ state }) => state === 'reserved'),
        one.which,
      );
      if (row !== undefined) end(row, one.to, now, now + one.blockLag);
    } else
      reserve(one.agentId, one.amount, now, {
        kind: one.what === 'pay' ? 'payment' : 'charge',
        serviceId: one.service,
      });
    for (const scope of [...agents, '']) {
      const { open: reserved, final } = spentAt(scope, now);
      expect({ scope, open: reserved, final }).toEqual({
        scope,
        open: openNow(scope),
        final: finalSince(scope, now - day),
      });
      expect(reserved >= 0n && final >= 0n && usdc(reserved + final) >= 0n).toBe(true);
      for (const name of meterNames) {
        const edge = edges[name](now);
        const found = store.atomically(() => store.spend.above(scope, name, edge, now));
        const isNumber = name === 'hour' || name === 'day';
        expect([scope, name, found]).toEqual([
          scope,
          name,
          (isNumber ? paymentsSince : finalSince)(scope, edge),
        ]);
      }
      for (const service of services) checkAtService(scopeOfService(scope, service), now);
    }
  }
};

it('sums equal those of the rows and are never negative, whatever the clock does and whenever a limit is set', () => {
  open();
  assert(
    property(array(anyStep, { minLength: 5, maxLength: 40 }), (steps) => {
      store.close();
      open();
      live(steps);
    }),
    { numRuns: tries(20, 60) },
  );
});

const payments = 40;

/** Payments of 1 unit that are not counted yet. */
const withPayments = (): Database.Database => {
  const file = join(newFolder(), 't.db');
  store = storeWithAgent(file);
  store.atomically(() => {
    for (let n = 1; n <= payments; n += 1)
      store.transfers.insert(paymentOf(`pay_${n}`, { createdAt: start }));
  });
  store.close();
  const db = new Database(file);
  db.defaultSafeIntegers(true);
  return db;
};

it.each([1, 3, 7, 1_000])('a sum in slices of %s rows counts each payment once', (sliceRows) => {
  const scopes = ['a', ''];
  const db = withPayments();
  const meters = createMeters(db, { openIn: () => 0n, isAnyModel: () => false }, sliceRows);
  const count = db.prepare('UPDATE transfer SET counted_at = ?, counted_amount = 1 WHERE id = ?');
  let ended = 0;
  const land = (at: number): void => {
    ended += 1;
    count.run(at, `pay_${ended}`);
    for (const scope of scopes) meters.addMoney(scope, at, 1n);
  };
  // Two in each millisecond, so that a slice ends between equal times.
  for (let n = 1; n <= 20; n += 1) land(start + Math.ceil(n / 2));
  for (const scope of scopes) {
    for (const _ of meters.build({ scope, name: 'total' }, start)) {
      if (ended >= payments - 3) continue;
      // In the part that is summed, in the part that is not, and before the edge.
      for (const at of [start + 1, start + 10, start]) land(at);
    }
  }
  land(start + 5);
  const late = Math.floor((ended - 21) / 3);
  for (const scope of scopes)
    expect([scope, meters.above(scope, 'total', start, start + 20)]).toEqual([scope, BigInt(ended - late)]);
  db.close();
});
