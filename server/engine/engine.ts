// Puts the engine together from its ports. Start order: the store is locked and read by its owner, then every open
// transfer is looked at once, and only then may anybody ask for a new one.
import type { Log } from '../log.ts';
import { randomBytes } from 'node:crypto';
import { createAudit, type Audit } from './records/audit.ts';
import type { Settings } from './payment/context.ts';
import type { EngineContext } from './api/api.ts';
import { createBurst } from './payment/burst.ts';
import { createAttended } from './payment/attended.ts';
import { refusalsInFull } from './payment/folding.ts';
import { createFunds } from './records/funds.ts';
import { createGeneration, type Generation, type GenerationDeps } from './pictures/generation.ts';
import { createOutcomes } from './payment/outcomes.ts';
import { createOperations, type Operations } from './api/owner.ts';
import { createViaFacilitator } from './payment/via-facilitator.ts';
import { createMachine } from './payment/machine.ts';
import { createPurchases, type Purchases } from './purchase/purchases.ts';
import type {
  AnswerFiles,
  Chain,
  Clock,
  Disk,
  EngineEvent,
  Keys,
  Receipts,
  Seals,
  SellerRequest,
  Sellers,
  StopMarker,
  Store,
} from './ports.ts';
import { beginReconciliation, missing, rolledBack } from './records/rollback.ts';
import { createReconciliation } from './records/reconciliation.ts';
import { reconciliationMark } from './domain/reconciliation-mark.ts';
import { obeyMarker } from './payment/stop.ts';
import { createTime } from './domain/time.ts';
import { createTurns } from '../lib/turns.ts';
import { createRecovery, type Recovery } from './payment/recovery.ts';

export interface EngineOptions {
  settings: Settings;
  store: Store;
  stopMarker: StopMarker;
  chain: Chain;
  keys: Keys;
  receipts: Receipts;
  seals: Seals;
  clock: Clock;
  disk: Disk;
  halted: EngineContext['halted'];
  images: GenerationDeps;
  sellers: Sellers;
  /** Where what sellers deliver is kept. */
  answerFiles: AnswerFiles;
  log: Log;
}

export interface Engine {
  operations: Operations;
  context: EngineContext;
  recovery: Recovery;
  audit: Audit;
  generation: Generation;
  kept: Purchases['kept'];
  /** Every event, in order, after its commit. Returns the end of the subscription. */
  onEvent(listen: (event: EngineEvent) => void): () => void;
  /** Reads the wallets, looks at what the last run left open, and starts the timers. */
  start(): Promise<void>;
  stop(): Promise<void>;
}

/** A step of a payment takes a quarter of a millisecond to a whole one. */
const paymentsPerTurn = 8;

/** The time in front keeps new ids together in the index, which so writes one page instead of several. */
const newId = (prefix: string): string => {
  const time = Date.now().toString(36).padStart(9, '0');
  return `${prefix}_${time}${randomBytes(10).toString('hex')}`;
};

export const createEngine = (options: EngineOptions): Engine => {
  const { store, log } = options;
  const listeners = new Set<(event: EngineEvent) => void>();
  const requests = new Map<string, SellerRequest>();
  const base = {
    ...options,
    time: createTime(options.clock, store.newestTime),
    outcomes: createOutcomes(),
    turns: createTurns(paymentsPerTurn),
    newId,
    carried: requests,
    attended: createAttended(),
    knownLinks: new Set<string>(),
    folding: { burst: createBurst(refusalsInFull), counting: new Map() },
    publish(event: EngineEvent) {
      for (const listen of listeners) listen(event);
      // A charge or a refund of a task may have moved.
      if (event.type === 'transfer' && (event.transfer.kind === 'charge' || event.transfer.kind === 'refund'))
        generation.touch();
      if (event.type === 'transfer' && event.transfer.purchase !== null) purchases.noticed(event.transfer);
    },
  };
  const context: EngineContext = { ...base, funds: createFunds(base), machine: createMachine(base) };
  const viaFacilitator = createViaFacilitator(context, context.machine);
  const purchases = createPurchases(context, {
    sellers: options.sellers,
    files: options.answerFiles,
    requests,
    viaFacilitator,
  });
  const recovery = createRecovery(context, context.machine, viaFacilitator);
  const audit = createAudit(context);
  const reconciliation = createReconciliation(context);
  const generation = createGeneration(context, options.images);

  return {
    operations: createOperations(context, options.images, generation, purchases),
    context,
    recovery,
    audit,
    generation,
    kept: purchases.kept,
    onEvent(listen) {
      listeners.add(listen);
      return () => void listeners.delete(listen);
    },
    async start() {
      obeyMarker(context);
      audit.verifyTail();
      await purchases.prepare();
      const mark = reconciliationMark(store);
      if (mark !== null)
        beginReconciliation(context, mark.kind, mark.kind === 'older' ? rolledBack : missing);
      await recovery.look(true);
      try {
        await context.funds.compare();
        await context.funds.refreshLamports();
      } catch (error) {
        log.warn({ err: error }, 'the chain cannot be reached yet; the last known balances stand');
      }
      audit.start();
      reconciliation.start();
      recovery.start();
      context.funds.start();
      await generation.look();
      generation.start();
      purchases.start();
    },
    async stop() {
      context.outcomes.close();
      audit.stop();
      await Promise.all([
        generation.stop(),
        purchases.stop(),
        recovery.stop(),
        reconciliation.stop(),
        context.funds.stop(),
      ]);
    },
  };
};
