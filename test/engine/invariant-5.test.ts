// Invariant 5: final is final; states move along the table, by compare-and-set, and the schema enforces it too. The
// code's table equals the one in build/docs/architecture.md, and has no forbidden move.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { describe, expect, it } from 'vitest';
import type { TransferChange, TransferState } from '../../server/engine/ports.ts';
import { allStates, isOpen as isOpenRow, mayGo } from '../../server/engine/domain/states.ts';
import { useFolders } from '../harness/folders.ts';
import { paymentOf, storeWithAgent } from '../store/store-with-agent.ts';

const newFolder = useFolders();

const isOpen = (state: TransferState): boolean => isOpenRow({ state });
const transitions = Object.fromEntries(
  allStates.map((from) => [from, allStates.filter((to) => mayGo(from, to))]),
) as Record<TransferState, TransferState[]>;
const documented = (): { state: string; counts: boolean; next: string[] }[] => {
  const text = readFileSync(new URL('../../build/docs/architecture.md', import.meta.url), 'utf8');
  const [, table = ''] = text.split('## States\n');
  return [...(table.split('\nThe one table')[0] ?? '').matchAll(/^\| `(\w+)`(.*)\|$/gm)].map(
    ([, state = '', rest = '']) => {
      const [, , counts = '', next = ''] = rest.split('|').map((cell) => cell.trim());
      return {
        state,
        counts: counts === 'yes',
        next: [...next.matchAll(/`(\w+)`/g)].map(([, to]) => String(to)),
      };
    },
  );
};
const reach = (from: TransferState): Set<TransferState> => {
  const seen = new Set<TransferState>();
  const rest = [...transitions[from]];
  for (let one = rest.pop(); one !== undefined; one = rest.pop())
    if (!seen.has(one)) {
      seen.add(one);
      rest.push(...transitions[one]);
    }
  return seen;
};
const into = (to: TransferState) => allStates.filter((state) => transitions[state].includes(to));

describe('the table of states', () => {
  it('is the one that is documented, and says which states count as spent', () => {
    const code = allStates.map((state) => ({
      state,
      counts: isOpen(state) || state === 'final',
      next: transitions[state].toSorted(),
    }));
    const told = documented().map((row) => ({ ...row, next: row.next.toSorted() }));
    expect(told.toSorted((a, b) => a.state.localeCompare(b.state))).toEqual(
      code.toSorted((a, b) => a.state.localeCompare(b.state)),
    );
  });

  it('leads nowhere from an end, and to one from every open state', () => {
    const ends = allStates.filter((state) => transitions[state].length === 0);
    expect(ends.toSorted()).toEqual(['cancelled', 'dead', 'denied', 'failed', 'final']);
    for (const state of allStates.filter((one) => !ends.includes(one)))
      expect(
        ends.some((end) => reach(state).has(end)),
        state,
      ).toBe(true);
  });

  it('signs once: a signed transfer is never reserved, cancelled or denied again', () => {
    for (const state of ['signed', ...reach('signed')] as const)
      for (const never of ['awaiting_approval', 'reserved', 'cancelled', 'denied', 'signed'] as const)
        expect(transitions[state], state).not.toContain(never);
  });

  it('reaches signed only from a reservation, and final only from a sighting on the chain', () => {
    expect([into('signed'), into('final')]).toEqual([['reserved'], ['seen']]);
    expect(into('reserved')).toEqual(['awaiting_approval']);
  });

  it('never takes a transfer that was seen on the chain for dead', () => {
    expect(transitions.seen).not.toContain('dead');
  });

  it('releases a reservation only in an end that is proven', () => {
    const releases = allStates
      .filter(isOpen)
      .flatMap((from) => transitions[from].filter((to) => !isOpen(to)).map((to) => `${from} ${to}`));
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
});

const refusal = { code: 'payment_failed', message: 'no', details: {} } as const;
const signed = (name: string) => ({
  messageHash: name,
  signature: name,
  wire: Buffer.from(name),
  lifetime: { blockhash: 'b', lastValidHeight: 10, slot: 2, height: 1 },
  at: 1,
});

describe('a transfer', () => {
  it('cannot be left once terminal, signed twice, or repurposed, even by other SQL than ours', () => {
    const file = join(newFolder(), 't.db');
    const store = storeWithAgent(file);
    const go = (id: string, from: TransferState, to: TransferState, change: TransferChange = {}) =>
      store.atomically(() => store.transfers.move(id, from, to, change));
    const pay = (id: string, path: readonly TransferState[]): void => {
      store.atomically(() => store.transfers.insert(paymentOf(id, { amount: 5n })));
      for (const [index, to] of path.entries())
        go(id, path[index - 1] ?? 'reserved', to, {
          ...(to === 'signed' ? { signed: signed(id) } : {}),
          ...(['cancelled', 'dead', 'failed'].includes(to) ? { refusal } : {}),
        });
    };
    const ends: TransferState[][] = [
      ['cancelled'],
      ['signed', 'sent', 'seen', 'final'],
      ['signed', 'failed'],
      ['signed', 'dead'],
    ];
    for (const path of ends) {
      const last = path.at(-1) ?? 'final';
      pay(last, path);
      for (const state of allStates) expect(() => go(last, last, state)).toThrow();
      expect(store.transfers.get(last)?.state).toBe(last);
    }
    pay('open', ['signed']);
    expect(() => go('open', 'signed', 'sent', { signed: signed('other') })).toThrow(/signed once/);
    expect(() => go('open', 'reserved', 'cancelled', { refusal })).toThrow(/is reserved, not signed/);
    expect(store.spend.at('a', 1)).toMatchObject({ open: 5n, final: 5n });
    store.close();

    const raw = new Database(file);
    for (const sql of [
      `UPDATE transfer SET amount = 6 WHERE id = 'open'`,
      `UPDATE transfer SET payee = 'X' WHERE id = 'open'`,
      `UPDATE transfer SET signature = 'other' WHERE id = 'open'`,
      `DELETE FROM transfer WHERE id = 'open'`,
      `UPDATE transfer SET state = 'reserved' WHERE state = 'final'`,
    ])
      expect(() => raw.exec(sql), sql).toThrow();
    raw.close();
  });
});
