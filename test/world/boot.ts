// Starts a process of the treasury: the real engine on the database of a life, over simulated nodes and time.
import { wholeClock } from '../../server/engine/domain/time.ts';
import { createEngine, type Engine } from '../../server/engine/engine.ts';
import type {
  AskSupplier,
  Keys,
  LanguageModels,
  ModelRequest,
  Seals,
  StopMarker,
  Store,
} from '../../server/engine/ports.ts';
import { createLastSeen } from '../../server/host/last-seen.ts';
import { keysOf, receiptsOf } from '../../server/host/vault.ts';
import type { Log } from '../../server/log.ts';
import { createChain, type ChainOptions, type SolanaChain } from '../../server/solana/chain.ts';
import { createSellers } from '../../server/x402/sellers.ts';
import type { Outbound } from '../../server/x402/outbound.ts';
import { createAnswerFiles } from './answers-kept.ts';
import { AppError } from '../../server/errors.ts';
import { createStore } from '../../server/store/store.ts';
import { createLanguageModels } from '../../server/catalog/language-models.ts';
import { noImages, openGate, settingsOf } from '../harness/engine/engine-parts.ts';
import { mint, treasury, vault } from './keys.ts';
import type { SimTime } from './sim-time.ts';
import { asking } from './suppliers.ts';
import type { Listener, Moment, Process } from './wire.ts';

const silentLog = {
  debug() {},
  info() {},
  warn() {},
  error() {},
  fatal() {},
  child: () => silentLog,
} as unknown as Log;

export interface Boot {
  process: Process;
  store: Store;
  chain: SolanaChain;
  engine: Engine;
  /** Set once the disk has failed. */
  halted: { reason: string | null };
}

/** The surroundings of a process. */
export interface Ground {
  mine: Process;
  file: string;
  time: SimTime;
  isAlone: boolean;
  reach: NonNullable<ChainOptions['reach']>;
  seals: Seals;
  listener: Listener;
  stopMarker: StopMarker;
  outbound: Outbound;
  askSupplier: AskSupplier;
  /** Sellers' answers on the disk. */
  answers: Map<string, Buffer>;
}

export const bootTreasury = ({
  mine,
  file,
  time,
  isAlone,
  reach,
  seals,
  listener,
  outbound,
  askSupplier,
  answers,
  stopMarker,
}: Ground): Boot => {
  const halted: { reason: string | null } = { reason: null };
  const store = createStore({
    file,
    now: time.now,
    onHalt(error) {
      halted.reason = error.message;
      engine.context.outcomes.halt(new AppError('halted', error.message));
    },
  });
  watchRequests(store, mine, listener);
  const chainPort = createChain({
    rpcUrl: 'http://first',
    wsUrl: '',
    ...(isAlone ? {} : { secondRpcUrl: 'http://second' }),
    mint,
    treasury,
    genesis: null,
    maxComputeUnitPrice: 0n,
    log: silentLog,
    gate: openGate,
    reach,
  });
  const real = keysOf(vault as unknown as Parameters<typeof keysOf>[0], store, treasury, mint);
  const keys: Keys = {
    ...real,
    sign(id, message) {
      if (!mine.alive) throw new Error('this process has ended');
      listener.onSigning(id, message);
      const signed = real.sign(id, message);
      listener.onMoment('signed');
      return signed;
    },
  };
  const engine = createEngine({
    settings: settingsOf(treasury),
    store,
    stopMarker,
    chain: chainPort,
    keys,
    receipts: receiptsOf(keys, 'sandbox'),
    seals,
    clock: wholeClock({ wall: time.now, monotonic: time.now }),
    disk: { freeBytes: () => Infinity },
    halted,
    network: openGate,
    images: noImages,
    models: { languageModels: modelsOf(store, time), askSupplier },
    sellers: createSellers({ network: 'sandbox', mint, outbound, now: time.now }),
    answerFiles: createAnswerFiles(answers, mine),
    lastSeen: createLastSeen(null),
    log: silentLog,
  });
  return { process: mine, store, chain: chainPort, engine, halted };
};

/** Tells of each row in the transaction that makes or ends it, so that the reference sees them in their true order. */
const watchRequests = ({ modelRequests }: Store, mine: Process, listener: Listener): void => {
  const { insert, end } = modelRequests;
  const tell = (row: ModelRequest, moment: Moment): void => {
    if (!mine.alive) return;
    listener.onRequestRow(row, asking.getStore());
    listener.onMoment(moment);
  };
  modelRequests.insert = (...terms) => {
    const row = insert(...terms);
    tell(row, 'a request is held');
    return row;
  };
  modelRequests.end = (...terms) => {
    const row = end(...terms);
    if (row !== null) tell(row, 'a request ends');
    return row;
  };
};

/** Priced by the owner alone. */
const modelsOf = (store: Store, { now }: SimTime): LanguageModels =>
  createLanguageModels({
    store,
    vault: { getSecret: () => undefined, setSecret() {} },
    now,
    loadPrices: async () => ({ find: () => null, ids: () => [] }),
  });
