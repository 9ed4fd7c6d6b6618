// Limits that are set on an agent with a long past, while it goes on paying.
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Engine } from '../../../../server/engine/engine.ts';
import { prepareMeters } from '../../../../server/engine/limits/meters.ts';
import { noLimits } from '../../../../server/engine/domain/limits.ts';
import type { Call } from '../../../../server/engine/ports.ts';
import { agentId, decider, plenty } from '../floors/bare-engine.ts';
import { figure, type Result } from '../report.ts';
import type { Stage } from '../stage.ts';
import { localDoor } from '../../../harness/local-door.ts';

const mostMs = 1_000;
const mostWaitMs = 20;

interface Late {
  /** Until the limits are in force. */
  ms: number;
  /** Of each payment asked for meanwhile, until it was reserved. */
  waits: number[];
}

/** The time of the work, and of the payments that are asked for one after another while it goes on. */
const paidDuring = async (engine: Engine, work: () => Promise<unknown>): Promise<Late> => {
  const decide = decider(engine, null);
  const waits: number[] = [];
  const over = new AbortController();
  const begin = performance.now();
  const working = work().finally(() => over.abort());
  while (!over.signal.aborted) {
    const asked = performance.now();
    await nextTurn();
    decide();
    waits.push(performance.now() - asked);
  }
  await working;
  return { ms: performance.now() - begin, waits };
};

const owners = (body: Call<'setPolicy'>['body']): Call<'setPolicy'> => ({
  caller: { role: 'owner' },
  door: localDoor,
  params: { agentId },
  query: {},
  body,
  key: null,
  waitMs: null,
});

const allLate = {
  weeklyBudget: plenty,
  monthlyBudget: plenty,
  totalBudget: plenty,
  paymentsPerHour: 1_000_000_000,
  paymentsPerDay: 1_000_000_000,
};
const none = Object.fromEntries(Object.keys(allLate).map((field) => [field, null]));

/** The work that sums every payment of the past is made up: no limit that is set late reaches back so far. */
const wholePast = ({ context }: Engine): Promise<void> => {
  const limits = { ...noLimits, totalBudget: plenty };
  return prepareMeters(context, { scope: agentId, limits, totalSince: 0 }, context.time.now());
};

const resultsOf = (id: string, what: string, { ms, waits }: Late, atRest: Late): Result[] => {
  const longest = Math.max(...waits);
  const restless = Math.max(...atRest.waits);
  return [
    {
      id,
      what,
      ours: figure('ms', [ms]),
      floor: null,
      ratio: null,
      target: `at most ${mostMs} ms`,
      met: ms <= mostMs,
    },
    {
      id: `${id}-wait`,
      what: 'payments meanwhile, against payments at rest',
      ours: figure('ms', waits),
      floor: figure('ms', atRest.waits),
      ratio: null,
      target: `at most ${mostWaitMs} ms; longest ${longest.toFixed(1)}, at rest ${restless.toFixed(1)}`,
      met: longest <= mostWaitMs,
    },
  ];
};

const restTurns = 200;
const rest = async (): Promise<void> => {
  for (let turn = 0; turn < restTurns; turn += 1) await nextTurn();
};

/** @param engine whose agent has made so many payments, and has no limits but a daily budget and a most for one payment */
export const lateLimits = async (stage: Stage, engine: Engine, payments: number): Promise<Result[]> => {
  stage.say('c: limits set late');
  const set = (limits: Call<'setPolicy'>['body']) => async (): Promise<unknown> =>
    engine.operations.setPolicy(owners(limits));
  const atRest = await paidDuring(engine, rest);
  const late = await paidDuring(engine, set(allLate));
  await set(none)();
  const whole = await paidDuring(engine, () => wholePast(engine));
  return [
    ...resultsOf('c.late', `five limits set after ${payments} payments`, late, atRest),
    ...resultsOf('c.late-all', `a sum over all ${payments} payments`, whole, atRest),
  ];
};
