// Who comes next: work in turns of the event loop, work that repeats itself, places for calls, and the room for requests that
// wait for the owner.
import { EventEmitter, once } from 'node:events';
import { describe, expect, it } from 'vitest';
import { createPlaces } from '../../server/engine/purchase/places.ts';
import { repeat } from '../../server/lib/repeat.ts';
import { createTurns } from '../../server/lib/turns.ts';
import { givesWay, shownNext, type Waiting } from '../../server/lib/waiting-room.ts';
import { until } from '../harness/treasury.ts';
import { unhandled } from '../harness/programs/unhandled.ts';

const immediate = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** So that many payments leave room for everything else. */
describe('work in turns of the event loop', () => {
  it('admits a few in a turn, the others in the order of their arrival, and loses none', async () => {
    const turns = createTurns(8);
    const admitted: number[] = [];
    const all = Array.from({ length: 100 }, (_, n) => turns.next().then(() => admitted.push(n)));
    const counts: number[] = [];
    for (let turn = 0; turn < 14; turn += 1) {
      await Promise.resolve();
      counts.push(admitted.length);
      await immediate();
    }
    await Promise.all(all);
    expect(admitted).toEqual(Array.from({ length: 100 }, (_, n) => n));
    expect(counts[0]).toBe(8);
    for (const [turn, count] of counts.entries()) expect(count).toBeLessThanOrEqual(8 * (turn + 1));
  });

  it('does not delay a single caller', async () => {
    const turns = createTurns(8);
    let other = false;
    for (let n = 0; n < 8; n += 1) {
      setImmediate(() => {
        other = true;
      });
      await turns.next();
      expect(other).toBe(false);
      await immediate();
      other = false;
    }
  });
});

const throwing = (): never => {
  throw new Error('at once');
};

describe('work that repeats itself', () => {
  it.each([
    ['throws', throwing],
    ['rejects', () => Promise.reject(new Error('later'))],
  ])('goes on after a run that %s, and reports each', async (_, work) => {
    const rejections = unhandled();
    const failures: unknown[] = [];
    const repeated = repeat(work, 1, (error) => void failures.push(error));
    repeated.start();
    await until('three runs', () => failures.length >= 3);
    await repeated.stop();
    expect(failures.every((error) => error instanceof Error)).toBe(true);
    expect(await rejections()).toEqual([]);
  });

  it('stops while a run fails: `stop` waits for the report, and no run follows', async () => {
    const rejections = unhandled();
    const told = new EventEmitter();
    let runs = 0;
    let reports = 0;
    const work = async (): Promise<void> => {
      runs += 1;
      told.emit('begun');
      await once(told, 'fail');
      throw new Error('while it stops');
    };
    const repeated = repeat(work, 1, () => void (reports += 1));
    const begun = once(told, 'begun');
    repeated.start();
    await begun;
    const stopped = repeated.stop();
    told.emit('fail');
    await stopped;
    expect([runs, reports]).toEqual([1, 1]);
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(runs).toBe(1);
    expect(await rejections()).toEqual([]);
  });
});

/** A few of each agent, the agents in turn, and none for a caller that has gone. */
describe('places for calls when many want to run', () => {
  const here = new AbortController().signal;

  const enter = async (
    places: ReturnType<typeof createPlaces>,
    names: readonly string[],
  ): Promise<{ admitted: string[]; leave: Map<string, () => void> }> => {
    const [admitted, leave] = [[] as string[], new Map<string, () => void>()];
    for (const name of names)
      void places.take(name.charAt(0), here).then((give) => {
        admitted.push(name);
        leave.set(name, give);
      });
    await immediate();
    return { admitted, leave };
  };

  it('admits a few calls of each agent, then the agents in turn, each in the order of its calls', async () => {
    const places = createPlaces({ ofOneAgent: 2, ofAll: 3 });
    const { admitted, leave } = await enter(places, ['a1', 'a2', 'a3', 'a4', 'b1', 'b2', 'b3', 'c1']);
    // c has nothing running: it is admitted although all places are taken.
    expect(admitted).toEqual(['a1', 'a2', 'b1', 'c1']);
    for (const name of ['c1', 'a1', 'b1', 'a2', 'a3']) {
      leave.get(name)?.();
      leave.get(name)?.();
      await immediate();
    }
    expect(admitted.slice(4)).toEqual(['a3', 'b2', 'a4', 'b3']);
  });

  it('drops a caller that has gone, and admits a call that continues a payment before one that begins one', async () => {
    const places = createPlaces({ ofOneAgent: 1, ofAll: 1 });
    const leave = await places.take('a', here);
    const gone = new AbortController();
    const dropped = places.take('a', gone.signal);
    const order: string[] = [];
    const later = places.take('a', here).then((give) => (order.push('begins'), give()));
    const first = places.take('a', here, true).then((give) => (order.push('goes on'), give()));
    gone.abort();
    await expect(dropped).rejects.toMatchObject({ code: 'not_available' });
    await expect(places.take('a', gone.signal)).rejects.toMatchObject({ code: 'not_available' });
    leave();
    await Promise.all([later, first]);
    expect(order).toEqual(['goes on', 'begins']);
  });
});

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
