// The states of a transfer: the code's table equals the one in build/docs/architecture.md, and has no forbidden move.
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { allStates as states, isOpen as isOpenRow, mayGo } from '../../server/engine/domain/states.ts';
import type { TransferState } from '../../server/engine/ports.ts';

const isOpen = (state: TransferState): boolean => isOpenRow({ state });
const transitions = Object.fromEntries(
  states.map((from) => [from, states.filter((to) => mayGo(from, to))]),
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
const into = (to: TransferState) => states.filter((state) => transitions[state].includes(to));

describe('the table of states', () => {
  it('is the one that is documented, and says which states count as spent', () => {
    const code = states.map((state) => ({
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
    const ends = states.filter((state) => transitions[state].length === 0);
    expect(ends.toSorted()).toEqual(['cancelled', 'dead', 'denied', 'failed', 'final']);
    for (const state of states.filter((one) => !ends.includes(one)))
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
});
