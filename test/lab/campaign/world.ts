// A chain and a host as processes of their own: the host is killed, and the chain knows what truly happened.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createStore } from '../../../server/store/store.ts';
import type { Store, Transfer } from '../../../server/engine/ports.ts';
import { txSignatureOf } from '../../../server/engine/payment/machine/tx-signature.ts';
import type { Stage } from '../bench/stage.ts';
import { allWell, audit, clean } from '../../harness/engine/audit.ts';
import { createClient, type Client } from '../../harness/http-client.ts';
import { deploy, instantly, openTreasury, rpcCall, until, type Process } from '../../harness/treasury.ts';

export const sockets = 173;

export interface Life {
  host: Process;
  /** The owner's. */
  client: Client;
  /** A client of an agent's key. */
  as(key: string): Client;
}

export interface World {
  rpcUrl: string;
  dataDir: string;
  /** The running host, or the next one as soon as it is ready. */
  life(): Promise<Life>;
  /** Kills the host as a power cut of the process would, and starts it again. */
  kill(): Promise<void>;
  /** Ends the host, so that its store can be opened here. */
  stop(): Promise<void>;
  start(): Promise<void>;
}

export interface WorldOptions {
  sandboxArgs?: readonly string[];
  /** The host's options for its RPC instead of the chain itself, from the chain's URL. */
  rpcArgs?: (chain: string) => Promise<readonly string[]>;
}

export const createWorld = async (stage: Stage, options: WorldOptions = {}): Promise<World> => {
  const { sandboxArgs = instantly, rpcArgs = (chain) => Promise.resolve(['--rpc', chain]) } = options;
  const { rpcUrl } = await stage.sandbox(sandboxArgs);
  const dataDir = stage.folder();
  const hostArgs = [...(await rpcArgs(rpcUrl)), '--ws', `ws://127.0.0.1:${new URL(rpcUrl).port}`];
  const open = async (): Promise<Life> => {
    const host = await stage.treasury(dataDir, hostArgs);
    const { url, owner, cookieFile } = host.ready;
    const client = createClient(url, owner, readFileSync(cookieFile, 'utf8'), sockets);
    return { host, client, as: (key) => client.as(key) };
  };
  let running = open();
  await running;
  const end = async (signal: NodeJS.Signals): Promise<void> => {
    const { host, client } = await running;
    await host.kill(signal);
    client.close();
  };
  return {
    rpcUrl,
    dataDir,
    life: () => running,
    async kill() {
      const { host, client } = await running;
      // From this moment on, a request for the host waits for the next one.
      const dead = host.kill('SIGKILL');
      running = dead.then(() => {
        client.close();
        return open();
      });
      await running;
    },
    stop: () => end('SIGTERM'),
    async start() {
      running = open();
      await running;
    },
  };
};

/** Fills the treasury from outside. */
export const fund = async ({ client }: Life, amount: string): Promise<void> => {
  const { status, text } = await client.post('/v1/sandbox/faucet', { amount });
  if (status !== 200) throw new Error(text);
};

export const deployIn = (
  life: Life,
  ...rest: Parameters<typeof deploy> extends [Client, ...infer R] ? R : never
) => deploy(life.client, ...rest);

/** The store of a host that has ended. */
export const withStore = <T>({ dataDir }: Pick<World, 'dataDir'>, read: (store: Store) => T): T => {
  const file = join(dataDir, 'sandbox', 'treasury.db');
  const store = createStore({ file, now: Date.now, onHalt: () => {} });
  try {
    return read(store);
  } finally {
    store.close();
  }
};

/**
 * Ends the host, lets recovery finish in a host of this process, and compares treasury and chain to the unit.
 * @returns the faults in words, and every row
 */
export const settle = async (
  world: World,
  { quietMs = 60_000 } = {},
): Promise<{ faults: string[]; rows: Transfer[] }> => {
  await world.stop();
  const args = ['--rpc', world.rpcUrl, '--ws', `ws://127.0.0.1:${new URL(world.rpcUrl).port}`];
  const treasury = await openTreasury({ dataDir: world.dataDir, args });
  try {
    const { store } = treasury.host.engine.context;
    await until('recovery', () => store.transfers.open().length === 0, quietMs).catch(() => {});
    const found = clean(await audit(treasury.host));
    const faults = Object.entries(found).flatMap(([name, value]) =>
      JSON.stringify(value, print) === JSON.stringify(allWell[name as keyof typeof allWell], print)
        ? []
        : [`${name}: ${JSON.stringify(value, print).slice(0, 600)}`],
    );
    const rows = [...store.transfers.iterate({})];
    faults.push(...(await releasedEarly(world.rpcUrl, rows)));
    return { faults, rows };
  } finally {
    await treasury.close();
  }
};

const print = (_: string, value: unknown): unknown => (typeof value === 'bigint' ? value.toString() : value);

/** Rows that released their reservation although the chain moved their money. */
const releasedEarly = async (rpcUrl: string, rows: readonly Transfer[]): Promise<string[]> => {
  // A transaction that the facilitator submits has no signature of ours before it lands: the audit finds it by its
  // message.
  const given = rows.filter(
    (row) =>
      txSignatureOf(row) !== null &&
      (row.state === 'dead' || row.state === 'failed' || row.state === 'cancelled'),
  );
  const landed: string[] = [];
  for (let from = 0; from < given.length; from += 256) {
    const batch = given.slice(from, from + 256);
    const { value } = (await rpcCall(rpcUrl, 'getSignatureStatuses', [
      batch.map((row) => txSignatureOf(row)),
      { searchTransactionHistory: true },
    ])) as { value: ({ err: unknown } | null)[] };
    for (const [index, status] of value.entries())
      if (status !== null && status.err === null)
        landed.push(`${batch[index]?.id} is ${batch[index]?.state} and landed`);
  }
  return landed;
};

/** The chain's balance of a wallet in micro-USDC, and the number of transactions that touched its account. */
export const onChain = async (
  rpcUrl: string,
  wallet: string,
): Promise<{ units: bigint; transactions: number }> => {
  const mint = 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v';
  const { value } = await rpcCall(rpcUrl, 'getTokenAccountsByOwner', [
    wallet,
    { mint },
    { encoding: 'jsonParsed' },
  ]);
  const [account] = value;
  let transactions = 0;
  let before: string | undefined;
  for (;;) {
    const page = (await rpcCall(rpcUrl, 'getSignaturesForAddress', [
      account.pubkey,
      { limit: 1_000, ...(before === undefined ? {} : { before }) },
    ])) as { signature: string; err: unknown }[];
    transactions += page.filter(({ err }) => err === null).length;
    before = page.at(-1)?.signature;
    if (page.length < 1_000) break;
  }
  return { units: BigInt(account.account.data.parsed.info.tokenAmount.amount), transactions };
};
