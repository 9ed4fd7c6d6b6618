// Reported spending counts a payment from the moment when it is seen or delivered, and a fork takes it back.
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Purchase, Store, TransferChange } from '../../server/engine/ports.ts';
import { migrations } from '../../server/store/schema.ts';
import { useFolders } from '../harness/folders.ts';
import { makeOlder } from '../harness/engine/older-database.ts';
import { settledRequest } from '../harness/engine/model-row.ts';
import { openStore } from '../harness/engine/store.ts';
import { paymentOf, storeWithAgent } from './store-with-agent.ts';

const fresh = useFolders();
const day = 86_400_000;
const noon = 20_000 * day + day / 2;
const beforeTheMend = 9;
const beforeDeliveriesCounted = 11;
const beforeRequestsCounted = 39;

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

const unpaid = { amount: 300_000n, createdAt: noon };
const reserve = (store: Store, id: string): void => {
  store.atomically(() => store.transfers.insert(paymentOf(id, unpaid)));
};
/** A purchase over x402 whose payment the seller was shown. */
const show = (store: Store, id: string): void => {
  store.atomically(() => {
    store.transfers.insert(paymentOf(id, { ...unpaid, purchase }));
    store.transfers.move(id, 'reserved', 'signed', signed(id));
    store.transfers.move(id, 'signed', 'sent', { sentAt: noon });
  });
};
const expired = { code: 'payment_failed', message: '', details: {} } as const;
const purchase: Purchase = {
  dialect: 'x402-v2',
  feePayer: 'facilitator',
  memo: 'm',
  splits: [],
  terms: { accepted: {} },
  carrier: 'treasury',
  method: 'GET',
  url: 'https://seller.example/thing',
  requestHash: '0'.repeat(64),
  txSignature: null,
  delivery: 'open',
  evidence: null,
};
const reportedIn = (store: Store) => ({
  ...store.spend.lifetime('a'),
  days: store.spend
    .agentByDay('a', 3, noon + day)
    .filter(({ amount }) => amount !== 0n)
    .map(({ day: at, amount }) => [at / day, amount]),
});
const nothing = { spent: 0n, payments: 0, requests: 0, days: [] };

describe('reported spending', () => {
  it('counts a payment once it is seen, is taken back by a fork, and counts it once when it is final', () => {
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
    expect(reportedIn(store)).toEqual(nothing);
    move('sent', 'seen', landed(noon));
    expect(reportedIn(store)).toEqual({
      spent: 300_000n,
      payments: 1,
      requests: 0,
      days: [[20_000, 300_000n]],
    });
    move('seen', 'sent', { seenAt: null, seenSlot: null, blockTime: null });
    expect(reportedIn(store)).toEqual(nothing);
    move('sent', 'seen', landed(noon + day));
    const nextDay = { spent: 300_000n, payments: 1, requests: 0, days: [[20_001, 300_000n]] };
    expect(reportedIn(store)).toEqual(nextDay);
    expect(store.spend.at('a', noon + day)).toMatchObject({ open: 300_000n, final: 0n });
    move('seen', 'final', { endedAt: noon + day });
    expect(reportedIn(store)).toEqual(nextDay);
    expect(store.spend.at('a', noon + day)).toMatchObject({ open: 0n, final: 300_000n });
    store.close();
  });

  it('is taken back when the chain refuses the payment after all', () => {
    const store = storeWithAgent(join(fresh(), 'a.db'));
    reserve(store, 'pay_1');
    store.atomically(() => {
      store.transfers.move('pay_1', 'reserved', 'signed', signed('s1'));
      store.transfers.move('pay_1', 'signed', 'seen', landed(noon));
    });
    const refusal = { code: 'payment_failed', message: '', details: {} } as const;
    store.atomically(() => store.transfers.move('pay_1', 'seen', 'failed', { refusal, endedAt: noon }));
    expect(reportedIn(store)).toEqual(nothing);
    store.close();
  });

  it('counts once the seller has delivered, through a fork, and is taken back when the payment expires', () => {
    const store = storeWithAgent(join(fresh(), 'a.db'));
    const reported = { spent: 300_000n, payments: 1, requests: 0, days: [[20_000, 300_000n]] };
    show(store, 'pay_1');
    expect(reportedIn(store)).toEqual(nothing);
    store.atomically(() => store.transfers.deliver('pay_1', 'undelivered', { shown: 1 }));
    expect(reportedIn(store)).toEqual(nothing);
    for (const shown of [2, 3]) {
      store.atomically(() => store.transfers.deliver('pay_1', 'delivered', { shown }));
      expect(reportedIn(store)).toEqual(reported);
    }
    expect(store.spend.at('a', noon)).toMatchObject({ open: 300_000n, final: 0n });
    store.atomically(() => store.transfers.move('pay_1', 'sent', 'seen', landed(noon)));
    expect(reportedIn(store)).toEqual(reported);
    const dropped = { seenAt: null, seenSlot: null, blockTime: null };
    store.atomically(() => store.transfers.move('pay_1', 'seen', 'sent', dropped));
    expect(reportedIn(store)).toEqual(reported);
    store.atomically(() =>
      store.transfers.move('pay_1', 'sent', 'dead', { refusal: expired, endedAt: noon }),
    );
    expect(reportedIn(store)).toEqual(nothing);
    store.close();
  });

  it('counts a final payment once when its seller delivers late', () => {
    const store = storeWithAgent(join(fresh(), 'a.db'));
    show(store, 'pay_1');
    // A decision before keeps the sum of its window; a sum that nobody kept is added up from the rows.
    store.atomically(() => store.spend.at('a', noon));
    store.atomically(() => {
      store.transfers.move('pay_1', 'sent', 'seen', landed(noon));
      store.transfers.move('pay_1', 'seen', 'final', { endedAt: noon });
    });
    const reported = reportedIn(store);
    expect(reported).toMatchObject({ spent: 300_000n, payments: 1 });
    store.atomically(() => store.transfers.deliver('pay_1', 'delivered', { shown: 1 }));
    expect(reportedIn(store)).toEqual(reported);
    expect(store.spend.at('a', noon)).toMatchObject({ open: 0n, final: 300_000n });
    store.close();
  });

  it('counts payments whose sellers had delivered before the upgrade, once', () => {
    const file = join(fresh(), 'a.db');
    const store = storeWithAgent(file);
    for (const id of ['pay_1', 'pay_2', 'pay_3']) show(store, id);
    store.atomically(() => {
      store.transfers.deliver('pay_1', 'delivered', { shown: 1 });
      store.transfers.move('pay_2', 'sent', 'seen', landed(noon));
      store.transfers.deliver('pay_2', 'delivered', { shown: 1 });
    });
    const reported = reportedIn(store);
    expect(reported).toMatchObject({ spent: 600_000n, payments: 2 });
    store.close();
    makeOlder(file, beforeDeliveriesCounted, (db) => {
      db.exec(`UPDATE spending SET lifetime_amount = 300000, lifetime_payments = 1;
        UPDATE spending_day SET amount = 300000, payments = 1`);
    });
    const updated = openStore(file);
    expect(reportedIn(updated)).toEqual(reported);
    updated.atomically(() => updated.transfers.move('pay_1', 'sent', 'seen', landed(noon)));
    expect(reportedIn(updated)).toEqual(reported);
    updated.close();
  });

  it('counts a payment that was only seen before the upgrade, once', () => {
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
    const before = reportedIn(store);
    expect(before).toMatchObject({ spent: 600_000n, payments: 2 });
    store.close();
    makeOlder(file, beforeTheMend, (db) => {
      db.exec(`UPDATE spending SET lifetime_amount = 300000, lifetime_payments = 1;
        UPDATE spending_day SET amount = 300000, payments = 1`);
    });
    expect(migrations.length).toBeGreaterThan(beforeTheMend);
    const updated = openStore(file);
    expect(reportedIn(updated)).toEqual(before);
    updated.atomically(() => updated.transfers.move('pay_1', 'seen', 'final', { endedAt: noon }));
    expect(reportedIn(updated)).toEqual(before);
    updated.close();
  });

  it('counts requests to language models once they are settled, and their corrections as no request', () => {
    const file = join(fresh(), 'a.db');
    const store = storeWithAgent(file);
    const ask = (id: string, made: { at: number; amount: bigint; corrects?: string; wire?: string }): void =>
      store.atomically(() => settledRequest(store, { id, agentId: 'a', mark: 'exact', ...made }));
    const yesterday = () => store.spend.between(noon - day, noon, noon + day);
    expect(yesterday()).toEqual([]);
    reserve(store, 'pay_1');
    store.atomically(() => {
      store.transfers.move('pay_1', 'reserved', 'signed', signed('s1'));
      store.transfers.move('pay_1', 'signed', 'seen', landed(noon));
    });
    ask('mod_1', { at: noon - 1, amount: 70n });
    ask('mod_2', { at: noon, amount: 5n });
    ask('mod_3', { at: noon - 1, amount: -20n, corrects: 'mod_1' });
    // As the owner enters it after an older copy.
    ask('mod_4', { at: noon - 1, amount: 0n, wire: '' });
    const reported = {
      spent: 300_055n,
      payments: 1,
      requests: 2,
      days: [[20_000, 300_055n]],
    };
    expect(reportedIn(store)).toEqual(reported);
    const asked = { agentId: 'a', serviceId: 'llm:openai', payments: 0 };
    expect(yesterday()).toEqual([{ ...asked, amount: 50n, requests: 1 }]);
    expect(store.spend.between(noon, noon + day, noon + day)).toContainEqual({
      ...asked,
      amount: 5n,
      requests: 1,
    });
    store.close();
    makeOlder(file, beforeRequestsCounted, (db) => {
      db.exec(`UPDATE spending SET lifetime_amount = 300000;
        UPDATE spending_day SET amount = 300000 WHERE service_id = 's';
        DELETE FROM spending_day WHERE service_id LIKE 'llm:%'`);
    });
    const updated = openStore(file);
    expect(reportedIn(updated)).toEqual(reported);
    updated.close();
  });
});
