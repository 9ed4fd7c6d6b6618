// What the owner is told as spent counts from the moment a payment was seen, and a fork takes it back.
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Store, TransferChange } from '../../server/engine/ports.ts';
import { migrations } from '../../server/store/schema.ts';
import { usdc } from '../../server/money.ts';
import { useFolders } from '../harness/folders.ts';
import { makeOlder } from '../harness/older-database.ts';
import { reservedPayment } from '../harness/payment-row.ts';
import { openStore } from '../harness/store.ts';

const fresh = useFolders();
const day = 86_400_000;
const noon = 20_000 * day + day / 2;
const beforeTheMend = 9;

const signed = (name: string): TransferChange => ({
  signed: {
    messageHash: name,
    signature: name,
    wire: new Uint8Array([1]),
    lifetime: { blockhash: 'b', lastValidHeight: 10, slot: 2, height: 1 },
    at: noon,
  },
});
const landed = (at: number): TransferChange => ({ seenAt: at, seenSlot: 3, blockTime: at });

const storeWithAgent = (file: string): Store => {
  const store = openStore(file);
  store.atomically(() => {
    store.agents.insert(
      {
        agentId: 'a',
        displayName: 'a',
        status: 'active',
        statusReason: null,
        createdAt: noon,
        archivedAt: null,
      },
      () => 'wallet',
    );
    store.wallets.read('wallet', usdc(10_000_000n), 1, noon, store.wallets.mark());
  });
  return store;
};
const reserve = (store: Store, id: string): void => {
  const row = { id, agentId: 'a', walletIndex: 1, wallet: 'wallet', amount: 300_000n, createdAt: noon };
  store.atomically(() => store.transfers.insert(reservedPayment(row)));
};
const toldIn = (store: Store) => ({
  ...store.spend.lifetime('a'),
  days: store.spend
    .byDay(3, noon + day)
    .filter(({ amount }) => amount !== 0n)
    .map(({ day: at, amount, payments }) => [at / day, amount, payments]),
});
const nothing = { spent: 0n, payments: 0, days: [] };

describe('what was spent', () => {
  it('counts with the sighting, is taken back by a fork, and counts once when it is final', () => {
    const store = storeWithAgent(join(fresh(), 'a.db'));
    const move = (
      ...[from, to, change]: [
        Parameters<Store['transfers']['move']>[1],
        Parameters<Store['transfers']['move']>[2],
        TransferChange,
      ]
    ) => store.atomically(() => store.transfers.move('pay_1', from, to, change));
    reserve(store, 'pay_1');
    move('reserved', 'signed', signed('s1'));
    move('signed', 'sent', { sentAt: noon });
    expect(toldIn(store)).toEqual(nothing);
    move('sent', 'seen', landed(noon));
    expect(toldIn(store)).toEqual({ spent: 300_000n, payments: 1, days: [[20_000, 300_000n, 1]] });
    move('seen', 'sent', { seenAt: null, seenSlot: null, blockTime: null });
    expect(toldIn(store)).toEqual(nothing);
    move('sent', 'seen', landed(noon + day));
    const nextDay = { spent: 300_000n, payments: 1, days: [[20_001, 300_000n, 1]] };
    expect(toldIn(store)).toEqual(nextDay);
    expect(store.spend.at('a', noon + day)).toMatchObject({ open: 300_000n, final: 0n });
    move('seen', 'final', { endedAt: noon + day });
    expect(toldIn(store)).toEqual(nextDay);
    expect(store.spend.at('a', noon + day)).toMatchObject({ open: 0n, final: 300_000n });
    store.close();
  });

  it('is taken back when the chain refused it after all', () => {
    const store = storeWithAgent(join(fresh(), 'a.db'));
    reserve(store, 'pay_1');
    store.atomically(() => {
      store.transfers.move('pay_1', 'reserved', 'signed', signed('s1'));
      store.transfers.move('pay_1', 'signed', 'seen', landed(noon));
    });
    const refusal = { code: 'payment_failed', message: '', details: {} } as const;
    store.atomically(() => store.transfers.move('pay_1', 'seen', 'failed', { refusal, endedAt: noon }));
    expect(toldIn(store)).toEqual(nothing);
    store.close();
  });

  it('of a payment that was only seen before the upgrade counts afterwards, and once', () => {
    const file = join(fresh(), 'a.db');
    const store = storeWithAgent(file);
    for (const id of ['pay_1', 'pay_2']) {
      reserve(store, id);
      store.atomically(() => {
        store.transfers.move(id, 'reserved', 'signed', signed(id));
        store.transfers.move(id, 'signed', 'seen', landed(noon));
      });
    }
    store.atomically(() => store.transfers.move('pay_2', 'seen', 'final', { endedAt: noon }));
    const told = toldIn(store);
    expect(told).toMatchObject({ spent: 600_000n, payments: 2 });
    store.close();
    makeOlder(file, beforeTheMend, (db) => {
      db.exec(`UPDATE spending SET lifetime_amount = 300000, lifetime_payments = 1;
        UPDATE spending_day SET amount = 300000, payments = 1`);
    });
    expect(migrations.length).toBeGreaterThan(beforeTheMend);
    const updated = openStore(file);
    expect(toldIn(updated)).toEqual(told);
    updated.atomically(() => updated.transfers.move('pay_1', 'seen', 'final', { endedAt: noon }));
    expect(toldIn(updated)).toEqual(told);
    updated.close();
  });
});
