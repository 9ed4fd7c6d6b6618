// The one composition root of everything headless: store, chain, vault, engine, HTTP; closed in reverse order.
// server/main.ts, electron/main.ts and the tests start it.
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Router } from 'express';
import type { Config } from '../config.ts';
import { usdcMints } from '../contract/networks.ts';
import type { OwnerApi, OwnerEvent } from '../contract/owner-api.ts';
import { keyOf } from '../engine/api/credentials.ts';
import { createEngine, type Engine } from '../engine/engine.ts';
import { createTurns } from '../lib/turns.ts';
import { listModelsAsServices } from '../engine/api/models.ts';
import { createPathCheck, linkOf, type CheckPath } from '../engine/api/path.ts';
import { createOwnerApi } from '../engine/api/owner.ts';
import type { Clock, Disk, Network } from '../engine/ports.ts';
import { beginRecords, restoreRecords } from '../engine/records/restore.ts';
import { eventView } from '../engine/api/views.ts';
import { AppError, invariant } from '../errors.ts';
import { streamsOf } from './streams.ts';
import { keysOf, openVault, phraseOf, receiptsOf, sealsOf, type Secrets, vaultOf } from './vault.ts';
import { aboutOperations } from './about.ts';
import { createBackups } from '../backup/backup.ts';
import { bridgeOf } from './bridge.ts';
import { createBazaar } from '../catalog/bazaar.ts';
import { catalogOperations } from '../catalog/catalog.ts';
import { imageSettings } from './image-keys.ts';
import { createMachineClock } from './clock.ts';
import { openStopMarker } from './stop-marker.ts';
import { createDisk } from './disk.ts';
import { checkGenesis } from './genesis.ts';
import { addWeather, fundOnce, hostOperations, openTestAccount } from './operations.ts';
import { createDashboard } from '../http/dashboard.ts';
import { createKnownCallers } from '../http/known-callers.ts';
import { createLogins } from '../http/logins.ts';
import { createOwnerTokens } from '../http/owner-token.ts';
import { createRouter } from '../http/router.ts';
import { listen } from '../http/server.ts';
import type { RootLog } from '../log.ts';
import { syncFolder } from '../providers/durable-folder.ts';
import { createImageProviders } from '../providers/image-providers.ts';
import { createPictures } from '../providers/pictures.ts';
import { createSandbox } from '../sandbox/sandbox.ts';
import { createWeather } from '../sandbox/weather.ts';
import { createChain } from '../solana/chain.ts';
import { createFaucet } from '../solana/faucet.ts';
import { createSignIn } from '../signin/sign-in.ts';
import { createAnswerFiles } from '../store/answer-files.ts';
import { createStore } from '../store/store.ts';
import { needsPassphrase, type Vault } from '../vault/vault.ts';
import { createGrantStore } from '../paywall/grant-store.ts';
import { createOutbound } from '../x402/outbound.ts';
import { createSellers } from '../x402/sellers.ts';

export interface HostOptions extends Secrets {
  config: Config;
  log: RootLog;
  /** Default: the machine's clock. */
  clock?: Clock;
  /** Default: the machine's disk. */
  disk?: Disk;
  /** The folder of the built dashboard; without it only /v1 is served. */
  dashboard?: string;
  /** Timeout of an image provider, in milliseconds. */
  pictureWithinMs?: number;
  /** How an MCP host starts the bridge: the command and its first arguments. */
  bridge?: { command: string; args: readonly string[] };
}

export interface Host {
  url: string;
  owner: string;
  network: Network;
  rpcUrl: string;
  /** Null where no owner token is written to a file. */
  cookieFile: string | null;
  engine: Engine;
  vault: Vault;
  /** The owner's calls, for the desktop that runs this host. */
  api: OwnerApi;
  /** A URL that signs a browser in to the dashboard once, within ten minutes; null where no dashboard is served. */
  newLoginUrl(): string | null;
  /** Ends the work under way, then closes everything in reverse order. */
  close(): Promise<void>;
}

/** Limits per agent in 24 hours: network fees, and rent of payees' new token accounts: 0.05 and 0.02 SOL. */
const feeLimitLamports = 50_000_000n;
const rentLimitLamports = 20_000_000n;

/**
 * Pieces of sellers' answers sent to callers in one turn of the event loop; each takes some tenths of a millisecond.
 */
const piecesPerTurn = 1;
/** Requests of all agents together that begin in one turn; the owner's are not counted. */
const requestsPerTurn = 8;

/** The owner's 24-word recovery phrase, for the command that prints it. @throws AppError as the vault does */
export const exportPhrase = ({ config, log, ...secrets }: Omit<HostOptions, 'clock'>): Promise<string> =>
  phraseOf(vaultOf(config, log), secrets);

export { restoreBackup, restoredText } from '../backup/restore.ts';

/**
 * Starts a treasury on its data folder, in this order: lock the store, open the vault, check that the chain is the one
 * this treasury belongs to, restore missing records from it, look up every open transfer once, then answer requests.
 * @throws AppError with the next step in its message: `conflict` (folder or port in use), `chain_unreachable`, ...
 */
export const createHost = async (options: HostOptions): Promise<Host> => {
  const { config, log } = options;
  const { network } = config;
  const closers: (() => void | Promise<void>)[] = [];
  const close = async (): Promise<void> => {
    for (const closeOne of closers.toReversed()) await closeOne();
  };
  try {
    const folder = join(config.dataDir, network);
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const halted: { reason: string | null } = { reason: null };
    const haltListeners: ((reason: string) => void)[] = [];
    const onHalt = (error: Error): void => {
      halted.reason = 'its disk failed';
      log.fatal({ err: error }, 'the disk failed: nothing more is paid until a restart');
      for (const tell of haltListeners) tell(halted.reason);
    };
    const database = join(folder, 'treasury.db');
    const store = createStore({ file: database, now: Date.now, onHalt });
    closers.push(store.close);
    const clock = options.clock ?? createMachineClock();
    const stopMarker = openStopMarker(folder, store, clock.wall);
    closers.push(stopMarker.close);

    const vault = vaultOf(config, log);
    if (await openVault(vault, options)) beginRecords(store);
    const owner = vault.treasuryAddress;
    invariant(owner !== null, 'an opened vault has a treasury');

    const ownChain = { ...config.sandbox, dataDir: join(folder, 'chain'), port: 0, log };
    const sandbox = config.rpcUrl === null ? await createSandbox(ownChain) : null;
    if (sandbox !== null) closers.push(sandbox.close);
    const rpcUrl = sandbox?.rpcUrl ?? config.rpcUrl;
    const wsUrl = sandbox?.wsUrl ?? config.wsUrl;
    invariant(rpcUrl !== null && wsUrl !== null, 'there is a chain to talk to');
    const chain = createChain({
      rpcUrl,
      wsUrl,
      ...(config.secondRpcUrl === null ? {} : { secondRpcUrl: config.secondRpcUrl }),
      mint: usdcMints[network],
      treasury: owner,
      maxComputeUnitPrice: network === 'mainnet' ? 1_000_000n : 0n,
      log,
    });
    closers.push(chain.close);
    await checkGenesis(chain, store, network);
    store.atomically(() => store.wallets.add({ address: owner, index: 0, agentId: null }));

    const http = await listen({ port: config.port, log });
    closers.push(http.close);
    const outbound = createOutbound({ allowOrigins: config.allowOrigins, ownOrigin: http.url });
    closers.push(outbound.close);
    const sellers = createSellers({ network, mint: chain.mint, outbound });
    const keys = keysOf(vault, store, owner, chain.mint);
    const pictures = createPictures({ folder: join(folder, 'pictures') });
    const imageKeys = imageSettings(store, vault);
    const providers = createImageProviders({
      network,
      hasKey: (providerId) => imageKeys.view(providerId).hasKey,
      keyOf: imageKeys.keyOf,
      settingsOf: imageKeys.settingsOf,
      changes: store.models.changes,
      log,
    });
    const pieces = createTurns(piecesPerTurn);
    const answerFiles = createAnswerFiles({
      folder: join(folder, 'answers'),
      syncFolder,
      turn: () => pieces.next(),
    });
    const engine = createEngine({
      settings: {
        network,
        owner,
        feeLimit: network === 'sandbox' ? null : feeLimitLamports,
        rentLimit: network === 'sandbox' ? null : rentLimitLamports,
        reservationMs: 60_000,
        pollMs: 500,
        resendMs: 2_000,
        answers: config.answers,
        url: http.url,
        bridge: bridgeOf(options, http.url),
      },
      store,
      stopMarker,
      chain,
      keys,
      receipts: receiptsOf(keys, network),
      seals: sealsOf(vault),
      clock,
      disk: options.disk ?? createDisk(folder),
      halted,
      images: {
        providers,
        pictures,
        ...(options.pictureWithinMs === undefined ? {} : { answersWithinMs: options.pictureWithinMs }),
      },
      sellers,
      answerFiles,
      log,
    });
    await restoreRecords(engine.context);
    listModelsAsServices(engine.context, providers);
    haltListeners.push((reason) => {
      engine.context.publish({ type: 'halted', reason });
      const message = `The treasury has stopped: ${reason}. Once it runs again, the same Idempotency-Key tells what became of this.`;
      engine.context.outcomes.halt(new AppError('halted', message, { outcome: 'unknown' }));
    });
    await engine.start();
    closers.push(engine.stop);

    const faucet = createFaucet(rpcUrl);
    closers.push(faucet.close);
    if (sandbox !== null) await fundOnce({ engine, faucet, chain });
    closers.push(chain.onChange(owner, () => void engine.context.funds.scanDeposits().catch(() => {})));

    const tokens = createOwnerTokens();
    closers.push(tokens.close);
    const cookieFile = config.ownerCookie ? join(config.dataDir, 'owner.cookie') : null;
    if (cookieFile !== null) tokens.writeCookie(cookieFile);
    const known = createKnownCallers(join(config.dataDir, 'runtime', 'known-caller'));
    const logins = createLogins({
      owner,
      tokens,
      known,
      checkPassphrase: vault.checkPassphrase,
      publish: engine.context.publish,
    });
    const signIn = createSignIn({
      url: http.url,
      network,
      store,
      secrets: { get: vault.getSecret, set: vault.setSecret },
      linkOf(token) {
        const link = linkOf(engine.context, token);
        return { ...link, isKnown: engine.context.knownLinks.has(link.id) };
      },
      hasPassphrase: async () => needsPassphrase(await vault.protection()),
      newId: engine.context.newId,
      now: engine.context.time.now,
      log,
    });
    closers.push(signIn.close);
    const catalog = catalogOperations({
      context: engine.context,
      sellers,
      providers,
      settings: imageKeys,
    });
    const bazaar = createBazaar({
      context: engine.context,
      outbound,
      rules: { network, allowOrigins: config.allowOrigins, ownOrigin: http.url },
    });
    closers.push(bazaar.close);
    const backups = createBackups({ store, network, dataDir: config.dataDir, database, clock, log });
    closers.push(backups.close);
    const operations = {
      ...engine.operations,
      ...logins.operations,
      ...signIn.operations,
      ...catalog.operations,
      ...bazaar.operations,
      ...backups.operations,
      ...aboutOperations({ config, rpcUrl, context: engine.context, vault, log }),
      ...hostOperations({ engine, vault, faucet, chain, tokens, pendingLogins: logins.pending }),
    };
    const checkEngine = createPathCheck(engine.context);
    const checkPath: CheckPath = (caller, params, route) => {
      checkEngine(caller, params, route);
      logins.checkPath(params);
      signIn.checkPath(params);
      catalog.checkPath(params);
      bazaar.checkPath(params);
    };
    const onEvent = (tell: (event: OwnerEvent) => void) => engine.onEvent((event) => tell(eventView(event)));
    const router = createRouter({
      credentials: {
        owner,
        isOwner: tokens.isOwner,
        knownCaller: known.find,
        agentOf: (token) => {
          const key = keyOf(store, token, engine.context.time.now());
          return key === undefined ? undefined : { agentId: key.agentId, keyId: key.id };
        },
        identityOf: signIn.identityOf,
      },
      operations,
      checkPath,
      turns: pieces,
      admission: createTurns(requestsPerTurn),
      streams: streamsOf({ engine, onEvent, tokens, pictures, url: http.url }),
    });
    const parts: { path: string; router: Router }[] = [{ path: '/', router }];
    if (options.dashboard !== undefined)
      parts.unshift({ path: '/', router: createDashboard(options.dashboard) });
    if (network === 'sandbox') {
      const grants = createGrantStore(join(folder, 'weather.db'));
      closers.push(grants.close);
      const recipient = await openTestAccount(store, faucet);
      addWeather(store, recipient, http.url);
      parts.unshift({
        path: '/sandbox',
        router: createWeather({ recipient, rpcUrl, network, store: grants, log }),
      });
    }
    http.mount(parts);

    const endpointFile = join(config.dataDir, 'runtime', 'endpoint.json');
    mkdirSync(dirname(endpointFile), { recursive: true, mode: 0o700 });
    const endpoint = { url: http.url, pid: process.pid, owner, network, known: known.terminal };
    writeFileSync(endpointFile, JSON.stringify(endpoint), { mode: 0o600 });
    closers.push(() => rmSync(endpointFile, { force: true }));

    backups.start();
    bazaar.start();
    log.info({ url: http.url, network, owner }, 'the treasury is ready');
    const api = createOwnerApi({ operations, checkPath, onEvent });
    const newLoginUrl = (): string | null =>
      options.dashboard === undefined ? null : `${http.url}/#login=${tokens.issueLogin()}`;
    return { url: http.url, owner, network, rpcUrl, cookieFile, engine, vault, api, newLoginUrl, close };
  } catch (error) {
    await close();
    throw error;
  }
};
