// USDC on one Solana network: the engine's Chain port over JSON-RPC.
import { TOKEN_2022_PROGRAM_ID, TOKEN_PROGRAM_ID } from '@solana/spl-token';
import type { Chain } from '../engine/ports.ts';
import type { Log } from '../log.ts';
import { usdc, type Usdc } from '../money.ts';
import {
  accountAnswer,
  epochInfoAnswer,
  genesisAnswer,
  lamportsAnswer,
  ownedAccountsAnswer,
  rentAnswer,
  signatureAnswer,
  slotAnswer,
  tokenAccountsAnswer,
} from './rpc/answers.ts';
import { buildAllowance, signatureOn } from './allowance.ts';
import { inBatches } from './rpc/batches.ts';
import { rememberBlockTimes } from './history/block-times.ts';
import { readColdAccount } from './cold.ts';
import { buildMessage, feeOf, feeTaken, isWallet, tokenAccountAddress } from './message.ts';
import { onChange, onConfirmed } from './rpc/hints.ts';
import { listHistory, newestMove, readHistory } from './history/history.ts';
import { createLanded } from './history/landed.ts';
import { createMailbox } from './mailbox.ts';
import { keepLifetime } from './lifetimes.ts';
import { readMove, readMoves } from './history/moves.ts';
import { listSolPage, readSolMove } from './history/sol-moves.ts';
import { ofOneNetwork } from './rpc/one-network.ts';
import { keepPrice } from './priority-fee.ts';
import { createFailover } from './rpc/failover.ts';
import type { Connect } from './rpc/http-connection.ts';
import { createRpc, type Rpc } from './rpc/rpc.ts';
import { boundSlots, slotsToSpare } from './rpc/slots.ts';
import { whenChecked } from './rpc/when-checked.ts';
import { createSubscriptions, type Subscriptions } from './rpc/subscriptions.ts';
import { isUnlisted, proveEnded, sightings, type Witnesses } from './rpc/witnesses.ts';

export interface ChainOptions {
  rpcUrl: string;
  wsUrl: string;
  /** A second, independent RPC: a transfer is then released only when both prove its end. */
  secondRpcUrl?: string;
  mint: string;
  treasury: string;
  /** The genesis hash of the treasury's chain; null before the first start. */
  genesis: string | null;
  /** The most micro-lamports per compute unit; 0: no priority fee. */
  maxComputeUnitPrice: bigint;
  log: Log;
  gate: Parameters<typeof whenChecked>[1];
  /** How to reach the nodes: over HTTP and a websocket, unless a test brings its own. */
  reach?: { connect: Connect; subscriptions: Subscriptions };
}

const tokenAccountSize = 165;
const tokenPrograms: ReadonlySet<string> = new Set(
  [TOKEN_PROGRAM_ID, TOKEN_2022_PROGRAM_ID].map((program) => program.toBase58()),
);
const accountsAtOnce = 100;

export interface SolanaChain extends Chain {
  /** Calls back when the wallet's USDC account changes at `confirmed`: a hint. Returns a function that ends it. */
  onChange(wallet: string, changed: () => void): () => void;
  close(): void;
}

/** Connects lazily; nothing here throws before the first call. */
export const createChain = (options: ChainOptions): SolanaChain => {
  const { rpcUrl, wsUrl, secondRpcUrl, mint, treasury, genesis, log, gate, reach } = options;
  const ofOne = secondRpcUrl === undefined ? null : ofOneNetwork(genesis);
  const nodeAt = (url: string) => {
    const node = createRpc(url, { log, connect: reach?.connect });
    return whenChecked(boundSlots(ofOne?.(node) ?? node), gate);
  };
  const first = nodeAt(rpcUrl);
  const second = secondRpcUrl === undefined ? null : nodeAt(secondRpcUrl);
  const witnesses: Witnesses = second === null ? [first] : [first, second];
  const rpc = second === null ? first : createFailover(first, second);
  const subscriptions = reach?.subscriptions ?? createSubscriptions(wsUrl, log);
  const lifetimes = keepLifetime(witnesses, log);
  const blockTime = rememberBlockTimes(rpc);
  const price = keepPrice(rpc, options);
  const lookUp = inBatches(async (signatures) => (await sightings(witnesses, signatures)).found);
  const token = { rpc, mint };

  return {
    mint,
    rpcs: () => [
      { ...first.state(), role: 'first' },
      ...(second === null ? [] : [{ ...second.state(), role: 'second' as const }]),
    ],
    lifetime: lifetimes.get,
    build: (transfer, lifetime) => buildMessage(transfer, lifetime, treasury, mint),
    broadcast: (wire) => broadcast(rpc, wire),
    onConfirmed: (signature, seen) => onConfirmed({ subscriptions, lookUp, log }, signature, seen),
    sightings: (signatures) => sightings(witnesses, signatures),
    finalizedHeight: () => finalizedHeight(rpc, lifetimes.reached),
    blockTime,
    proveEnded: (transfers, explained) => proveEnded(witnesses, mint, transfers, explained),
    balances: (wallets) => balances(token, wallets),
    unitsAside: (wallet) => unitsAside(token, wallet),
    lamports: (wallet) => lamports(rpc, wallet),
    hasTokenAccount: (owner) => hasTokenAccount(token, owner),
    isWallet: (address) => address !== mint && isWallet(address),
    ...createLanded(rpc, mint),
    ...createMailbox({ rpc, subscriptions, treasury }),
    moves: (wallet, until, wanted) =>
      readMoves(rpc, { wallet, mint, commitment: 'confirmed', until }, wanted),
    used: (wallets) => used(token, wallets),
    history: (wallet, scan) => readHistory(rpc, { wallet, mint }, scan),
    isUnlisted: (deposit) => isUnlisted(witnesses, mint, deposit),
    listing: (wallet) => listHistory(rpc, { wallet, mint }),
    move: (wallet, signature) => readMove(rpc, { wallet, mint, commitment: 'finalized' }, { signature }),
    solListing: (wallet, range) => listSolPage(rpc, wallet, range),
    solMove: (wallet, signature) => readSolMove(rpc, wallet, signature),
    coldAccount: (address) => readColdAccount(rpc, { address, mint, treasury }),
    buildAllowance: (order) => buildAllowance(order, { mint, treasury, price: price.get() }),
    allowanceSignature: signatureOn,
    tokenAccount: (wallet) => tokenAccountAddress(wallet, mint),
    newestMove: (wallet) => newestMove(rpc, { wallet, mint }),
    rentLamports: rememberRent(rpc),
    feeLamports: (transfer) => feeOf(transfer, treasury, price.get()),
    feeTaken,
    latestSlot: () => latestSlot(rpc),
    genesisHash: () => rpc.call('getGenesisHash', [], genesisAnswer),
    chainTime: () => chainTime(rpc, blockTime),
    onChange: (wallet, changed) => onChange({ subscriptions, mint }, wallet, changed),
    close() {
      for (const part of [lifetimes, price, subscriptions, rpc, first, second]) part?.close();
    },
  };
};

const broadcast = async (rpc: Rpc, wire: Uint8Array): Promise<void> => {
  // No preflight: its verdict binds nobody. A transaction that fails on chain costs 0.00001 SOL, and is settled
  // sooner than one that nobody forwards and whose expiry must be proven.
  const settings = { encoding: 'base64', skipPreflight: true, maxRetries: 0 };
  await rpc.call('sendTransaction', [Buffer.from(wire).toString('base64'), settings], signatureAnswer);
};

const finalizedHeight = async (rpc: Rpc, reached: (height: number) => void): Promise<number> => {
  const height = await rpc.call('getBlockHeight', [{ commitment: 'finalized' }], slotAnswer);
  reached(height);
  return height;
};

interface Token {
  rpc: Rpc;
  mint: string;
}

const balances = async ({ rpc, mint }: Token, wallets: readonly string[]): ReturnType<Chain['balances']> => {
  const units: (Usdc | null)[] = [];
  let slot = Number.MAX_SAFE_INTEGER;
  for (let from = 0; from < wallets.length; from += accountsAtOnce) {
    const addresses = wallets
      .slice(from, from + accountsAtOnce)
      .map((wallet) => tokenAccountAddress(wallet, mint));
    const params = [addresses, { commitment: 'confirmed', encoding: 'base64' }];
    const answer = await rpc.call('getMultipleAccounts', params, tokenAccountsAnswer(addresses.length));
    slot = Math.min(slot, answer.context.slot);
    units.push(...answer.value.map((amount) => (amount === null ? null : usdc(amount))));
  }
  return { slot, units };
};

const hasTokenAccount = async (token: Token, owner: string): Promise<boolean> => {
  if ((await balances(token, [owner])).units[0] === null) return false;
  if (owner !== token.mint && isWallet(owner)) return true;
  // Anybody can open an account that USDC itself or a token account owns; nobody can spend from it.
  // Its contents do not matter, and those of a program may have 10 MiB.
  const dataSlice = { offset: 0, length: 0 };
  const params = [owner, { commitment: 'confirmed', encoding: 'base64', dataSlice }];
  const { value } = await token.rpc.call('getAccountInfo', params, accountAnswer);
  return value === null || !tokenPrograms.has(value.owner);
};

const unitsAside = async ({ rpc, mint }: Token, wallet: string): Promise<bigint> => {
  const usual = tokenAccountAddress(wallet, mint);
  const params = [wallet, { mint }, { commitment: 'confirmed', encoding: 'base64' }];
  const { value } = await rpc.call('getTokenAccountsByOwner', params, ownedAccountsAnswer);
  return value.reduce((sum, { pubkey, account }) => (pubkey === usual ? sum : sum + (account ?? 0n)), 0n);
};

const used = async (token: Token, wallets: readonly string[]): Promise<boolean[]> => {
  const { units } = await balances(token, wallets);
  const { rpc, mint } = token;
  return Promise.all(
    wallets.map(
      async (wallet, index) => units[index] !== null || (await newestMove(rpc, { wallet, mint })) !== null,
    ),
  );
};

const lamports = async (rpc: Rpc, wallet: string): Promise<bigint> => {
  const answer = await rpc.call('getBalance', [wallet, { commitment: 'confirmed' }], lamportsAnswer);
  return BigInt(answer.value);
};

const rememberRent = (rpc: Rpc): (() => Promise<bigint>) => {
  let rent: bigint | null = null;
  return async () => {
    rent ??= BigInt(await rpc.call('getMinimumBalanceForRentExemption', [tokenAccountSize], rentAnswer));
    return rent;
  };
};

const latestSlot = async (rpc: Rpc): Promise<number> => {
  const { absoluteSlot } = await rpc.call('getEpochInfo', [{ commitment: 'processed' }], epochInfoAnswer);
  return absoluteSlot + slotsToSpare;
};

const chainTime = async (rpc: Rpc, blockTime: Chain['blockTime']): Promise<number | null> => {
  const { absoluteSlot } = await rpc.call('getEpochInfo', [{ commitment: 'confirmed' }], epochInfoAnswer);
  return blockTime(absoluteSlot);
};
