// (c) The policy's decision and its reservation, one durable transaction, after a million payments of the agent and
// after none.
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { usualPolicy } from '../../../server/contract/policy-fields.ts';
import { createEngine } from '../../../server/engine/engine.ts';
import { openIntent } from '../../../server/engine/payment/intent.ts';
import type {
  AnswerFiles,
  ImageProviders,
  Intent,
  Pictures,
  Chain,
  Keys,
  Receipts,
  Seals,
  Sellers,
} from '../../../server/engine/ports.ts';
import { createLastSeen } from '../../../server/host/last-seen.ts';
import { createLog } from '../../../server/log.ts';
import { usdc } from '../../../server/money.ts';
import { newWallet } from './floor.ts';
import { quantile } from './measure.ts';
import { makeModel, writePast } from './past-payments.ts';
import { figure, ratioOf, type Result } from './report.ts';
import type { Stage } from './stage.ts';
import { noStopMarker, openStore } from '../../harness/store.ts';

const usual = { payments: 1_000_000, inWindow: 100_000, warmUp: 500, pairs: 3_000 };
const atMost = 1.3;
const amount = usdc(10_000n);
const fee = 10_000n;
const agentId = 'payer';
const owner = newWallet().address;
const wallet = newWallet().address;
const payee = newWallet().address;

export const benchDecision = async (
  stage: Stage,
  rounds: number,
  { payments, inWindow, warmUp, pairs } = usual,
): Promise<Result[]> => {
  const [big, empty] = [join(stage.folder(), 'treasury.db'), join(stage.folder(), 'treasury.db')];
  for (const file of [big, empty]) withAgent(file);
  stage.say(`c: writing ${payments} payments`);
  const begin = performance.now();
  writeModel(big);
  writePast(big, { now: Date.now(), payments, inWindow });
  stage.say(`c: written in ${((performance.now() - begin) / 1_000).toFixed(1)} s`);
  const ours = await decider(stage, big);
  const floor = await decider(stage, empty);
  stage.say(`c: ${warmUp} pairs to warm up, then ${pairs * rounds}`);
  const times: { ours: number[]; floor: number[] } = { ours: [], floor: [] };
  for (let pair = -warmUp; pair < pairs * rounds; pair += 1) {
    const order = pair % 2 === 0 ? (['ours', 'floor'] as const) : (['floor', 'ours'] as const);
    for (const which of order) {
      const ms = (which === 'ours' ? ours : floor)();
      if (pair >= 0) times[which].push(ms);
    }
  }
  const [decided, floored] = [figure('ms', times.ours), figure('ms', times.floor)];
  const ratio = ratioOf(quantile(times.ours, 0.5), quantile(times.floor, 0.5));
  return [
    {
      id: 'c.decision',
      what: `decision and reservation after ${payments} payments`,
      ours: decided,
      floor: floored,
      ratio,
      target: `at most ${atMost} x an empty store`,
      met: ratio <= atMost,
    },
  ];
};

const intent: Intent = {
  kind: 'payment',
  agentId,
  walletIndex: 1,
  wallet,
  payee,
  asset: 'USDC',
  amount,
  serviceId: 'weather',
  serviceName: 'Weather',
  description: '',
  invoice: null,
};

/** A store with one agent whose wallet is full, closed again. */
const withAgent = (file: string): void => {
  const store = openStore(file);
  store.atomically(() => {
    const agent = { agentId, displayName: agentId, status: 'active', statusReason: null } as const;
    store.agents.insert({ ...agent, createdAt: Date.now(), archivedAt: null }, () => wallet);
    const limits = { dailyBudget: usdc(10n ** 12n), maxPerPayment: usdc(10n ** 9n) };
    store.policies.set(agentId, { ...usualPolicy, ...limits }, Date.now());
    store.wallets.read(wallet, {
      balance: usdc(10n ** 12n),
      slot: 1,
      now: Date.now(),
      mark: store.wallets.mark(),
    });
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

/** Decides once. Returns the time; the reservation is cancelled outside the measured time. */
const decider = async (stage: Stage, file: string): Promise<() => number> => {
  const store = await stage.keep(Promise.resolve(openStore(file)), (it) => it.close());
  const { context } = createEngine({
    settings: {
      network: 'sandbox',
      url: 'http://127.0.0.1:0',
      owner,
      feeLimit: 10n ** 15n,
      rentLimit: null,
      reservationMs: 60_000,
      pollMs: 500,
      resendMs: 2_000,
      answers: { withinMs: 10_000, mostBytes: 1_048_576 },
      bridge: { command: '', args: [], env: {} },
    },
    store,
    stopMarker: noStopMarker,
    chain: only<Chain>({ feeLamports: () => fee }),
    keys: only<Keys>({ locked: () => false }),
    receipts: only<Receipts>({}),
    seals: only<Seals>({}),
    clock: { wall: Date.now, monotonic: () => performance.now() },
    disk: { freeBytes: () => Infinity },
    halted: { reason: null },
    images: { providers: only<ImageProviders>({ models: () => [] }), pictures: only<Pictures>({}) },
    sellers: only<Sellers>({}),
    answerFiles: only<AnswerFiles>({}),
    lastSeen: createLastSeen(null),
    log: createLog('silent'),
  });
  const body = { service: 'weather', amount: '0.01', currency: 'USDC' };
  const cancelled = { code: 'payment_failed', message: 'measured', details: {} } as const;
  return () => {
    const asker = {
      keyId: null,
      wish: null,
      idempotency: { scope: `agent:${agentId}`, key: randomUUID(), route: 'pay', body },
    };
    const facts = { treasuryLamports: 10n ** 12n, rent: 0n };
    const begin = performance.now();
    const { row } = openIntent(context, intent, asker, facts);
    const ms = performance.now() - begin;
    if (row.state !== 'reserved') throw new Error(`the payment was ${row.state}`);
    context.machine.cancel(row.id, cancelled);
    return ms;
  };
};

/** A port of which only these members may be used. */
const only = <T extends object>(given: Partial<T>): T =>
  new Proxy(given, {
    get(target, name) {
      if (name in target) return Reflect.get(target, name) as unknown;
      throw new Error(`${String(name)} is not for a decision`);
    },
  }) as T;
