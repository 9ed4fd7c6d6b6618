// One simulated life of the treasury: the real engine on a real database, over simulated nodes and time, which can be
// stopped, crash at any moment, and be started again on what was on the disk then.
import { copyFileSync, existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { createEngine, type Engine } from '../../../server/engine/engine.ts';
import type { JournalHead, Keys, Store } from '../../../server/engine/ports.ts';
import { AppError } from '../../../server/errors.ts';
import { keysOf, receiptsOf } from '../../../server/host-vault.ts';
import type { Log } from '../../../server/log.ts';
import { createChain, type SolanaChain } from '../../../server/solana/chain.ts';
import { openStore } from '../../harness/store.ts';
import { mint, opening, tokenAccounts, treasury, vault, addresses } from './keys.ts';
import { createNode, RpcRefusal, sentTx, type Node, type Request } from './nodes.ts';
import { turn, type SimTime } from './sim-time.ts';
import { createTrueChain, type Landed, type TrueChain, type Tx } from './true-chain.ts';

const quietTurns = 4;
const silentLog = {
  debug() {},
  info() {},
  warn() {},
  error() {},
  fatal() {},
  child: () => silentLog,
} as unknown as Log;

/** Where something can be made to happen in the middle of a step. */
export const moments = [
  'lifetime asked',
  'signed',
  'send begins',
  'send answered',
  'status asked',
  'block time asked',
  'anything asked',
  'anything answered',
] as const;
export type Moment = (typeof moments)[number];

/** A process of the treasury: from a start to a stop or a crash. */
interface Process {
  alive: boolean;
  /** Requests without an answer as yet. */
  inFlight: number;
}
interface Boot {
  process: Process;
  store: Store;
  chain: SolanaChain;
  engine: Engine;
}

export interface Listener {
  /** Called in the turn in which bytes leave for a node. */
  onWire(tx: Tx): void;
  onSigning(id: string): void;
  onLanded(tx: Landed): void;
  onMoment(moment: Moment): void;
}

export interface Place {
  folder: string;
  /** The owner configured one RPC. */
  isAlone: boolean;
}

export interface World {
  isAlone: boolean;
  time: SimTime;
  chain: TrueChain;
  nodes: readonly [Node, Node];
  engine(): Engine;
  store(): Store;
  /** True from a crash until the next start. */
  isDown(): boolean;
  /** The rows that are on the disk now with these bytes. */
  onDisk(wire: Buffer): { id: string; state: string }[];
  /** Until nothing goes on any more without time passing. */
  settle(): Promise<void>;
  pass(ms: number): Promise<void>;
  /** What is on the disk now is what the next start finds; nothing more leaves the process. */
  crash(): void;
  start(): Promise<void>;
  restart(): Promise<void>;
  end(): void;
}

const never = (): never => {
  throw new Error('the model buys nothing');
};
const ownerOf = (account: string): string => tokenAccounts.get(account) ?? account;

const momentOf: Readonly<Record<string, [Moment, Moment]>> = {
  getLatestBlockhash: ['lifetime asked', 'anything answered'],
  sendTransaction: ['send begins', 'send answered'],
  getSignatureStatuses: ['status asked', 'anything answered'],
  getBlockTime: ['block time asked', 'anything answered'],
};

export const createWorld = (
  time: SimTime,
  begin: number,
  template: Buffer,
  { folder, isAlone }: Place,
  listener: Listener,
): World => {
  let place = 0;
  let boot: Boot | null = null;
  let sealed: JournalHead | null = null;
  const fileOf = (n: number): string => join(folder, `${n}`, 't.db');
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(join(folder, '0'), { recursive: true });
  writeFileSync(fileOf(0), template);
  time.dropTimers();
  time.set(begin);

  const funds = new Map(
    [...tokenAccounts].map(([account, owner]) => [account, addresses.indexOf(owner) > 0 ? opening : 0n]),
  );
  const chain = createTrueChain(begin, funds, listener.onLanded);
  const nodes = [createNode(chain, { ownerOf }), createNode(chain, { ownerOf })] as const;
  let watched: { signature: string; tell: () => void }[] = [];

  const settle = async (): Promise<void> => {
    for (let quiet = 0; quiet < quietTurns; quiet += 1) {
      await turn();
      if (boot?.process.alive === true && boot.process.inFlight > 0) quiet = -1;
    }
  };

  const copyTo = (target: string): void => {
    mkdirSync(join(target, '..'), { recursive: true });
    const from = fileOf(place);
    copyFileSync(from, target);
    if (existsSync(`${from}-wal`)) copyFileSync(`${from}-wal`, `${target}-wal`);
  };

  const connect = (mine: Process) => (url: string) => ({
    close() {},
    async post(body: string): Promise<string> {
      const request = JSON.parse(body) as Request;
      const node = url === 'second' ? nodes[1] : nodes[0];
      const [asked, answered] = momentOf[request.method] ?? ['anything asked', 'anything answered'];
      const gone = new Promise<never>(() => {});
      if (!mine.alive) return gone;
      // The bytes leave now, whatever becomes of them.
      if (request.method === 'sendTransaction') {
        listener.onMoment(asked);
        if (!mine.alive) return gone;
        listener.onWire(sentTx(request.params));
      } else {
        listener.onMoment(asked);
      }
      mine.inFlight += 1;
      let answer;
      try {
        await turn();
        if (!mine.alive) return await gone;
        answer = node.answer(request);
      } catch (error) {
        if (!(error instanceof RpcRefusal)) throw error;
        const { message } = error;
        return JSON.stringify({ jsonrpc: '2.0', id: request.id, error: { code: -32_016, message } });
      } finally {
        mine.inFlight -= 1;
      }
      listener.onMoment(answered);
      if (!mine.alive) return gone;
      if (answer === null) throw new Error('no answer');
      return JSON.stringify({ jsonrpc: '2.0', id: request.id, ...answer });
    },
  });

  const start = async (): Promise<void> => {
    const mine: Process = { alive: true, inFlight: 0 };
    const store = openStore(fileOf(place), time.now);
    watched = [];
    const chainPort = createChain({
      rpcUrl: 'first',
      wsUrl: '',
      ...(isAlone ? {} : { secondRpcUrl: 'second' }),
      mint,
      treasury,
      maxComputeUnitPrice: 0n,
      log: silentLog,
      reach: {
        connect: connect(mine),
        subscriptions: {
          subscribe(_method, [signature], _options, on) {
            const one = { signature: String(signature), tell: () => on(null) };
            watched.push(one);
            return () => void (watched = watched.filter((it) => it !== one));
          },
          close: () => void (watched = []),
        },
      },
    });
    const real = keysOf(vault as unknown as Parameters<typeof keysOf>[0], store, treasury, mint);
    const keys: Keys = {
      ...real,
      sign(id, message) {
        if (!mine.alive) throw new Error('this process is gone');
        listener.onSigning(id);
        const signed = real.sign(id, message);
        listener.onMoment('signed');
        return signed;
      },
    };
    const engine = createEngine({
      settings: {
        network: 'sandbox',
        owner: treasury,
        feeLimit: null,
        rentLimit: null,
        reservationMs: 60_000,
        pollMs: 500,
        resendMs: 2_000,
        url: 'http://127.0.0.1:1',
        bridge: { command: '', args: [], env: {} },
      },
      store,
      chain: chainPort,
      keys,
      receipts: receiptsOf(keys, 'sandbox'),
      seals: {
        available: () => true,
        last: () => sealed,
        seal: (head) => void (sealed = head),
      },
      clock: { wall: time.now, monotonic: time.now },
      halted: { reason: null },
      images: {
        providers: { models: () => [], usable: never, atOnce: never, repeatable: never, draw: never },
        pictures: { keep: never, find: never, read: never, small: never },
      },
      sellers: {
        ask: never,
        offers: never,
        offerOf: never,
        credential: never,
        settlement: never,
        wantsRetry: never,
      },
      log: silentLog,
    });
    boot = { process: mine, store, chain: chainPort, engine };
    void engine.start().catch((error: unknown) => {
      if (mine.alive) throw error;
    });
    await settle();
  };

  const running = (): Boot => {
    if (boot === null) throw new Error('the treasury does not run');
    return boot;
  };

  return {
    isAlone,
    time,
    chain,
    nodes,
    engine: () => running().engine,
    store: () => running().store,
    isDown: () => boot?.process.alive !== true,
    onDisk(wire) {
      const target = join(folder, 'look', 't.db');
      rmSync(join(folder, 'look'), { recursive: true, force: true });
      copyTo(target);
      const db = new Database(target);
      try {
        db.pragma('locking_mode = EXCLUSIVE');
        const rows = db.prepare('SELECT id, state FROM transfer WHERE wire = ?').all(wire);
        return rows as { id: string; state: string }[];
      } finally {
        db.close();
      }
    },
    settle,
    async pass(ms) {
      chain.time(time.now() + ms);
      // What the chain notified first, and then the timers.
      const seen = watched.filter(({ signature }) => {
        const one = chain.find(signature);
        return one !== undefined && one.slot < chain.slot() && !nodes[0].isSilent();
      });
      watched = watched.filter((one) => !seen.includes(one));
      await time.pass(ms, settle);
      for (const { tell } of seen) tell();
      await settle();
    },
    crash() {
      const { process } = running();
      if (!process.alive) return;
      copyTo(fileOf(place + 1));
      process.alive = false;
    },
    async start() {
      const old = running();
      await settle();
      time.dropTimers();
      try {
        old.store.close();
      } catch (error) {
        if (!(error instanceof AppError)) throw error;
      }
      rmSync(join(fileOf(place), '..'), { recursive: true, force: true });
      place += 1;
      await start();
    },
    async restart() {
      if (boot !== null) {
        await settle();
        await boot.engine.stop();
        boot.chain.close();
        boot.store.close();
        boot.process.alive = false;
        time.dropTimers();
      }
      await start();
    },
    end() {
      boot?.store.close();
      time.dropTimers();
      rmSync(folder, { recursive: true, force: true });
    },
  };
};
