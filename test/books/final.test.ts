// Until when the books are final: the last whole day of the zone in which nothing is open and that was read to its end.
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { finalUntil, waitsFor } from '../../server/books/final.ts';
import { nothingFound, setReconciliationMark } from '../../server/engine/domain/reconciliation-mark.ts';
import type { Store } from '../../server/engine/ports.ts';
import { usdc } from '../../server/money.ts';
import { reservedPayment } from '../harness/payment-row.ts';
import { openStore } from '../harness/store.ts';
import { removeFolder, temporaryFolder } from '../harness/treasury.ts';

const zone = 'Europe/Berlin';
const at = (text: string): number => Date.parse(text);
const days = { first: at('2026-11-20T23:00:00Z'), second: at('2026-11-21T23:00:00Z') };

let folder: string;
let store: Store;
beforeEach(() => {
  folder = temporaryFolder();
  store = openStore(join(folder, 'treasury.db'), () => days.first);
});
afterEach(() => {
  store.close();
  removeFolder(folder);
});

const seenFrom = (
  now: string,
  { entered = at(now) as number | null, doubt = null as string | null } = {},
) => ({
  store,
  time: { wall: () => at(now), doubt: () => doubt },
  funds: { enteredUntil: () => entered },
});

it('is the start of a day once five minutes of it have passed and were read', () => {
  expect(finalUntil(seenFrom('2026-11-21T23:04:59.999Z'), zone)).toBe(days.first);
  const now = seenFrom('2026-11-21T23:05:00Z');
  expect(finalUntil(now, zone)).toBe(days.second);
  expect(waitsFor(now, days.second)).toEqual([]);
  const early = seenFrom('2026-11-21T23:04:00Z');
  expect(waitsFor(early, days.second)).toEqual(['It has to be 2026-11-21T23:05:00.000Z or later.']);
  const unread = seenFrom('2026-11-21T23:30:00Z', { entered: at('2026-11-21T23:04:00Z') });
  expect(finalUntil(unread, zone)).toBe(days.first);
  expect(waitsFor(unread, days.second)).toEqual(['The chain has to be read once more.']);
  expect(finalUntil(seenFrom('2026-11-21T23:30:00Z', { entered: null }), zone)).toBe(0);
});

const reserve = (id: string, createdAt: number): void =>
  store.atomically(() => {
    if (store.agents.get('a') === undefined)
      store.agents.insert(
        {
          agentId: 'a',
          walletIndex: 1,
          displayName: '',
          status: 'active',
          statusReason: null,
          createdAt,
          archivedAt: null,
        },
        () => 'wallet',
      );
    store.transfers.insert(
      reservedPayment({ id, agentId: 'a', walletIndex: 1, wallet: 'wallet', createdAt, amount: 1n }),
    );
  });

it('waits for what is open, however old, and for a deposit that is not final', () => {
  const now = seenFrom('2026-11-25T12:00:00Z');
  expect(finalUntil(now, zone)).toBe(at('2026-11-24T23:00:00Z'));
  reserve('late', at('2026-11-23T12:00:00Z'));
  expect(finalUntil(now, zone)).toBe(at('2026-11-22T23:00:00Z'));
  // Its block may have a time of the day before.
  reserve('early', days.second + 1_000);
  expect(finalUntil(now, zone)).toBe(days.first);
  expect(waitsFor(now, days.second)).toEqual(['1 transfer or deposit has to be final.']);
  store.atomically(() =>
    store.deposits.insert({
      id: 'd',
      txSignature: 's',
      from: 'f',
      wallet: 'w',
      asset: 'USDC',
      amount: usdc(1n),
      slot: 1,
      status: 'confirmed',
      at: days.first + 600_000,
    }),
  );
  expect(finalUntil(now, zone)).toBe(days.first);
  expect(waitsFor(now, days.second)).toEqual(['2 transfers and deposits have to be final.']);
  store.atomically(() => store.deposits.settle('d', 'final'));
  store.atomically(() => store.transfers.move('early', 'reserved', 'cancelled', cancelled));
  expect(finalUntil(now, zone)).toBe(at('2026-11-22T23:00:00Z'));
});

const cancelled = {
  refusal: { code: 'payment_failed', message: '', details: {} },
  endedAt: 1,
} as const;

it('is unknown while the records or the clock are in doubt', () => {
  const doubtful = seenFrom('2026-11-25T12:00:00Z', { doubt: 'the clock jumped' });
  expect(finalUntil(doubtful, zone)).toBe(0);
  expect(waitsFor(doubtful, days.second)).toEqual([
    'The owner has to confirm the time of this machine first.',
  ]);
  store.atomically(() => setReconciliationMark(store, { ...nothingFound, kind: 'debit' }));
  const marked = seenFrom('2026-11-25T12:00:00Z');
  expect(finalUntil(marked, zone)).toBe(0);
  expect(waitsFor(marked, days.second)).toEqual(['The records have to be compared with the chain first.']);
});
