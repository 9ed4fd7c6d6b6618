// USDC on one Solana network: the engine's Chain port over JSON-RPC.
import type { Chain, ExpiryProof, Lifetime } from '../engine/ports.ts';
import { AppError } from '../errors.ts';
import type { Log } from '../log.ts';
import { usdc, type Usdc } from '../money.ts';
import {
  blockhashAnswer,
  blockTimeAnswer,
  epochInfoAnswer,
  genesisAnswer,
  lamportsAnswer,
  prioritizationAnswer,
  rentAnswer,
  signatureAnswer,
  slotAnswer,
  statusesAnswer,
  tokenAccountsAnswer,
} from './answers.ts';
import { proveExpiredOn } from './expiry.ts';
import { buildMessage, feeOf, isWallet, tokenAccountAddress } from './message.ts';
import { readHistory, wasUsed } from './history.ts';
import { createLanded } from './landed.ts';
import { readMoves } from './moves.ts';
import { createRpc, type Connect, type Rpc } from './rpc.ts';
import { createSubscriptions, type Subscriptions } from './subscriptions.ts';

export interface ChainOptions {
  rpcUrl: string;
  wsUrl: string;
  /** A second, independent RPC: a transfer is then dead only when both prove it. */
  secondRpcUrl?: string;
  mint: string;
  treasury: string;
  /** The most micro-lamports per compute unit; 0: no priority fee. */
  maxComputeUnitPrice: bigint;
  log: Log;
  /** How to reach the nodes: over HTTP and a websocket, unless a test brings its own. */
  reach?: { connect: Connect; subscriptions: Subscriptions };
}

const tokenAccountSize = 165;
const blockhashFreshMs = 5_000;
/** A blockhash lives for about a minute; one this old is not used for a new payment. */
const blockhashTooOldMs = 20_000;
const blocksToSpare = 50;
/** Blocks left of a blockhash's 150, by two answers that may come from two nodes of a pool. */
const sanelyLeft = { least: 100, most: 200 };
const accountsAtOnce = 100;
const noProof: ExpiryProof = { dead: false, why: 'the second RPC proved nothing' };

export interface SolanaChain extends Chain {
  /** Calls back when the wallet's USDC account changes at `confirmed`: a hint. Returns a function that ends it. */
  onChange(wallet: string, changed: () => void): () => void;
  close(): void;
}

/** Connects lazily; nothing here throws before the first call. */
export const createChain = (options: ChainOptions): SolanaChain => {
  const { rpcUrl, wsUrl, secondRpcUrl, mint, treasury, log, reach } = options;
  const rpc = createRpc(rpcUrl, undefined, reach?.connect);
  const second = secondRpcUrl === undefined ? null : createRpc(secondRpcUrl, undefined, reach?.connect);
  const subscriptions = reach?.subscriptions ?? createSubscriptions(wsUrl, log);
  const lifetimes = keepLifetime(rpc, log);
  const blockTimes = rememberBlockTimes(rpc);
  const price = keepPrice(rpc, options);
  let rent: bigint | null = null;

  const hasTokenAccount = async (wallet: string): Promise<boolean> =>
    (await balances([wallet])).units[0] !== null;

  const sightings: Chain['sightings'] = async (signatures) => {
    const params = [signatures, { searchTransactionHistory: true }];
    const { context, value } = await rpc.call('getSignatureStatuses', params, statusesAnswer);
    return { slot: context.slot, found: value };
  };
  const lookUp = inBatches(async (signatures: readonly string[]) => (await sightings(signatures)).found);

  const balances: Chain['balances'] = async (wallets) => {
    const units: (Usdc | null)[] = [];
    let slot = Number.MAX_SAFE_INTEGER;
    for (let from = 0; from < wallets.length; from += accountsAtOnce) {
      const addresses = wallets
        .slice(from, from + accountsAtOnce)
        .map((wallet) => tokenAccountAddress(wallet, mint));
      const params = [addresses, { commitment: 'confirmed', encoding: 'base64' }];
      const answer = await rpc.call('getMultipleAccounts', params, tokenAccountsAnswer);
      slot = Math.min(slot, answer.context.slot);
      units.push(...answer.value.map((amount) => (amount === null ? null : usdc(amount))));
    }
    return { slot, units };
  };

  return {
    mint,
    lifetime: lifetimes.get,
    build: (transfer, lifetime) => buildMessage(transfer, lifetime, treasury, mint),
    async broadcast(wire) {
      // No preflight: its verdict binds nobody. A transaction that fails on chain costs 0.00001 SOL, and is settled
      // sooner than one that nobody forwards and whose expiry must be proven.
      const settings = { encoding: 'base64', skipPreflight: true, maxRetries: 0 };
      await rpc.call('sendTransaction', [Buffer.from(wire).toString('base64'), settings], signatureAnswer);
    },
    onConfirmed: (signature, seen) =>
      subscriptions.subscribe(
        'signatureSubscribe',
        [signature, { commitment: 'confirmed' }],
        { once: true },
        () => {
          // The notification's slot is the node's at that moment, not the transaction's: look it up.
          lookUp(signature).then(
            (sighting) => sighting !== null && seen(sighting),
            (error: unknown) => log.debug({ err: error }, 'a notified transaction is looked up later'),
          );
        },
      ),
    sightings,
    async finalizedHeight() {
      const height = await rpc.call('getBlockHeight', [{ commitment: 'finalized' }], slotAnswer);
      lifetimes.reached(height);
      return height;
    },
    blockTime: blockTimes,
    async proveExpired(transfers, explained) {
      const first = await proveExpiredOn(rpc, transfers, mint, explained);
      if (second === null) return first;
      // The second RPC is shown none of the first's evidence: it has to find its own.
      const dead = transfers.filter((_, index) => first[index]?.dead === true);
      const again = (await proveExpiredOn(second, dead, mint, explained)).values();
      return first.map((proof) => (proof.dead ? (again.next().value ?? noProof) : proof));
    },
    balances,
    async lamports(wallet) {
      const answer = await rpc.call('getBalance', [wallet, { commitment: 'confirmed' }], lamportsAnswer);
      return BigInt(answer.value);
    },
    hasTokenAccount,
    isWallet,
    ...createLanded(rpc, mint),
    moves: (wallet, until) => readMoves(rpc, { wallet, mint, commitment: 'confirmed', until }),
    async used(wallets) {
      const { units } = await balances(wallets);
      return Promise.all(
        wallets.map((wallet, index) => units[index] !== null || wasUsed(rpc, { wallet, mint })),
      );
    },
    history: (wallet, scan) => readHistory(rpc, { wallet, mint }, scan),
    async rentLamports() {
      rent ??= BigInt(await rpc.call('getMinimumBalanceForRentExemption', [tokenAccountSize], rentAnswer));
      return rent;
    },
    feeLamports: (transfer) => feeOf(transfer, treasury, price.get()),
    genesisHash: () => rpc.call('getGenesisHash', [], genesisAnswer),
    async chainTime() {
      const { absoluteSlot } = await rpc.call('getEpochInfo', [{ commitment: 'confirmed' }], epochInfoAnswer);
      return blockTimes(absoluteSlot);
    },
    onChange: (wallet, changed) =>
      subscriptions.subscribe(
        'accountSubscribe',
        [tokenAccountAddress(wallet, mint), { commitment: 'confirmed', encoding: 'base64' }],
        { once: false },
        changed,
      ),
    close() {
      lifetimes.close();
      price.close();
      subscriptions.close();
      rpc.close();
      second?.close();
    },
  };
};

const signaturesAtOnce = 256;

/** Gathers the keys of one turn of the event loop into one call. */
const inBatches = <T>(
  ask: (keys: readonly string[]) => Promise<readonly T[]>,
): ((key: string) => Promise<T | null>) => {
  let waiting: { key: string; resolve: (value: T | null) => void; reject: (error: unknown) => void }[] = [];
  const flush = (): void => {
    const batch = waiting.slice(0, signaturesAtOnce);
    waiting = waiting.slice(signaturesAtOnce);
    if (waiting.length > 0) setImmediate(flush);
    ask(batch.map(({ key }) => key)).then(
      (found) => batch.forEach(({ resolve }, index) => resolve(found[index] ?? null)),
      (error: unknown) => batch.forEach(({ reject }) => reject(error)),
    );
  };
  return (key) =>
    new Promise((resolve, reject) => {
      waiting.push({ key, resolve, reject });
      if (waiting.length === 1) setImmediate(flush);
    });
};

/** Fetches a blockhash before it is needed. */
const keepLifetime = (rpc: Rpc, log: Log) => {
  let kept: { lifetime: Lifetime; at: number; wall: number } | null = null;
  let fetching: Promise<Lifetime> | null = null;
  let lastUse = 0;

  const fetchOne = async (): Promise<Lifetime> => {
    const commitment = { commitment: 'confirmed' };
    const [latest, epoch] = await Promise.all([
      rpc.call('getLatestBlockhash', [commitment], blockhashAnswer),
      rpc.call('getEpochInfo', [commitment], epochInfoAnswer),
    ]);
    const { blockhash, lastValidBlockHeight } = latest.value;
    // An RPC that confuses slot and block height here would also pass the proof of expiry: reject it now.
    const blocksLeft = lastValidBlockHeight - epoch.blockHeight;
    if (blocksLeft < sanelyLeft.least || blocksLeft > sanelyLeft.most)
      throw new AppError('chain_unreachable', 'The Solana RPC gives a block height that cannot be right.');
    const lifetime = {
      blockhash,
      lastValidHeight: lastValidBlockHeight,
      slot: epoch.absoluteSlot,
      height: epoch.blockHeight,
    };
    kept = { lifetime, at: performance.now(), wall: Date.now() };
    return lifetime;
  };
  const refresh = (): Promise<Lifetime> => {
    fetching ??= fetchOne().finally(() => {
      fetching = null;
    });
    return fetching;
  };
  /** By the clock that says more: the monotonic one may stand still while the machine sleeps. */
  const age = (): number =>
    kept === null ? Infinity : Math.max(performance.now() - kept.at, Math.abs(Date.now() - kept.wall));
  const inBackground = (): void => {
    refresh().catch((error: unknown) => log.debug({ err: error }, 'no fresh blockhash now'));
  };
  const timer = setInterval(() => {
    // While payments come, one is always ready; an idle treasury asks nothing.
    if (performance.now() - lastUse < 60_000 && age() > blockhashFreshMs) inBackground();
  }, blockhashFreshMs);
  timer.unref();

  return {
    async get(): Promise<Lifetime> {
      lastUse = performance.now();
      if (kept === null || age() > blockhashTooOldMs) return refresh();
      if (age() > blockhashFreshMs) inBackground();
      return kept.lifetime;
    },
    /** Drops a blockhash that has no time left. */
    reached(height: number): void {
      if (kept !== null && height > kept.lifetime.lastValidHeight - blocksToSpare) kept = null;
    },
    close: () => clearInterval(timer),
  };
};

const rememberBlockTimes = (rpc: Rpc): ((slot: number) => Promise<number | null>) => {
  const known = new Map<number, Promise<number | null>>();
  return (slot) => {
    let time = known.get(slot);
    if (time === undefined) {
      if (known.size >= 512) known.clear();
      time = rpc.call('getBlockTime', [slot], blockTimeAnswer).then(
        (seconds) => (seconds === null ? null : seconds * 1_000),
        () => {
          known.delete(slot);
          return null;
        },
      );
      known.set(slot, time);
    }
    return time;
  };
};

/** The 75th percentile of recent priority fees per compute unit on the accounts that our transfers write, capped. */
const keepPrice = (rpc: Rpc, { maxComputeUnitPrice, treasury, mint, log }: ChainOptions) => {
  let price = 0n;
  if (maxComputeUnitPrice === 0n) return { get: () => price, close: () => {} };
  const refresh = async (): Promise<void> => {
    try {
      const accounts = [treasury, tokenAccountAddress(treasury, mint)];
      const recent = await rpc.call('getRecentPrioritizationFees', [accounts], prioritizationAnswer);
      const fees = recent.map(({ prioritizationFee }) => prioritizationFee).toSorted((a, b) => a - b);
      const wanted = BigInt(Math.ceil(fees[Math.floor(fees.length * 0.75)] ?? 0));
      price = wanted < maxComputeUnitPrice ? wanted : maxComputeUnitPrice;
    } catch (error) {
      log.debug({ err: error }, 'no recent priority fees; the last ones stand');
    }
  };
  void refresh();
  const timer = setInterval(() => void refresh(), 20_000);
  timer.unref();
  return { get: () => price, close: () => clearInterval(timer) };
};
