// Purchases that clients may continue: found until the client has received the answer, and received once.
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { verifyJournal } from '../../server/engine/records/audit.ts';
import type { Store } from '../../server/engine/ports.ts';
import { useFolders } from '../harness/folders.ts';
import { reservedPayment } from '../harness/payment-row.ts';
import { openStore } from '../harness/store.ts';

const newFolder = useFolders();
const [hash, another] = ['a'.repeat(64), 'b'.repeat(64)];
let store: Store;
beforeEach(() => {
  store = openStore(join(newFolder(), 't.db'));
  const agent = { agentId: 'a', displayName: 'a', status: 'active', statusReason: null } as const;
  store.atomically(() => {
    store.agents.insert({ ...agent, createdAt: 1, archivedAt: null }, () => 'wallet');
    for (const [n, of] of [hash, hash, another].entries()) {
      const row = {
        id: `pay_${n}`,
        agentId: 'a',
        walletIndex: 1,
        wallet: 'wallet',
        amount: 1n,
        createdAt: n,
      };
      store.transfers.insert(reservedPayment(row));
      store.wishes.insert({ transferId: row.id, hash: of, createdAt: n });
    }
  });
});
afterEach(() => store.close());
const receive = (id: string, now: number): boolean => store.atomically(() => store.wishes.receive(id, now));

describe('a wish', () => {
  it('is found by its hash, oldest first', () => {
    expect(store.wishes.open(hash)).toEqual(['pay_0', 'pay_1']);
    expect(store.wishes.open(another)).toEqual(['pay_2']);
  });

  it('is no longer found once its client has the answer', () => {
    expect(receive('pay_0', 5)).toBe(true);
    expect(store.wishes.open(hash)).toEqual(['pay_1']);
  });

  it('is received once: of two clients with its answer only one is told so', () => {
    const seq = (): number => store.journal.head().seq;
    expect(receive('pay_0', 5)).toBe(true);
    const after = seq();
    expect([receive('pay_0', 6), receive('nobody', 6)]).toEqual([false, false]);
    expect(seq()).toBe(after);
    expect(verifyJournal(store)).toBeNull();
  });
});
