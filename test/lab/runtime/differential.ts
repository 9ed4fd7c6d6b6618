// Both runtimes side by side: the same accounts, then the same transactions one after the other, and after each the
// same outcome and the same accounts. A difference is shrunk to few transactions and few instructions.
import { isDeepStrictEqual } from 'node:util';
import bs58 from 'bs58';
import { sameAccount, type Account } from '../../../server/sandbox/chain/account.ts';
import type { Keypair } from '../../../server/sandbox/chain/keypair.ts';
import type { Outcome, Runtime, Simulation } from '../../../server/sandbox/chain/runtime.ts';
import { createScriptRuntime } from '../../../server/sandbox/chain/script/script-runtime.ts';
import { decodeTransaction, keyText, WireError } from '../../../server/lib/solana/wire.ts';
import { createDice } from '../../harness/dice.ts';
import { realRuntime } from '../../harness/chain/runtime.ts';
import { drawPlan } from './draw.ts';
import { compile, planText, type Plan } from './plan.ts';
import { createPool, type Pool } from './pool.ts';

interface Pair {
  real: Runtime;
  ours: Runtime;
}

/** Programs whose units depend on compiled code that does not run here; those of the others are exact. */
const measured = /^Program (\S+) consumed (\d+) of \d+ compute units$/;

/** How far the units of an outcome were off, by the name of its instruction. */
export type Deviations = Map<
  string,
  { count: number; exact: number; most: number; share: number; least: number; greatest: number }
>;

export interface Found {
  seed: number;
  difference: string;
  plans: Plan[];
}

export interface Tally {
  transactions: number;
  succeeded: number;
  /** Not compared, because the runtime in TypeScript lacks a part of them, and says so. */
  refused: number;
  /** Of each kind of instruction: how often it ran, and how often all went well. */
  kinds: Map<string, { all: number; good: number }>;
  errors: Map<string, number>;
  deviations: Deviations;
}

export const newTally = (): Tally => ({
  transactions: 0,
  succeeded: 0,
  refused: 0,
  kinds: new Map(),
  errors: new Map(),
  deviations: new Map(),
});

const slot = 5_000;
const second = 1_700_000_000;

const begin = (pool: Pool): Pair => {
  const pair = { real: realRuntime(), ours: createScriptRuntime() };
  for (const runtime of [pair.real, pair.ours]) {
    runtime.setTime(slot, second);
    for (const [address, account] of pool.accounts) runtime.write(address, account);
  }
  return pair;
};

/** One life of a chain. Null when both runtimes agreed on all of it. */
export const compareLife = (seed: number, transactions: number, tally: Tally): Found | null => {
  const pool = createPool(createDice(seed), seed);
  const initial = { ...pool, accounts: [...pool.accounts] };
  const pair = begin(pool);
  const plans: Plan[] = [];
  for (let count = 0; count < transactions; count += 1) {
    const plan = drawPlan({ pool, runtime: pair.real });
    plans.push(plan);
    const difference = compareOne(pair, plan, pool.keypairs, tally);
    if (difference !== null) return { seed, difference, plans: shrink(initial, plans) };
  }
  return null;
};

const isReadable = (wire: Uint8Array): boolean => {
  try {
    decodeTransaction(wire);
    return true;
  } catch (error) {
    if (error instanceof WireError) return false;
    throw error;
  }
};

/** Only of instructions and accounts: the programs that are drawn are known to both runtimes or to none. */
const refusesByName = ({ logs }: Outcome): boolean =>
  logs.some((line) => / failed: .+ is not part of this runtime$/.test(line));

/** The difference, or null. */
const compareOne = (
  { real, ours }: Pair,
  plan: Plan,
  keypairs: ReadonlyMap<string, Keypair>,
  tally: Tally | null,
): string | null => {
  const wire = compile(plan, keypairs);
  // The real runtime ends the process on bytes that it cannot read: the chain never shows it such bytes.
  if (!isReadable(wire)) return null;
  const trial = ours.simulate(wire, false);
  if (refusesByName(trial)) {
    if (tally) tally.refused += 1;
    return trial.err === null ? `reported as done:\n${trial.logs.join('\n')}` : null;
  }
  const simulated = compareSimulations(real.simulate(wire, false), trial);
  if (simulated !== null) return `simulated: ${simulated}`;
  const [theirs, mine] = [real.execute(wire), ours.execute(wire)];
  const outcome = compareOutcomes(theirs, mine);
  if (outcome !== null) return outcome;
  if (tally) count(tally, plan, theirs, mine);
  const touched = new Map<string, Uint8Array>();
  for (const { accounts } of plan.instructions)
    for (const { key } of accounts) touched.set(keyText(key), key);
  touched.set(keyText(plan.payer.address), plan.payer.address);
  for (const key of touched.values()) {
    const [one, other] = [real.read(key), ours.read(key)];
    if (!one?.executable && !sameAccount(one, other))
      return `account ${bs58.encode(key)}: ${accountText(one)} and ${accountText(other)}`;
  }
  return null;
};

const compareSimulations = (real: Simulation, ours: Simulation): string | null => {
  const outcome = compareOutcomes(real, ours);
  if (outcome !== null) return outcome;
  return isDeepStrictEqual(texts(real), texts(ours))
    ? null
    : `written ${texts(real).join()} and ${texts(ours).join()}`;
};

const texts = ({ written }: Simulation): string[] =>
  written
    .filter(({ account }) => !account.executable)
    .map(({ address, account }) => `${bs58.encode(address)} ${accountText(account)}`)
    .toSorted();

const compareOutcomes = (real: Outcome, ours: Outcome): string | null => {
  if (!isDeepStrictEqual(real.err, ours.err))
    return `error ${JSON.stringify(real.err)} and ${JSON.stringify(ours.err)}\n${real.logs.join('\n')}\n---\n${ours.logs.join('\n')}`;
  const [theirLines, ourLines] = [
    masked(real.logs),
    masked(ours.logs.filter((line) => !line.endsWith('is not part of this runtime'))),
  ];
  if (!isDeepStrictEqual(theirLines, ourLines))
    return `logs\n${theirLines.join('\n')}\nand\n${ourLines.join('\n')}`;
  if (!isDeepStrictEqual(real.inner, ours.inner))
    return `inner ${JSON.stringify(real.inner)} and ${JSON.stringify(ours.inner)}`;
  if (!isDeepStrictEqual(answer(real), answer(ours)))
    return `returned ${JSON.stringify(answer(real))} and ${JSON.stringify(answer(ours))}`;
  return null;
};

const answer = ({ returned }: Outcome): unknown =>
  returned && [bs58.encode(returned.program), Buffer.from(returned.data).toString('hex')];

const masked = (logs: readonly string[]): string[] =>
  logs.map((line) => line.replace(measured, 'Program $1 consumed'));

const accountText = (account: Account | null): string =>
  account === null
    ? 'nothing'
    : `${account.lamports} ${bs58.encode(account.owner)} ${Buffer.from(account.data).toString('hex')}`;

const count = (tally: Tally, { instructions }: Plan, real: Outcome, ours: Outcome): void => {
  tally.transactions += 1;
  if (real.err === null) tally.succeeded += 1;
  for (const { name } of instructions) {
    const kind = tally.kinds.get(name) ?? { all: 0, good: 0 };
    kind.all += 1;
    if (real.err === null) kind.good += 1;
    tally.kinds.set(name, kind);
  }
  const error = JSON.stringify(real.err).replace(/\[\d+,/, '[');
  tally.errors.set(error, (tally.errors.get(error) ?? 0) + 1);
  const [theirs, mine] = [unitsOf(real), unitsOf(ours)];
  for (const [at, { program, units, index, isInner, failed }] of theirs.entries()) {
    const off = Math.abs(units - (mine[at]?.units ?? 0));
    const name = isInner ? 'called' : instructions[index]?.name.replace('spoilt ', '');
    const key = `${program.slice(0, 5)} ${name}${failed ? ' fails' : ''}`;
    const deviation = tally.deviations.get(key) ?? {
      count: 0,
      exact: 0,
      most: 0,
      share: 0,
      least: Infinity,
      greatest: 0,
    };
    deviation.count += 1;
    if (off === 0) deviation.exact += 1;
    deviation.most = Math.max(deviation.most, off);
    deviation.share = Math.max(deviation.share, off / units);
    deviation.least = Math.min(deviation.least, units);
    deviation.greatest = Math.max(deviation.greatest, units);
    tally.deviations.set(key, deviation);
  }
};

interface Used {
  program: string;
  units: number;
  /** Of the message's instruction. */
  index: number;
  isInner: boolean;
  failed: boolean;
}

const invoked = /^Program \S+ invoke \[(\d+)\]$/;

const unitsOf = ({ logs }: Outcome): Used[] => {
  let index = -1;
  const depths: number[] = [];
  const used: Used[] = [];
  for (const [at, line] of logs.entries()) {
    const depth = Number(invoked.exec(line)?.[1] ?? 0);
    if (depth > 0) depths.push(depth);
    if (depth === 1) index += 1;
    const [, program, units] = measured.exec(line) ?? [];
    const end = logs.slice(at + 1).find((later) => later.startsWith(`Program ${program} `));
    if (program !== undefined)
      used.push({
        program,
        units: Number(units),
        index,
        isInner: (depths.at(-1) ?? 1) > 1,
        failed: end?.includes(' failed') === true,
      });
    if (/ (success|failed: .*)$/.test(line)) depths.pop();
  }
  return used;
};

/** Leaves out transactions before the last, and instructions of each, as long as the last still differs. */
const shrink = (pool: Pool, plans: Plan[]): Plan[] => {
  const differs = (some: readonly Plan[]): boolean => {
    const pair = begin(pool);
    return some.some((plan, at) => {
      const difference = compareOne(pair, plan, pool.keypairs, null);
      return difference !== null && at === some.length - 1;
    });
  };
  let left = plans;
  for (let size = Math.ceil(left.length / 2); size >= 1; size = size === 1 ? 0 : Math.ceil(size / 2))
    for (let at = left.length - 1 - size; at > -size; at -= size) {
      const without = left.filter(
        (_, index) => index < at || index >= at + size || index === left.length - 1,
      );
      if (without.length < left.length && differs(without)) left = without;
    }
  for (const [at, plan] of left.entries())
    for (let index = plan.instructions.length - 1; index >= 0; index -= 1) {
      const current = left[at] ?? plan;
      const fewer = { ...current, instructions: current.instructions.toSpliced(index, 1) };
      const tried = left.with(at, fewer);
      if (fewer.instructions.length > 0 && differs(tried)) left = tried;
    }
  return left;
};

export const foundText = ({ seed, difference, plans }: Found): string =>
  [
    `seed ${seed}: the runtimes differ after ${plans.length} transactions`,
    ...plans.map(planText),
    difference,
  ].join('\n');
