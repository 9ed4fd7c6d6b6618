// The room for requests that wait for the owner: which one is evicted, and which ones count as shown.
import { describe, expect, it } from 'vitest';
import { givesWay, shownNext, type Waiting } from '../../server/lib/waiting-room.ts';

interface Named extends Waiting {
  name: string;
}
const strangers = (
  count: number,
  of: (index: number) => Partial<Waiting> = () => ({}),
  name = 'stranger',
): Named[] =>
  Array.from({ length: count }, (_, index) => ({
    name: `${name} ${index}`,
    door: 'local',
    isKnown: false,
    isShown: false,
    isPolled: false,
    ...of(index),
  }));
const known = (count: number) => strangers(count, () => ({ isKnown: true }), 'known');

describe('a further request', () => {
  it.each([
    { case: 'while there is room', waiting: strangers(19), gives: undefined },
    { case: 'in a full room', waiting: strangers(20), gives: 'stranger 0' },
    {
      case: 'when all but one are polled',
      waiting: strangers(20, (n) => ({ isPolled: n !== 7 })),
      gives: 'stranger 7',
    },
    {
      case: 'when all are polled',
      waiting: strangers(20, () => ({ isPolled: true })),
      gives: 'stranger 0',
    },
    {
      case: 'when the owner was shown the oldest',
      waiting: strangers(20, (n) => ({ isShown: n < 10 })),
      gives: 'stranger 10',
    },
    { case: 'in a room of its own', waiting: [...known(20), ...strangers(19)], gives: undefined },
    {
      case: 'beside any number at the public door',
      waiting: [...strangers(20, () => ({ door: 'public' })), ...strangers(19)],
      gives: undefined,
    },
  ])('of a stranger evicts $gives $case', ({ waiting, gives }) => {
    expect(givesWay(waiting, { isKnown: false, door: 'local' })?.name).toBe(gives);
  });
});

describe('the owner’s view of the list', () => {
  it('marks the first ten of each room, once', () => {
    const waiting = [...known(3), ...strangers(12)];
    const shown = shownNext(waiting);
    expect(shown.map(({ name }) => name)).toEqual([...known(3), ...strangers(10)].map(({ name }) => name));
    for (const one of shown) one.isShown = true;
    expect(shownNext(waiting)).toEqual([]);
  });
});
