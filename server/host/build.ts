// The third stage of a start: the engine, with its records restored and every open transfer looked up once.
import { join } from 'node:path';
import { listModelsAsServices } from '../engine/api/models/image-models.ts';
import { createEngine, type Engine, type EngineOptions } from '../engine/engine.ts';
import { areRecordsWhole } from '../engine/domain/reconciliation-mark.ts';
import { restoreRecords, type Restored } from '../engine/records/restore.ts';
import type { AskSupplier, LanguageModels, Pictures } from '../engine/ports.ts';
import { AppError } from '../errors.ts';
import type { Log } from '../log.ts';
import { createTurns, type Turns } from '../lib/turns.ts';
import { syncFolder } from '../lib/files/durable-folder.ts';
import { createImageProviders, type AllImageProviders } from '../providers/image-providers.ts';
import { createModelSender } from '../providers/model-supplier.ts';
import { createPictures } from '../providers/pictures.ts';
import { createAnswerFiles } from '../store/answers/answer-files.ts';
import { bridgeOf } from './bridge.ts';
import { followCold } from './follow-cold.ts';
import { createLastSeen } from './last-seen.ts';
import type { Connected } from './connect.ts';
import { createProbes, type Probes } from './probes.ts';
import type { Closers, HostOptions } from './options.ts';
import { imageSettings, type ImageSettings } from '../catalog/image-keys.ts';
import { createLanguageModels } from '../catalog/language-models.ts';
import type { Halt, Opened } from './open.ts';
import { fundOnce } from './operations.ts';
import { keysOf, receiptsOf, sealsOf } from './vault.ts';
import { goOnOnceReached } from './wait-for-network.ts';

export interface Built {
  engine: Engine;
  restored: Restored | null;
  pictures: Pictures;
  imageKeys: ImageSettings;
  providers: AllImageProviders;
  languageModels: LanguageModels;
  askSupplier: AskSupplier;
  probes: Probes;
  /** The turns in which pieces of sellers' answers are sent on. */
  pieces: Turns;
}

/** Limits per agent in 24 hours: network fees, and rent of payees' new token accounts: 0.05 and 0.02 SOL. */
const feeLimitLamports = 50_000_000n;
const rentLimitLamports = 20_000_000n;

/**
 * Pieces of sellers' answers sent to callers in one turn of the event loop; each takes some tenths of a millisecond.
 */
const piecesPerTurn = 1;

const settingsOf = (
  { config, proxyHoldMs = 60_000 }: HostOptions,
  owner: string,
): Omit<EngineOptions['settings'], 'ownOrigins' | 'bridge'> => ({
  network: config.network,
  owner,
  feeLimit: config.network === 'sandbox' ? null : feeLimitLamports,
  rentLimit: config.network === 'sandbox' ? null : rentLimitLamports,
  reservationMs: 60_000,
  pollMs: 500,
  resendMs: 2_000,
  answers: config.answers,
  proxyHoldMs,
});

const modelParts = (
  { config, log }: HostOptions,
  { folder, store, vault, clock, ownOrigins }: Opened & Pick<Connected, 'ownOrigins'>,
  closers: Closers,
): Pick<Built, 'pictures' | 'imageKeys' | 'providers' | 'languageModels' | 'askSupplier'> => {
  const imageKeys = imageSettings(store, vault);
  const providers = createImageProviders({
    network: config.network,
    hasKey: (providerId) => imageKeys.view(providerId).hasKey,
    keyOf: imageKeys.keyOf,
    settingsOf: imageKeys.settingsOf,
    changes: store.models.changes,
    log,
  });
  const languageModels = createLanguageModels({
    store,
    vault,
    now: clock.wall,
    loadPrices: async () => (await import('../providers/model-prices.ts')).createPriceList(),
  });
  const pictures = createPictures({ folder: join(folder, 'pictures') });
  const sender = createModelSender({ allowOrigins: config.allowOrigins, ownOrigins });
  closers.push(['the suppliers of models', sender.close]);
  return { pictures, imageKeys, providers, languageModels, askSupplier: sender.ask };
};

/** @throws AppError `chain_unreachable` when missing records cannot be restored */
export const build = async (
  options: HostOptions,
  opened: Opened,
  { chain, gate, checkChain, runtime, faucet, http, publicAddress, ownOrigins, sellers }: Connected,
  closers: Closers,
): Promise<Built> => {
  const { config, log, pictureWithinMs } = options;
  const { folder, store, clock, disk, stopMarker, vault, owner, halted } = opened;
  const keys = keysOf(vault, store, owner, chain.mint);
  const models = modelParts(options, { ...opened, ownOrigins }, closers);
  const pieces = createTurns(piecesPerTurn);
  const lastSeen = createLastSeen(join(folder, 'last-seen.json'));
  closers.push(['the times last seen', lastSeen.close]);
  const engine = createEngine({
    settings: {
      ...settingsOf(options, owner),
      ownOrigins,
      bridge: () => bridgeOf(options, http.url, publicAddress.url()),
    },
    store,
    stopMarker,
    chain,
    keys,
    receipts: receiptsOf(keys, config.network),
    seals: sealsOf(vault),
    clock,
    disk,
    halted,
    network: gate,
    images: {
      ...models,
      ...(pictureWithinMs === undefined ? {} : { answersWithinMs: pictureWithinMs }),
    },
    models,
    sellers,
    answerFiles: createAnswerFiles({
      folder: join(folder, 'answers'),
      syncFolder,
      turn: () => pieces.next(),
    }),
    lastSeen,
    log,
  });
  const restored = gate.isChecked() ? await restoreRecords(engine.context) : null;
  listModelsAsServices(engine.context, models.providers);
  tellOfHalt(engine, halted);
  keepZone(engine);
  if (areRecordsWhole(store)) await engine.begin();
  closers.push(['the engine', engine.stop]);
  if (gate.isChecked()) {
    gate.open();
    await engine.start();
  } else closers.push(['the start', startLater({ engine, gate, checkChain, chain, log })]);
  if (runtime !== null) await fundOnce({ engine, faucet, chain });
  const scan = (): void => void engine.context.funds.scanDeposits().catch(() => {});
  closers.push(['the subscription', chain.onChange(owner, scan)]);
  closers.push(['the cold treasury', followCold(engine, chain)]);
  const probes = createProbes({
    urls: config,
    treasury: owner,
    chain,
    gate,
    changed: () => engine.context.publish({ type: 'network' }),
    log,
  });
  probes.start();
  closers.push(['the probes', probes.stop]);
  return { engine, restored, ...models, probes, pieces };
};

/**
 * Everything is shown meanwhile, and everything can be stopped. The gate opens once recovery has looked: it cancels every
 * reserved row that it finds, so that no request may have made one.
 */
const startLater = ({
  engine,
  gate,
  checkChain,
  chain,
  log,
}: Pick<Connected, 'gate' | 'checkChain' | 'chain'> & {
  engine: Engine;
  log: Log;
}): (() => Promise<void>) => {
  let started: Promise<void> | undefined;
  const goOn = async (): Promise<void> => {
    if (!gate.isChecked()) await checkChain();
    await restoreRecords(engine.context);
    await (started ??= engine.start());
  };
  log.warn(gate.wait(), 'the network is not reached: the treasury waits for it, and pays nothing until then');
  const end = goOnOnceReached(goOn, gate, log);
  return async () => {
    // The answer that is waited for may never come.
    if (gate.wait() !== null) chain.close();
    await end();
  };
};

/** The owner's time zone is the machine's until the owner sets another; it does not follow the machine. */
const keepZone = ({ context: { store, time } }: Engine): void => {
  if (store.policies.zone() !== null) return;
  const { timeZone } = new Intl.DateTimeFormat().resolvedOptions();
  store.atomically(() => store.policies.setZone(timeZone, time.now()));
};

const tellOfHalt = ({ context }: Engine, { listeners }: Halt): void => {
  listeners.push((reason) => {
    context.publish({ type: 'halted', reason });
    const message = `The treasury has stopped: ${reason}. Once it runs again, the same Idempotency-Key returns what became of this.`;
    context.outcomes.halt(new AppError('halted', message, { outcome: 'unknown' }));
  });
};
