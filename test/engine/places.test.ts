// Places for calls when many want to run: a few of each agent, the agents in turn, and none for a caller that has gone.
import { expect, it } from 'vitest';
import { createPlaces } from '../../server/engine/purchase/places.ts';

const here = new AbortController().signal;
const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

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
  await settled();
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
    await settled();
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
