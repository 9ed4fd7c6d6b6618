// Invariant 5: final is final; states move along the table, by compare-and-set, and the schema enforces it too.
import Database from 'better-sqlite3';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import type { Store, TransferState } from '../../server/engine/ports.ts';
import { allStates, hasEnded, isOpen, mayGo } from '../../server/engine/domain/states.ts';
import { createStore } from '../../server/store/store.ts';
import { removeFolder, temporaryFolder } from '../harness/treasury.ts';
import { reservedPayment } from '../harness/payment-row.ts';

const folder = temporaryFolder();
const open = (): Store => createStore({ file: join(folder, 'treasury.db'), now: Date.now, onHalt: () => {} });
let store: Store | undefined;
afterAll(() => {
  store?.close();
  removeFolder(folder);
});

const transitions = (from: TransferState) => allStates.filter((to) => mayGo(from, to));
const refusal = { code: 'payment_failed', message: 'no', details: {} } as const;
const signed = (n: number) => ({
  messageHash: `hash ${n}`,
  signature: `signature ${n}`,
  wire: Buffer.from([n]),
  lifetime: { blockhash: 'b', lastValidHeight: 10, slot: 2, height: 1 },
  at: 1,
});

describe('the states of a transfer', () => {
  it('lead nowhere from final, failed, dead, cancelled and denied', () => {
    expect(allStates.filter((state) => hasEnded({ state })).toSorted()).toEqual(
      ['final', 'failed', 'dead', 'cancelled', 'denied'].toSorted(),
    );
  });

  it('release a reservation only in an end that is proven', () => {
    const releases = allStates.flatMap((from) =>
      isOpen({ state: from })
        ? transitions(from)
            .filter((to) => !isOpen({ state: to }))
            .map((to) => `${from} ${to}`)
        : [],
    );
    expect(releases.toSorted()).toEqual(
      [
        'reserved cancelled',
        'seen failed',
        'seen final',
        'sent dead',
        'sent failed',
        'signed dead',
        'signed failed',
        'unknown dead',
        'unknown failed',
      ].toSorted(),
    );
  });

  it('cannot be left once terminal, signed twice, or repurposed, even by other SQL than ours', () => {
    store = open();
    const db = store;
    let n = 0;
    const insert = (): string => {
      n += 1;
      const row = reservedPayment({
        id: `pay_${n}`,
        agentId: 'a',
        walletIndex: 1,
        wallet: 'W',
        amount: 5n,
        feeLamports: 1n,
        createdAt: 1,
      });
      db.atomically(() => {
        if (db.agents.get('a') === undefined) {
          db.agents.insert(
            {
              agentId: 'a',
              displayName: 'a',
              status: 'active',
              statusReason: null,
              createdAt: 1,
              archivedAt: null,
            },
            () => 'W',
          );
        }
        db.transfers.insert(row);
      });
      return row.id;
    };
    const to = (id: string, path: readonly TransferState[]): void => {
      for (const state of path) {
        const from = db.transfers.get(id)?.state ?? 'final';
        const change = {
          ...(state === 'signed' ? { signed: signed(n) } : {}),
          ...(['cancelled', 'dead', 'failed'].includes(state) ? { refusal } : {}),
        };
        db.atomically(() => db.transfers.move(id, from, state, change));
      }
    };
    const ends: TransferState[][] = [
      ['cancelled'],
      ['signed', 'sent', 'seen', 'final'],
      ['signed', 'failed'],
      ['signed', 'dead'],
    ];
    for (const path of ends) {
      const id = insert();
      to(id, path);
      const last = path.at(-1) ?? 'final';
      for (const state of allStates) {
        expect(() => db.atomically(() => db.transfers.move(id, last, state, {}))).toThrow();
      }
      expect(db.transfers.get(id)?.state).toBe(last);
    }
    const id = insert();
    to(id, ['signed']);
    expect(() =>
      db.atomically(() => db.transfers.move(id, 'signed', 'sent', { signed: signed(99) })),
    ).toThrow(/signed once/);
    expect(() => db.atomically(() => db.transfers.move(id, 'reserved', 'cancelled', { refusal }))).toThrow(
      /is reserved, not signed/,
    );
    expect(db.spend.at('a', 1)).toMatchObject({ open: 5n, final: 5n });

    db.close();
    store = undefined;
    const raw = new Database(join(folder, 'treasury.db'));
    for (const sql of [
      `UPDATE transfer SET amount = 6 WHERE id = '${id}'`,
      `UPDATE transfer SET payee = 'X' WHERE id = '${id}'`,
      `UPDATE transfer SET signature = 'other' WHERE id = '${id}'`,
      `DELETE FROM transfer WHERE id = '${id}'`,
      `UPDATE transfer SET state = 'reserved' WHERE state = 'final'`,
    ]) {
      expect(() => raw.exec(sql)).toThrow();
    }
    raw.close();
  });
});
