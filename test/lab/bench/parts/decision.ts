// (c) The policy's decision and its reservation, one durable transaction: after a million payments of the agent and after
// none, after 100,000 requests to models, and on a path of six nodes with twelve limits and under an agent's own two. And a
// limit set after that million.
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { agentId, decider, fee, intent, openBare, withAgent } from '../floors/bare-engine.ts';
import { lateLimits } from './late-limits.ts';
import { quantile, type Pair } from '../measure.ts';
import { plantPath } from './nested-path.ts';
import { makeModel, writePast } from './past-payments.ts';
import { figure, ratioOf, type Result } from '../report.ts';
import type { Stage } from '../stage.ts';
import { usdc } from '../../../../server/money.ts';
import { openStore } from '../../../harness/engine/store.ts';

const usual = { payments: 1_000_000, inWindow: 100_000, requests: 100_000, warmUp: 500, pairs: 3_000 };
const atMost = 1.3;

/** The times of both, pair by pair. */
const inTurns = (
  stage: Stage,
  { warmUp, pairs }: { warmUp: number; pairs: number },
  { ours, floor }: Record<'ours' | 'floor', () => number>,
): Pair => {
  stage.say(`c: ${warmUp} pairs to warm up, then ${pairs}`);
  const times: Pair = { ours: [], floor: [] };
  for (let pair = -warmUp; pair < pairs; pair += 1) {
    const order = pair % 2 === 0 ? (['ours', 'floor'] as const) : (['floor', 'ours'] as const);
    for (const which of order) {
      const ms = (which === 'ours' ? ours : floor)();
      if (pair >= 0) times[which].push(ms);
    }
  }
  return times;
};

const resultOf = (id: string, what: string, target: string, { ours, floor }: Pair): Result => {
  const ratio = ratioOf(quantile(ours, 0.5), quantile(floor, 0.5));
  return {
    id,
    what,
    ours: figure('ms', ours),
    floor: figure('ms', floor),
    ratio,
    target: `at most ${atMost} x ${target}`,
    met: ratio <= atMost,
  };
};

const afterPast = async (
  stage: Stage,
  file: string,
  { payments, inWindow }: Pick<typeof usual, 'payments' | 'inWindow'>,
) => {
  withAgent(file);
  stage.say(`c: writing ${payments} payments`);
  const begin = performance.now();
  writeModel(file);
  writePast(file, { now: Date.now(), payments, inWindow });
  stage.say(`c: written in ${((performance.now() - begin) / 1_000).toFixed(1)} s`);
  return openBare(stage, file);
};

const afterNone = (stage: Stage) => {
  const file = join(stage.folder(), 'treasury.db');
  withAgent(file);
  return openBare(stage, file);
};

export const benchDecision = async (
  stage: Stage,
  rounds: number,
  { payments, inWindow, requests, warmUp, pairs } = usual,
): Promise<Result[]> => {
  const size = { warmUp, pairs: pairs * rounds };
  const big = await afterPast(stage, join(stage.folder(), 'treasury.db'), { payments, inWindow });
  const empty = await afterNone(stage);
  const past = inTurns(stage, size, { ours: decider(big, null), floor: decider(empty, null) });
  const asked = join(stage.folder(), 'treasury.db');
  withAgent(asked);
  askOften(asked, requests);
  const models = inTurns(stage, size, {
    ours: decider(await openBare(stage, asked), null),
    floor: decider(empty, null),
  });
  const nested = await afterNone(stage);
  const plain = await afterNone(stage);
  const keys = { ours: plantPath(nested, 3), floor: plantPath(plain, 0) };
  const path = inTurns(stage, size, {
    ours: decider(nested, keys.ours),
    floor: decider(plain, keys.floor),
  });
  return [
    resultOf('c.decision', `decision and reservation after ${payments} payments`, 'an empty store', past),
    resultOf(
      'c.models',
      `decision and reservation after ${requests} requests to models`,
      'an empty store',
      models,
    ),
    resultOf('c.path', 'decision and reservation on 6 nodes with 12 limits', 'an agent with 2', path),
    ...(await lateLimits(stage, big, payments)),
  ];
};

/** Requests to models, at equal steps over the last day. */
const askOften = (file: string, count: number): void => {
  const store = openStore(file);
  const about = { agentId, keyId: 'key', keyPath: [], groupId: null, serviceId: 'llm:local', model: 'm' };
  const terms = { wire: 'openai-chat', prices: {}, policyVersion: 1, grantId: null, bound: usdc(9n) };
  const end = { state: 'settled', amount: usdc(1n), mark: 'exact' } as const;
  store.atomically(() => {
    for (let left = count; left > 0; left -= 1) {
      const [id, at] = [`mod_${randomUUID()}`, Date.now() - Math.floor((86_000_000 * left) / count)];
      store.modelRequests.insert({ ...about, ...terms, id }, null, at);
      store.modelRequests.end(id, end, at);
    }
  });
  store.close();
};

const writeModel = (file: string): void => {
  const store = openStore(file);
  const now = Date.now();
  const nothing = { refusal: null, approvalId: null, grantId: null, purchase: null };
  const cost = { feeLamports: fee, rentLamports: 0n };
  const decided = {
    id: 'pay_model',
    state: 'reserved',
    policyVersion: 1,
    createdAt: now,
    reservedAt: now,
  } as const;
  makeModel(store, { ...intent, ...nothing, ...cost, ...decided }, now);
  store.close();
};
