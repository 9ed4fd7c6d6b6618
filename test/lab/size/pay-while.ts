// The time of a payment during long work of the host, compared with payments of the same host at rest.
import { timed } from '../bench/measure.ts';
import { judged, type Compared } from './compare.ts';
import { payOn, type Side } from './questions.ts';

const samples = 3_000;

/** @param work runs until `signal`, or until it is done; its end is awaited */
export const payWhile = async (
  side: Side,
  { id, what }: Pick<Compared, 'id' | 'what'>,
  work: (signal: AbortSignal) => Promise<void>,
): Promise<Compared> => {
  const pay = payOn(side);
  const [alone, during]: [number[], number[]] = [[], []];
  for (let n = 0; n < samples; n += 1) alone.push(await timed(pay));
  const [ending, ended] = [new AbortController(), new AbortController()];
  const working = work(ending.signal).finally(() => ended.abort());
  try {
    while (!ended.signal.aborted && during.length < samples) during.push(await timed(pay));
  } finally {
    ending.abort();
    await working;
  }
  return judged({ id, what: `POST /pay while ${what}, against without` }, during, alone);
};
