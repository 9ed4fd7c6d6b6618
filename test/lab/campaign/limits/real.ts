// The real engine on the real store, over a chain that only says what it is told. Nothing happens by itself.
import { copyFileSync } from 'node:fs';
import { wholeClock } from '../../../../server/engine/domain/time.ts';
import { createEngine, type Engine } from '../../../../server/engine/engine.ts';
import type { LimitNode } from '../../../../server/engine/domain/limits.ts';
import { recountSums } from '../../../../server/engine/limits/meters.ts';
import { grantableApproval, grantPayment } from '../../../../server/engine/payment/owner/approval.ts';
import { openIntent } from '../../../../server/engine/payment/decision/intent.ts';
import type { Call, Chain, MachineClock, Keys, Transfer } from '../../../../server/engine/ports.ts';
import { AppError } from '../../../../server/errors.ts';
import type { Operations } from '../../../../server/engine/api/owner.ts';
import { usualPolicy } from '../../../../server/contract/limits/policy-fields.ts';
import type { Log } from '../../../../server/log.ts';
import { usdc } from '../../../../server/money.ts';
import { noImages, noModels, openGate, settingsOf } from '../../../harness/engine/engine-parts.ts';
import { noStopMarker, openStore } from '../../../harness/engine/store.ts';

export const agentIds = ['ann', 'bob', 'cy', 'di'] as const;
export const keyOf = (agentId: string): string => `key_${agentId}`;
const treasury = 'treasury-wallet';
const walletOf = (index: number): string => `wallet-${index}`;
const opening = usdc(1_000_000_000_000n);

/** A store with four agents that have no limits to speak of, in a file of which each tree gets a copy. */
export const makeTemplate = (file: string, now: number): void => {
  const store = openStore(file, () => now);
  store.atomically(() => {
    const fill = (address: string): boolean =>
      store.wallets.read(address, { balance: opening, slot: 1, now, mark: store.wallets.mark() });
    store.wallets.add({ address: treasury, index: 0, agentId: null });
    fill(treasury);
    for (const agentId of agentIds) {
      const made = { agentId, displayName: agentId, status: 'active', statusReason: null } as const;
      const { wallet } = store.agents.insert({ ...made, createdAt: now, archivedAt: null }, walletOf);
      store.policies.set(agentId, { ...usualPolicy, dailyBudget: opening, maxPerPayment: opening }, now);
      fill(wallet);
      const id = keyOf(agentId);
      const dates = { createdAt: now, expiresAt: null, revokedAt: null };
      store.keys.insert({ id, agentId, hash: id, label: '', ...dates, delegated: null });
    }
  });
  store.close();
};

const never = (): never => {
  throw new Error('the model needs no such thing');
};

export interface Asked {
  kind: 'payment' | 'charge' | 'refund';
  agentId: string;
  /** Null for the owner. */
  keyId: string | null;
  amount: bigint;
  service: string;
  /** Of a refund: its charge. */
  invoice: string | null;
}

export interface Real {
  engine: Engine;
  /** The time of blocks that the chain tells, by slot. */
  blockTimes: Map<number, number>;
  /** False: the chain cannot be reached for a blockhash. */
  chain: { isUp: boolean };
  faults: string[];
  close(): Promise<void>;
}

const silent = (): void => {};
const facts = { treasuryLamports: 10n ** 12n, rent: 0n };

export const openReal = (template: string | null, file: string, clock: MachineClock): Real => {
  if (template !== null) copyFileSync(template, file);
  const faults: string[] = [];
  const broke = ({ err }: { err?: unknown }, said: string): void =>
    void faults.push(`${said}: ${String(err)}`);
  const log = { debug: silent, info: silent, warn: silent, error: broke, fatal: broke } as unknown as Log;
  const blockTimes = new Map<number, number>();
  const reach = { isUp: true };
  const chain = {
    lifetime: () =>
      reach.isUp
        ? Promise.resolve({ blockhash: 'hash', lastValidHeight: 1, slot: 1, height: 1 })
        : Promise.reject(new AppError('chain_unreachable', 'down')),
    build: () => new Uint8Array(),
    broadcast: () => Promise.resolve(),
    onConfirmed: () => silent,
    blockTime: (slot: number) => Promise.resolve(blockTimes.get(slot) ?? null),
    feeLamports: () => 5_000n,
    feeTaken: () => 5_000n,
    isWallet: () => true,
  } as Partial<Chain> as Chain;
  const keys: Keys = {
    locked: () => false,
    address: walletOf,
    owns: () => Promise.resolve(false),
    indexOf: () => Promise.resolve(null),
    sign: (id) => ({ wire: new Uint8Array(), signature: id, messageHash: id }),
    signReceipt: () => '',
    signSignIn: () => ({ address: '', signature: '' }),
  };
  const store = openStore(file, clock.wall);
  const engine = createEngine({
    settings: settingsOf(treasury),
    store,
    stopMarker: noStopMarker,
    chain,
    keys,
    receipts: { issue: () => '' },
    seals: {
      available: () => false,
      last: () => null,
      seal: never,
      coldWallets: () => [],
      addColdWallet: never,
    },
    clock: wholeClock(clock),
    disk: { freeBytes: () => Infinity },
    halted: { reason: null },
    network: openGate,
    images: noImages,
    models: noModels,
    sellers: {
      ask: never,
      offers: never,
      offerOf: never,
      demanded: never,
      mcpProof: never,
      credential: never,
      settlement: never,
      wantsRetry: never,
      signIn: never,
      signInHeaders: never,
      statements: never,
    },
    answerFiles: { draft: never, body: never, list: async () => new Map(), remove: never },
    lastSeen: { of: () => null, note: () => false },
    log,
  });
  // As at every start: without a phone there is no word to read, and the sums are compared with the rows.
  void engine.remoteWords.look();
  if (template === null) recountSums(engine.context, engine.context.time.now());
  return {
    engine,
    blockTimes,
    chain: reach,
    faults,
    async close() {
      await engine.generation.stop();
      store.close();
    },
  };
};

/** A row's state and, where there is one, the refusal, as the reference words them. */
const verdictOf = ({ state, refusal }: Transfer): string => {
  if (refusal === null) return state;
  const { code, details } = refusal;
  const { rule, field, node } = details as { rule?: string; field?: string; node?: LimitNode };
  if (rule === undefined) return `${state} ${code}`;
  const at =
    node === undefined ? 'itself' : node.kind === 'treasury' ? 'treasury' : `${node.kind}:${node.id}`;
  return `${state} ${code} ${field ?? rule} at ${at}`;
};

export const orThrown = (act: () => string): string => {
  try {
    return act();
  } catch (error) {
    if (error instanceof AppError) return `throws ${error.code}`;
    throw error;
  }
};

/** T1. @returns the verdict, and the row unless nothing was stored */
export const ask = (
  { engine: { context } }: Real,
  { kind, agentId, keyId, amount, service, invoice }: Asked,
): { verdict: string; id: string | null } => {
  const agent = context.store.agents.get(agentId);
  if (agent === undefined) throw new Error(`there is no ${agentId}`);
  const isBack = kind === 'refund';
  const intent = {
    kind,
    agentId,
    walletIndex: isBack ? 0 : agent.walletIndex,
    wallet: isBack ? treasury : agent.wallet,
    payee: isBack ? agent.wallet : kind === 'charge' ? treasury : 'payee',
    asset: 'USDC' as const,
    amount: usdc(amount),
    serviceId: service,
    serviceName: service,
    description: '',
    invoice,
  };
  let id: string | null = null;
  const verdict = orThrown(() => {
    const { row } = openIntent(context, intent, { keyId, idempotency: null, wish: null }, facts);
    id = row.id;
    return verdictOf(row);
  });
  return { verdict, id };
};

export const grant = ({ engine: { context } }: Real, rowId: string): string =>
  orThrown(() =>
    context.store.atomically(() => {
      const approvalId = context.store.transfers.get(rowId)?.approvalId ?? '';
      const shown = context.store.approvals.get(approvalId)?.hash ?? '';
      return verdictOf(
        grantPayment(context, grantableApproval(context, approvalId, shown), facts, {
          from: 'desk',
          standing: null,
        }),
      );
    }),
  );

/** T2 and T3. */
export const sign = async ({ engine: { context } }: Real, id: string): Promise<string> => {
  await context.machine.advance(id);
  const row = context.store.transfers.get(id);
  if (row === undefined) throw new Error(`there is no ${id}`);
  return verdictOf(row);
};

/** Calls an operation as its route would, with a body that is parsed already. */
export const call = async (
  { engine }: Real,
  name: keyof Operations,
  { params = {}, body = {}, caller = { role: 'owner' } as Call<'pay'>['caller'] },
): Promise<{ verdict: string; reply: Record<string, unknown> }> => {
  const run = engine.operations[name] as unknown as (
    asked: object,
  ) => Promise<{ body: Record<string, unknown> }> | { body: Record<string, unknown> };
  try {
    const answer = await run({ caller, params, query: {}, body, key: null, waitMs: 0 });
    return { verdict: 'done', reply: answer.body };
  } catch (error) {
    if (error instanceof AppError) return { verdict: `throws ${error.code}`, reply: {} };
    throw error;
  }
};
