// The lifecycle of the treasury in the desktop: setup -> starting -> running or failed, one change at a time.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { readConfig, type Config } from '../server/config.ts';
import { AppError, invariant } from '../server/errors.ts';
import type { Host, HostOptions } from '../server/host/options.ts';
import type { RootLog } from '../server/log.ts';
import { findFreePort, isTaken } from './free-port.ts';
import type { DesktopInput, DesktopState } from './ipc.ts';
import type { Network, SettingsFile } from './settings.ts';
import { createOneAtATime } from '../server/vault/one-at-a-time.ts';

export type Life = Pick<DesktopState, 'phase' | 'failure'>;

export interface DesktopDeps {
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

export const createDesktop = (deps: DesktopDeps): Desktop => {
  const { settings, log } = deps;
  let life: Life = { phase: 'setup', failure: null };
  let host: Host | null = null;
  let askedPort = deps.port;
  let closed = false;
  const inTurn = createOneAtATime();

  const enter = (next: Life): void => {
    life = next;
    deps.changed();
  };
  const port = (): number => askedPort ?? settings.get().port;
  const hasVault = (network: Network): boolean => existsSync(join(deps.dataDir, network, 'vault.json'));

  const stop = async (): Promise<void> => {
    const running = host;
    host = null;
    await running?.close();
  };

  const run = async (
    attempt: Attempt,
    secrets: Pick<HostOptions, 'passphrase' | 'phrase'>,
  ): Promise<void> => {
    enter({ phase: 'starting', failure: null });
    await stop();
    if (closed) throw new AppError('not_available', 'The treasury is closing.');
    const config = configOf(deps, attempt, port());
    host = await deps.createHost({ config, log, ...secrets });
    enter({ phase: 'running', failure: null });
  };

  const fail = async (error: unknown): Promise<void> => {
    const taken = isConflict(error) && (await isTaken(port()));
    enter({ phase: 'failed', failure: taken ? await portFailure(port()) : failureOf(error, log) });
  };

  const last = (): Attempt | null => {
    const { network, chains } = settings.get();
    if (network === null) return null;
    const { rpcUrl, secondRpcUrl } = chains[network];
    return { network, rpcUrl, secondRpcUrl };
  };

  /** Has no secrets: a vault with a passphrase starts locked, and is unlocked later. */
  const startLast = async (): Promise<void> => {
    const attempt = last();
    if (attempt === null || (attempt.network !== 'sandbox' && !hasVault(attempt.network))) {
      enter({ phase: 'setup', failure: null });
      return;
    }
    await run(attempt, {}).catch(fail);
  };

  const remember = ({ network, rpcUrl, secondRpcUrl }: Attempt): void => {
    const { chains } = settings.get();
    const chain = { ...chains[network], rpcUrl, secondRpcUrl };
    settings.change({ network, chains: { ...chains, [network]: chain } });
  };

  return {
    life: () => life,
    host: () => host,
    running() {
      if (host === null) throw new AppError('not_available', 'The treasury is not running.');
      return host;
    },
    known: () => networks.filter(hasVault),
    port,
    start: () => inTurn(startLast),

    setUp: ({ passphrase, phrase, network, ...rpc }) =>
      inTurn(async () => {
        const { chains } = settings.get();
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
          await run(attempt, secrets);
          remember(attempt);
        } catch (error) {
          if (isConflict(error) && (await isTaken(port()))) {
            // Its vault exists by now: `retry` starts it without the secrets.
            if (hasVault(network)) remember(attempt);
            await fail(error);
            return;
          }
          await startLast();
          throw error;
        }
      }),

    retry: (other) =>
      inTurn(async () => {
        if (life.phase === 'running') return;
        if (other !== undefined) {
          askedPort = null;
          settings.change({ port: other });
        }
        await startLast();
      }),

    close() {
      closed = true;
      return inTurn(stop);
    },
  };
};

/** Without an owner token on any network: the page uses IPC. */
const configOf = (deps: DesktopDeps, { network, rpcUrl, secondRpcUrl }: Attempt, port: number): Config => {
  const args = ['--data', deps.dataDir, '--port', String(port), '--network', network];
  if (rpcUrl !== null) args.push('--rpc', rpcUrl);
  if (secondRpcUrl !== null) args.push('--second-rpc', secondRpcUrl);
  const config = readConfig([...deps.args, ...args], {});
  invariant(config.dataDir === deps.dataDir, 'settings and treasury lie in one folder');
  return { ...config, ownerCookie: false };
};

const isConflict = (error: unknown): boolean => error instanceof AppError && error.code === 'conflict';

const portFailure = async (port: number): Promise<NonNullable<Life['failure']>> => {
  const freePort = await findFreePort();
  return {
    code: 'port_in_use',
    message: `Port ${port} on 127.0.0.1 is in use by another program. Port ${freePort} is free.`,
    freePort,
  };
};

const failureOf = (error: unknown, log: RootLog): NonNullable<Life['failure']> => {
  if (error instanceof AppError) return { code: error.code, message: error.message };
  log.error({ err: error }, 'the treasury could not be started');
  return { code: 'internal', message: 'Internal error. The log says more.' };
};
