// An engine on a store with one agent, whose other ports are not there: it decides and reserves, and nothing leaves it.
import { randomUUID } from 'node:crypto';
import { wholeClock } from '../../../../server/engine/domain/time.ts';
import { createMachineClock } from '../../../../server/host/clock.ts';
import { usualPolicy } from '../../../../server/contract/limits/policy-fields.ts';
import { createEngine, type Engine } from '../../../../server/engine/engine.ts';
import { openIntent } from '../../../../server/engine/payment/decision/intent.ts';
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
} from '../../../../server/engine/ports.ts';
import { createLastSeen } from '../../../../server/host/last-seen.ts';
import { createLog } from '../../../../server/log.ts';
import { usdc } from '../../../../server/money.ts';
import { noModels, openGate, settingsOf } from '../../../harness/engine/engine-parts.ts';
import { noStopMarker, openStore } from '../../../harness/engine/store.ts';
import { newWallet } from './floor.ts';
import type { Stage } from '../stage.ts';

const amount = usdc(10_000n);
export const fee = 10_000n;
export const agentId = 'payer';
/** No payment comes near it. */
export const plenty = usdc(10n ** 12n);
const owner = newWallet().address;
const wallet = newWallet().address;
const payee = newWallet().address;

export const intent: Intent = {
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
export const withAgent = (file: string): void => {
  const store = openStore(file);
  store.atomically(() => {
    const agent = { agentId, displayName: agentId, status: 'active', statusReason: null } as const;
    store.agents.insert({ ...agent, createdAt: Date.now(), archivedAt: null }, () => wallet);
    const limits = { dailyBudget: plenty, maxPerPayment: usdc(10n ** 9n) };
    store.policies.set(agentId, { ...usualPolicy, ...limits }, Date.now());
    store.wallets.read(wallet, { balance: plenty, slot: 1, now: Date.now(), mark: store.wallets.mark() });
  });
  store.close();
};

export const openBare = async (stage: Stage, file: string): Promise<Engine> => {
  const store = await stage.keep(Promise.resolve(openStore(file)), (it) => it.close());
  const engine = createEngine({
    settings: { ...settingsOf(owner), feeLimit: 10n ** 15n },
    store,
    stopMarker: noStopMarker,
    chain: only<Chain>({ feeLamports: () => fee }),
    keys: only<Keys>({ locked: () => false }),
    receipts: only<Receipts>({}),
    seals: only<Seals>({}),
    clock: wholeClock(createMachineClock()),
    disk: { freeBytes: () => Infinity },
    halted: { reason: null },
    network: openGate,
    images: { providers: only<ImageProviders>({ models: () => [] }), pictures: only<Pictures>({}) },
    models: noModels,
    sellers: only<Sellers>({}),
    answerFiles: only<AnswerFiles>({}),
    lastSeen: createLastSeen(null),
    log: createLog('silent'),
  });
  // Without a phone there is no word to read before the first payment.
  await engine.remoteWords.look();
  return engine;
};

/**
 * Decides once. Returns the time; the reservation is cancelled outside the measured time.
 * @param keyId the API key that pays; null for the owner
 */
export const decider = ({ context }: Engine, keyId: string | null): (() => number) => {
  const body = { service: 'weather', amount: '0.01', currency: 'USDC' };
  const cancelled = { code: 'payment_failed', message: 'measured', details: {} } as const;
  return () => {
    const asker = {
      keyId,
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
