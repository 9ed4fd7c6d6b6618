// Composes the engine from its ports. Start order: the caller locks and reads the store, then recovery looks at every
// open transfer once, and only then are new requests accepted.
import { randomBytes } from 'node:crypto';
import { createAudit, type Audit } from './records/audit.ts';
import type { EngineContext } from './calls/call.ts';
import { createAttended } from './payment/machine/attended.ts';
import { createFolding } from './payment/decision/folding.ts';
import { createFunds } from './records/funds.ts';
import { createGateway, type Gateway, type GatewayDeps } from './models/gateway.ts';
import { soldModels } from './models/sellers.ts';
import { settleLeftOpen } from './models/settle.ts';
import { createGeneration, type Generation, type GenerationDeps } from './pictures/generation.ts';
import { createOutcomes } from './payment/machine/outcomes.ts';
import { createOperations, type Operations } from './api/owner.ts';
import { createViaFacilitator } from './payment/machine/via-facilitator.ts';
import { createMachine } from './payment/machine/machine.ts';
import { createPurchases, type Purchases } from './purchase/purchases.ts';
import type { AnswerFiles, Clock, EngineEvent, LastSeen, SellerRequest, Sellers, Store } from './ports.ts';
import { createAllowances } from './records/allowance.ts';
import { followKnownWallets } from './records/cold.ts';
import { beginReconciliation, missing, rolledBack } from './records/rollback.ts';
import { createRemoteWords, type RemoteWords } from './api/phones/remote-words.ts';
import { createOutages } from './records/outage.ts';
import { createRefills, type Refills } from './records/refills.ts';
import { createReconciliation } from './records/reconciliation.ts';
import { reconciliationMark } from './domain/reconciliation-mark.ts';
import { obeyMarker } from './payment/owner/stop.ts';
import { createCalendar } from './limits/calendar.ts';
import { recountSums } from './limits/meters.ts';
import { createTime } from './domain/time.ts';
import { endInTime } from '../lib/closing.ts';
import { createTurns } from '../lib/turns.ts';
import { createRecovery, type Recovery } from './payment/machine/recovery.ts';

type Given = 'settings' | 'store' | 'stopMarker' | 'chain' | 'keys' | 'receipts' | 'seals' | 'disk' | 'log';

export interface EngineOptions extends Pick<EngineContext, Given | 'halted' | 'network'> {
  clock: Clock;
  images: GenerationDeps;
  models: GatewayDeps;
  sellers: Sellers;
  /** Storage for the bodies of sellers' answers. */
  answerFiles: AnswerFiles;
  lastSeen: LastSeen;
}

export interface Engine {
  operations: Operations;
  context: EngineContext;
  recovery: Recovery;
  audit: Audit;
  generation: Generation;
  refills: Refills;
  remoteWords: RemoteWords;
  kept: Purchases['kept'];
  /** A paid fetch whose caller gets the answer while it arrives. */
  proxy: Purchases['proxy'];
  models: Gateway;
  /** Passes on every event, in order, after its commit. Returns the function that ends the subscription. */
  onEvent(listen: (event: EngineEvent) => void): () => void;
  /** What the records alone need: stops that the disk keeps, the check of the journal, the sums. Once; `start` does it too. */
  begin(): Promise<void>;
  /** Recovers the transfers that the last run left open, reads the wallets, and starts the timers. */
  start(): Promise<void>;
  /** @throws Error that names the parts that do not end, after 30 s */
  stop(): Promise<void>;
}

/** Sellers that were paid have 10 s for their last answers, and an RPC has 10 s for each of its own. */
const endsWithinMs = 30_000;
/** A step of a payment takes 0.25 to 1 ms. */
const paymentsPerTurn = 8;

/** The leading time keeps new ids adjacent in the index, so that one page is written instead of several. */
const newId = (prefix: string): string => {
  const time = Date.now().toString(36).padStart(9, '0');
  return `${prefix}_${time}${randomBytes(10).toString('hex')}`;
};

/** Unix milliseconds. A total that was set under a clock ahead would miss what is spent before that time. */
const newestIn = (store: Store): number =>
  Math.max(store.newestTime(), store.policies.newestSince(), store.limits.newestSince());

export const createEngine = (options: EngineOptions): Engine => {
  const { store, sellers, answerFiles: files } = options;
  const listeners = new Set<(event: EngineEvent) => void>();
  const requests = new Map<string, SellerRequest>();
  const base = {
    ...options,
    calendar: createCalendar(() => store.policies.zone() ?? 'UTC'),
    time: createTime(options.clock, () => newestIn(store)),
    outcomes: createOutcomes(),
    turns: createTurns(paymentsPerTurn),
    newId,
    carried: requests,
    attended: createAttended(),
    knownLinks: new Set<string>(),
    pauses: new Map<string, number>(),
    remoteWords: { unread: (): boolean => remoteWords.unread() },
    folding: createFolding(),
    publish(event: EngineEvent) {
      for (const listen of listeners) listen(event);
      gateway.noticed(event);
      // The charge or the refund of a picture may have changed.
      if (event.type === 'transfer' && (event.transfer.kind === 'charge' || event.transfer.kind === 'refund'))
        generation.touch();
      if (event.type === 'transfer') context.funds.noticed(event.transfer);
      if (event.type === 'transfer' && event.transfer.purchase !== null) purchases.noticed(event.transfer);
    },
  };
  const context: EngineContext = { ...base, funds: createFunds(base), machine: createMachine(base) };
  const viaFacilitator = createViaFacilitator(context, context.machine);
  const sold = soldModels(context, options.models.languageModels);
  const purchases = createPurchases(context, { sellers, files, requests, viaFacilitator, ...sold });
  const recovery = createRecovery(context, context.machine, viaFacilitator);
  const audit = createAudit(context);
  const generation = createGeneration(context, options.images);
  const gateway = createGateway(context, { ...options.models, proxy: purchases.proxy });
  const remoteWords = createRemoteWords(context);
  const parts: Parts = {
    context,
    recovery,
    audit,
    reconciliation: createReconciliation(context),
    generation,
    purchases,
    gateway,
    refills: createRefills(context, context),
    remoteWords,
    allowances: createAllowances(context),
    outages: createOutages(context),
  };
  let begun: Promise<void> | undefined;
  const begin = (): Promise<void> => (begun ??= beginRecords(parts));
  return {
    operations: createOperations(context, options.images, generation, purchases),
    context,
    recovery,
    audit,
    generation,
    kept: purchases.kept,
    proxy: purchases.proxy,
    models: gateway,
    refills: parts.refills,
    remoteWords,
    onEvent(listen) {
      listeners.add(listen);
      return () => void listeners.delete(listen);
    },
    begin,
    start: () => begin().then(() => start(parts)),
    stop: () => stop(parts),
  };
};

type Shared = 'context' | 'recovery' | 'audit' | 'generation' | 'refills' | 'remoteWords';

interface Parts extends Pick<Engine, Shared> {
  reconciliation: ReturnType<typeof createReconciliation>;
  purchases: Purchases;
  gateway: Gateway;
  allowances: ReturnType<typeof createAllowances>;
  outages: ReturnType<typeof createOutages>;
}

const beginRecords = async (parts: Parts): Promise<void> => {
  const { context } = parts;
  const { store } = context;
  obeyMarker(context);
  parts.audit.verifyTail();
  settleLeftOpen(context);
  recountSums(context, context.time.now());
  await parts.purchases.prepare();
  if (context.seals.available()) followKnownWallets(context);
  const mark = reconciliationMark(store);
  if (mark !== null) beginReconciliation(context, mark.kind, mark.kind === 'older' ? rolledBack : missing);
  parts.outages.start();
};

const start = async (parts: Parts): Promise<void> => {
  const { funds, log } = parts.context;
  // A stop from a phone may wait on the chain: it comes before anything is signed or sent.
  await parts.remoteWords.look();
  await parts.recovery.look(true);
  try {
    await funds.compare();
    await funds.refreshLamports();
  } catch (error) {
    log.warn({ err: error }, 'the chain cannot be reached yet; the last known balances stand');
  }
  parts.audit.start();
  parts.reconciliation.start();
  parts.recovery.start();
  funds.start();
  await parts.generation.look();
  parts.generation.start();
  parts.purchases.start();
  parts.refills.start();
  parts.remoteWords.start();
  parts.allowances.start();
};

const stop = async (parts: Parts): Promise<void> => {
  const { context, audit, ...ending } = parts;
  context.outcomes.close();
  audit.stop();
  const ends = Object.entries(ending).map(([name, part]) => [name, part.stop()] as const);
  await endInTime({ ...Object.fromEntries(ends), funds: context.funds.stop() }, endsWithinMs);
};
