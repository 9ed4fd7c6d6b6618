// How good a watch is: what accidents cost before it stops them, and how often it stops an ordinary day.
import { usdc, type Usdc } from '../../../server/money.ts';
import { agentKinds, accidents, type Accident, type AgentKind, type Event, type Trace } from './trace.ts';

export interface History {
  /** In micro-USDC. */
  dailyBudget: Usdc;
  /** The days before, oldest first: the same array at every request of a day, so that a watch may keep sums by it. */
  before: readonly Event[];
  /** Everything since midnight, oldest first, refused requests included. */
  today: readonly Event[];
}

/**
 * A request as the treasury decides it: the policy has already allowed or refused it, and nobody knows yet whether a
 * payment brings anything.
 */
export interface Asked extends Omit<Event, 'outcome'> {
  isRefused: boolean;
}

/** null lets it go on. `about` is the service that the rule is about, or empty where it is about the whole agent. */
export type Verdict = { rule: string; about: string } | null;

export type Watch = (history: History, asked: Asked) => Verdict;

export interface Accidental {
  kind: Accident;
  isStopped: boolean;
  /** In micro-USDC, before the stop or in all: the money that the accident took. */
  loss: Usdc;
  /** Of the daily budget. */
  share: number;
  /** Requests of the accident before the stop, or in all. */
  requests: number;
}

/**
 * The watch is asked from the onset on: earlier stops are those of an ordinary day. The request at which it stops is
 * not made. A stop counts up to the accident's last request.
 * @throws Error when the trace is an ordinary one
 */
export const judgeAccident = (watch: Watch, trace: Trace): Accidental => {
  const { day, label, dailyBudget } = trace;
  if (label.kind === 'ordinary') throw new Error(`seed ${trace.seed} is an ordinary day`);
  const last = day.findLastIndex(({ harm }) => harm !== null);
  const at = stops(watch, trace, label.onset).find(({ index }) => index <= last)?.index;
  const suffered = day.slice(0, at).filter(({ harm }) => harm !== null);
  const loss = usdc(suffered.reduce((sum, { harm }) => sum + (harm ?? 0n), 0n));
  return {
    kind: label.kind,
    isStopped: at !== undefined,
    loss,
    share: Number(loss) / Number(dailyBudget),
    requests: suffered.length,
  };
};

export interface Ordinary {
  agent: AgentKind;
  /** The owner answers "this is normal" to each, so that a rule stops a day once for what it is about. */
  falseStops: number;
}

/** @throws Error when the trace is of an accident */
export const judgeOrdinary = (watch: Watch, trace: Trace): Ordinary => {
  if (trace.label.kind !== 'ordinary') throw new Error(`seed ${trace.seed} is a day with an accident`);
  const found = [...stops(watch, trace, 0)].map(({ verdict: { rule, about } }) => `${rule} ${about}`);
  return { agent: trace.agent, falseStops: new Set(found).size };
};

/** The requests from `from` on at which the watch says stop. */
function* stops(watch: Watch, { history, dailyBudget, day }: Trace, from: number) {
  const today: Event[] = [];
  for (const [index, { at, service, payee, amount, outcome }] of day.entries()) {
    const asked = { at, service, payee, amount, isRefused: outcome === 'refused' };
    const verdict = at < from ? null : watch({ dailyBudget, before: history, today }, asked);
    if (verdict !== null) yield { index, verdict };
    today.push({ at, service, payee, amount, outcome });
  }
}

export interface AccidentScore {
  kind: Accident | 'all';
  traces: number;
  stopped: number;
  /** Medians. Those of all kinds leave refusals out, which take no money. */
  loss: Usdc;
  share: number;
  requests: number;
}

export interface Score {
  kinds: readonly AccidentScore[];
  days: number;
  falseStops: number;
  /** Days with a false stop: they come together, so that the bound of their count is a little too low. */
  stoppedDays: number;
  /** Per 1,000 ordinary agent-days, and its upper bound at 95 %, exact for a Poisson count. */
  perThousand: number;
  upperBound: number;
  perThousandOf: readonly { agent: AgentKind; perThousand: number }[];
}

export const score = (all: readonly Accidental[], days: readonly Ordinary[]): Score => {
  const falseStops = sumOf(days);
  return {
    kinds: [
      ...accidents.map((kind) =>
        scoreOf(
          kind,
          all.filter((one) => one.kind === kind),
        ),
      ),
      scoreOf('all', all),
    ].filter(({ traces }) => traces > 0),
    days: days.length,
    falseStops,
    stoppedDays: days.filter((day) => day.falseStops > 0).length,
    perThousand: perThousand(falseStops, days.length),
    upperBound: perThousand(poissonUpperBound(falseStops), days.length),
    perThousandOf: agentKinds
      .map((agent) => ({ agent, own: days.filter((day) => day.agent === agent) }))
      .filter(({ own }) => own.length > 0)
      .map(({ agent, own }) => ({ agent, perThousand: perThousand(sumOf(own), own.length) })),
  };
};

const perThousand = (count: number, among: number): number => (count * 1_000) / among;

const sumOf = (days: readonly Ordinary[]): number =>
  days.reduce((sum, { falseStops }) => sum + falseStops, 0);

const medianOf = <T extends number | bigint>(values: readonly T[], none: T): T =>
  values.toSorted((a, b) => (a < b ? -1 : a > b ? 1 : 0))[Math.ceil(values.length / 2) - 1] ?? none;

const scoreOf = (kind: AccidentScore['kind'], all: readonly Accidental[]): AccidentScore => {
  const costly = kind === 'all' ? all.filter((one) => one.kind !== 'refusals') : all;
  return {
    kind,
    traces: all.length,
    stopped: all.filter(({ isStopped }) => isStopped).length,
    loss: medianOf(
      costly.map(({ loss }) => loss),
      usdc(0n),
    ),
    share: medianOf(
      costly.map(({ share }) => share),
      0,
    ),
    requests: medianOf(
      costly.map(({ requests }) => requests),
      0,
    ),
  };
};

/** The mean of a Poisson distribution under which so few events, or fewer, have a chance of 1 in 20. */
export const poissonUpperBound = (count: number): number => {
  let [low, high] = [count, 2 * count + 10];
  for (let step = 0; step < 60; step += 1) {
    const mean = (low + high) / 2;
    if (chanceOfAtMost(count, mean) > 0.05) low = mean;
    else high = mean;
  }
  return high;
};

const chanceOfAtMost = (count: number, mean: number): number => {
  let logTerm = -mean;
  let sum = Math.exp(logTerm);
  for (let k = 1; k <= count; k += 1) {
    logTerm += Math.log(mean / k);
    sum += Math.exp(logTerm);
  }
  return sum;
};
