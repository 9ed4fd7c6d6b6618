// One simulated life of the treasury: the real engine on a real database, over simulated nodes and time, which can be
// stopped, crash at any moment, and be started again on what was on the disk then.
import type { Engine } from '../../server/engine/engine.ts';
import type { Freeze, JournalHead, Seals, StopMarker, Store } from '../../server/engine/ports.ts';
import { AppError } from '../../server/errors.ts';
import type { Subscriptions } from '../../server/solana/rpc/subscriptions.ts';
import { bootTreasury, type Boot } from './boot.ts';
import { createDisk } from './disk.ts';
import { addresses, opening, tokenAccounts } from './keys.ts';
import { createNode, type Node } from './nodes.ts';
import { released } from './judge/notes.ts';
import { turn, type SimTime } from './sim-time.ts';
import { createShops, type Shops } from './shops.ts';
import { createSuppliers, type Suppliers } from './suppliers.ts';
import { createTrueChain, type TrueChain } from './true-chain.ts';
import { connect, type Listener, type Process } from './wire.ts';

const quietTurns = 4;
/** In the reason of a stop, for money that no payment explains. */
const shortfall = 'less than its payments explain';

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
  shops: Shops;
  suppliers: Suppliers;
  engine(): Engine;
  store(): Store;
  /** True from a crash until the next start. */
  isDown(): boolean;
  /** The slot in which this process started, and whether no node has lied to it since. */
  startedAt(): { slot: number; isHonest: boolean };
  /** The disk has failed: the owner ends the process, and starts it again. */
  isHalted(): boolean;
  /** The payments that were reserved and not signed on the disk when a process died. */
  reservedAtDeath(): ReadonlySet<string>;
  /** The rows with these bytes that are on the disk now. */
  onDisk(wire: Buffer): { id: string }[];
  requestsOnDisk(id: string): number;
  /** Resolves once nothing more happens without time passing. */
  settle(): Promise<void>;
  pass(ms: number): Promise<void>;
  /** The next start finds the present contents of the disk; nothing more leaves the process. */
  crash(): void;
  /** Lets time pass while no process runs. */
  passDown(ms: number): void;
  start(): Promise<void>;
  restart(): Promise<void>;
  end(): void;
}

const ownerOf = (account: string): string => tokenAccounts.get(account) ?? account;

interface Origin {
  time: SimTime;
  begin: number;
  /** The database that a life begins with. */
  template: Buffer;
}

export const createWorld = (
  { time, begin, template }: Origin,
  { folder, isAlone }: Place,
  listener: Listener,
): World => {
  let boot: Boot | null = null;
  let sealed: JournalHead | null = null;
  const disk = createDisk(folder, template);
  time.dropTimers();
  time.set(begin);

  const funds = new Map(
    [...tokenAccounts].map(([account, owner]) => [account, addresses.includes(owner) ? opening : 0n]),
  );
  const chain = createTrueChain(begin, funds, listener.onLanded);
  const nodes = [createNode(chain, { ownerOf, isAlone }), createNode(chain, { ownerOf, isAlone })] as const;
  const signedFor = new Map<string, string>();
  const shops = createShops({
    chain,
    listener,
    idOf: (message) => signedFor.get(message.toString('base64')),
  });
  const suppliers = createSuppliers(listener);
  const answers = new Map<string, Buffer>();
  let marker: Freeze | null = null;
  const stopMarker: StopMarker = {
    get: () => marker,
    set: (stop) => void (marker = stop),
    clear: () => void (marker = null),
  };
  /** Who wants to know of a phone's word, and the number of words of which they were told. */
  let startedAt = { slot: 0, isHonest: true };
  const mailboxes = new Set<{ tell: () => void }>();
  let heard = 0;
  let watched: { signature: string; tell: () => void }[] = [];
  const reservedAtDeath = new Set<string>();

  const settle = async (): Promise<void> => {
    for (let quiet = 0; quiet < quietTurns; quiet += 1) {
      await turn();
      if (boot?.process.alive === true && boot.process.inFlight > 0) quiet = -1;
    }
  };

  const subscriptions: Subscriptions = {
    subscribe(method, [signature], _options, on) {
      if (method === 'logsSubscribe') {
        const listening = { tell: () => on(null) };
        mailboxes.add(listening);
        return () => void mailboxes.delete(listening);
      }
      const one = { signature: String(signature), tell: () => on(null) };
      watched.push(one);
      return () => void (watched = watched.filter((it) => it !== one));
    },
    close() {
      watched = [];
      mailboxes.clear();
    },
  };
  const seals: Seals = {
    available: () => true,
    last: () => sealed,
    // The timers of a dead process may run once more; it seals nothing.
    seal: (head) => void (boot?.process.alive !== true || (sealed = head)),
    coldWallets: () => [],
    addColdWallet: () => {},
  };

  const start = async (isAfterDeath: boolean): Promise<void> => {
    const mine: Process = { alive: true, inFlight: 0 };
    watched = [];
    mailboxes.clear();
    const reach = { connect: connect(nodes, listener, mine), subscriptions };
    const noted: Listener = {
      ...listener,
      onSigning(id, message) {
        signedFor.set(Buffer.from(message).toString('base64'), id);
        listener.onSigning(id, message);
      },
    };
    const outbound = shops.outbound(mine);
    boot = bootTreasury({
      mine,
      file: disk.file(),
      time,
      isAlone,
      reach,
      seals,
      listener: noted,
      stopMarker,
      outbound,
      askSupplier: suppliers.ask(mine),
      answers,
    });
    if (isAfterDeath)
      for (const { id, state } of boot.store.transfers.open())
        if (state === 'reserved') reservedAtDeath.add(id);
    boot.engine.onEvent((event) => {
      if (
        event.type === 'transfer' &&
        event.transfer.state !== 'denied' &&
        released.includes(event.transfer.state)
      )
        listener.onReleased();
      if (event.type === 'freeze' && event.frozen && event.reason?.startsWith('the phone wallet') === true)
        listener.onPhoneStop();
      if (event.type === 'freeze' && event.frozen && event.reason?.includes(shortfall) === true)
        listener.onShortfall(null);
      if (event.type === 'agent' && isShort(event.agentId)) listener.onShortfall(event.agentId);
    });
    startedAt = { slot: chain.slot(), isHonest: nodes.every((node) => node.isHonest()) };
    void boot.engine.start().catch((error: unknown) => {
      if (mine.alive && boot?.halted.reason == null) throw error;
    });
    await settle();
  };

  const running = (): Boot => {
    if (boot === null) throw new Error('the treasury does not run');
    return boot;
  };

  const isShort = (agentId: string): boolean => {
    const agent = running().store.agents.get(agentId);
    return agent?.status === 'suspended' && agent.statusReason?.includes(shortfall) === true;
  };

  return {
    isAlone,
    time,
    chain,
    nodes,
    shops,
    suppliers,
    engine: () => running().engine,
    store: () => running().store,
    isDown: () => boot?.process.alive !== true,
    startedAt: () => ({
      ...startedAt,
      isHonest: startedAt.isHonest && nodes.every((node) => node.isHonest()),
    }),
    isHalted: () => boot?.halted.reason != null,
    reservedAtDeath: () => reservedAtDeath,
    onDisk: disk.onDisk,
    requestsOnDisk: disk.requestsOnDisk,
    settle,
    async pass(ms) {
      chain.time(time.now() + ms);
      shops.settleLate();
      suppliers.goOn();
      // The chain's notifications come first, and then the timers.
      const seen = watched.filter(({ signature }) => {
        const one = chain.find(signature);
        return one !== undefined && one.slot < chain.slot() && !nodes[0].isSilent();
      });
      watched = watched.filter((one) => !seen.includes(one));
      await time.pass(ms, settle);
      for (const { tell } of seen) tell();
      const words = chain.words().filter(({ slot }) => slot < chain.slot()).length;
      if (words > heard && !nodes[0].isSilent()) for (const { tell } of mailboxes) tell();
      heard = words;
      await settle();
    },
    crash() {
      const { process } = running();
      if (!process.alive) return;
      disk.keep();
      process.alive = false;
      listener.onDeath();
    },
    passDown(ms) {
      time.set(time.now() + ms);
      chain.time(time.now());
      shops.settleLate();
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
      disk.turnOver();
      await start(true);
    },
    async restart() {
      let isDead = false;
      if (boot !== null) {
        await settle();
        try {
          await boot.engine.stop();
          boot.chain.close();
          boot.store.close();
        } catch (error) {
          if (boot.halted.reason === null) throw error;
          // The disk failed at the end of the process.
          isDead = true;
          listener.onDeath();
          disk.keep();
          disk.turnOver();
        }
        boot.process.alive = false;
        time.dropTimers();
      }
      await start(isDead);
    },
    end() {
      boot?.store.close();
      time.dropTimers();
      disk.remove();
    },
  };
};
