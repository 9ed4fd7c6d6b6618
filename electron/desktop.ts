// The lifecycle of the treasury in the desktop: setup -> starting -> running or failed, one change at a time.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { readConfig, type Config } from '../server/config.ts';
import { AppError, invariant } from '../server/errors.ts';
import type { Host, HostOptions } from '../server/host/options.ts';
import { takenPortOf, whoHolds, type TakenPort } from '../server/lib/net/port.ts';
import type { RootLog } from '../server/log.ts';
import type { DesktopInput, DesktopState } from './ipc/ipc.ts';
import type { Network, SettingsFile } from './settings.ts';
import { createOneAtATime } from '../server/vault/one-at-a-time.ts';

export type Life = Pick<DesktopState, 'phase' | 'failure'>;

interface DesktopDeps {
  dataDir: string;
  settings: SettingsFile;
  /** Arguments for `readConfig`, in addition to the settings. */
  args: readonly string[];
  /** The port given for this start. */
  port: number | null;
  createHost(options: HostOptions): Promise<Host>;
  log: RootLog;
  /** Called after each change of phase. */
  changed(): void;
}

export interface Desktop {
  life(): Life;
  /** Null unless it is running. */
  host(): Host | null;
  /** @throws AppError `not_available` unless it is running */
  running(): Host;
  /** Networks whose vault exists on this machine. */
  known(): Network[];
  port(): number;
  /** Starts the network in the settings; waits for the owner when there is none, or it has no vault. */
  start(): Promise<void>;
  /** @throws an error that the owner can correct; the treasury that ran before is then running again */
  setUp(input: DesktopInput<'setUp'>): Promise<void>;
  retry(port?: number): Promise<void>;
  close(): Promise<void>;
}

const networks = ['sandbox', 'devnet', 'mainnet'] as const satisfies readonly Network[];

interface Attempt {
  network: Network;
  rpcUrl: string | null;
  secondRpcUrl: string | null;
}

/** The state of the lifecycle at this moment. */
interface Lifecycle extends DesktopDeps {
  life: Life;
  host: Host | null;
  askedPort: number | null;
  closed: boolean;
}

export const createDesktop = (deps: DesktopDeps): Desktop => {
  const lifecycle: Lifecycle = {
    ...deps,
    life: { phase: 'setup', failure: null },
    host: null,
    askedPort: deps.port,
    closed: false,
  };
  const inTurn = createOneAtATime();
  return {
    life: () => lifecycle.life,
    host: () => lifecycle.host,
    running() {
      if (lifecycle.host === null) throw new AppError('not_available', 'The treasury is not running.');
      return lifecycle.host;
    },
    known: () => networks.filter((network) => hasVault(lifecycle, network)),
    port: () => portOf(lifecycle),
    start: () => inTurn(() => startLast(lifecycle)),
    setUp: (input) => inTurn(() => setUp(lifecycle, input)),
    retry: (port) => inTurn(() => retry(lifecycle, port)),
    close() {
      lifecycle.closed = true;
      return inTurn(() => stop(lifecycle));
    },
  };
};

const setUp = async (
  lifecycle: Lifecycle,
  { passphrase, phrase, network, ...rpc }: DesktopInput<'setUp'>,
): Promise<void> => {
  const { chains } = lifecycle.settings.get();
  const attempt = {
    network,
    rpcUrl: rpc.rpcUrl ?? chains[network].rpcUrl,
    secondRpcUrl: rpc.secondRpcUrl ?? chains[network].secondRpcUrl,
  };
  const secrets = {
    ...(passphrase === undefined ? {} : { passphrase: () => Promise.resolve(passphrase) }),
    ...(phrase === undefined ? {} : { phrase: () => Promise.resolve(phrase) }),
  };
  try {
    await run(lifecycle, attempt, secrets);
    remember(lifecycle, attempt);
  } catch (error) {
    if (takenPortOf(error) !== null) {
      // `retry` starts it where that needs no secrets; they are kept nowhere.
      if (canStartAlone(lifecycle, network)) remember(lifecycle, attempt);
      fail(lifecycle, error);
      return;
    }
    await startLast(lifecycle);
    throw error;
  }
};

const retry = async (lifecycle: Lifecycle, port: number | undefined): Promise<void> => {
  if (lifecycle.life.phase === 'running') return;
  if (port !== undefined) {
    lifecycle.askedPort = null;
    lifecycle.settings.change({ port });
  }
  await startLast(lifecycle);
};

/** Has no secrets: a vault with a passphrase starts locked, and is unlocked later. */
const startLast = async (lifecycle: Lifecycle): Promise<void> => {
  const attempt = lastAttempt(lifecycle);
  if (attempt === null || !canStartAlone(lifecycle, attempt.network)) {
    enter(lifecycle, { phase: 'setup', failure: null });
    return;
  }
  await run(lifecycle, attempt, {}).catch((error: unknown) => fail(lifecycle, error));
};

/** Without secrets: on the sandbox, and wherever there is a vault. */
const canStartAlone = (lifecycle: Lifecycle, network: Network): boolean =>
  network === 'sandbox' || hasVault(lifecycle, network);

const run = async (
  lifecycle: Lifecycle,
  attempt: Attempt,
  secrets: Pick<HostOptions, 'passphrase' | 'phrase'>,
): Promise<void> => {
  enter(lifecycle, { phase: 'starting', failure: null });
  await stop(lifecycle);
  if (lifecycle.closed) throw new AppError('not_available', 'The treasury is closing.');
  const config = configOf(lifecycle, attempt);
  lifecycle.host = await lifecycle.createHost({ config, log: lifecycle.log, ...secrets });
  enter(lifecycle, { phase: 'running', failure: null });
};

const stop = async (lifecycle: Lifecycle): Promise<void> => {
  const running = lifecycle.host;
  lifecycle.host = null;
  await running?.close();
};

const fail = (lifecycle: Lifecycle, error: unknown): void => {
  const taken = takenPortOf(error);
  const failure = taken === null ? failureOf(error, lifecycle.log) : portFailure(taken, lifecycle.dataDir);
  enter(lifecycle, { phase: 'failed', failure });
};

const enter = (lifecycle: Lifecycle, life: Life): void => {
  lifecycle.life = life;
  lifecycle.changed();
};

const portOf = ({ askedPort, settings }: Lifecycle): number => askedPort ?? settings.get().port;

const hasVault = ({ dataDir }: Lifecycle, network: Network): boolean =>
  existsSync(join(dataDir, network, 'vault.json'));

const lastAttempt = ({ settings }: Lifecycle): Attempt | null => {
  const { network, chains } = settings.get();
  if (network === null) return null;
  const { rpcUrl, secondRpcUrl } = chains[network];
  return { network, rpcUrl, secondRpcUrl };
};

const remember = ({ settings }: Lifecycle, { network, rpcUrl, secondRpcUrl }: Attempt): void => {
  const { chains } = settings.get();
  const chain = { ...chains[network], rpcUrl, secondRpcUrl };
  settings.change({ network, chains: { ...chains, [network]: chain } });
};

/** Without an owner token on any network: the page uses IPC. */
const configOf = (lifecycle: Lifecycle, { network, rpcUrl, secondRpcUrl }: Attempt): Config => {
  const { dataDir } = lifecycle;
  const args = ['--data', dataDir, '--port', String(portOf(lifecycle)), '--network', network];
  if (rpcUrl !== null) args.push('--rpc', rpcUrl);
  if (secondRpcUrl !== null) args.push('--second-rpc', secondRpcUrl);
  const config = readConfig([...lifecycle.args, ...args], {});
  invariant(config.dataDir === dataDir, 'settings and treasury lie in one folder');
  return { ...config, ownerCookie: false };
};

const portFailure = (taken: TakenPort, dataDir: string): NonNullable<Life['failure']> => ({
  code: 'port_in_use',
  message: `${whoHolds(taken, dataDir)} Port ${taken.freePort} is free.`,
  freePort: taken.freePort,
});

const failureOf = (error: unknown, log: RootLog): NonNullable<Life['failure']> => {
  if (error instanceof AppError) return { code: error.code, message: error.message };
  log.error({ err: error }, 'the treasury could not be started');
  return { code: 'internal', message: 'Internal error. The log says more.' };
};
