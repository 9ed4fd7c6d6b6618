// Two RPC nodes over the true chain, at the level of JSON-RPC; one of them may be silent, lag, or lie.
import bs58 from 'bs58';
import { usdcMints } from '../../server/contract/treasury/networks.ts';
import { treasury } from './keys.ts';
import { mailbox } from './phone.ts';
import { ahead, lies as common } from '../lab/campaign/gates/lies.ts';
import {
  blockhashOf,
  confirmedAfter,
  finalizedAfter,
  heightIn,
  heightOf,
  lifetimeBlocks,
  payerIn,
  readTx,
  type Landed,
  type TrueChain,
  type Tx,
} from './true-chain.ts';

export const lies = [...common, 'behind'] as const;
/** Lies that must each be noticed without a second node. */
export const seenThroughAlone = [
  'the slot as the height',
  'a height from the past',
  'no status',
  'no history',
  'blocks forgotten',
  'behind',
  'silent',
] as const satisfies readonly Lie[];
export type Lie = (typeof lies)[number] | 'silent';
const behindBySlots = 60;

export interface Request {
  id: number;
  method: string;
  // oxlint-disable-next-line typescript/no-explicit-any -- parameters of every shape
  params: any[];
}

export interface Node {
  tell(lies: readonly Lie[]): void;
  isSilent(): boolean;
  isHonest(): boolean;
  /** The answer's result, or null when none comes. @throws RpcRefusal */
  answer(request: Request): { result: unknown } | null;
}

export class RpcRefusal extends Error {
  override readonly name = 'RpcRefusal';
}

export interface Surroundings {
  /** The wallet of a token account. */
  ownerOf(account: string): string;
  /** There is no other node. */
  isAlone: boolean;
}

export const createNode = (chain: TrueChain, { ownerOf, isAlone }: Surroundings): Node => {
  let told: ReadonlySet<Lie> = new Set();
  let shown = new Map<string, number>();
  const mint = usdcMints.sandbox;

  const slot = (): number => chain.slot() - (told.has('behind') ? behindBySlots : 0);
  const slotAt = (commitment: unknown): number =>
    commitment === 'finalized'
      ? slot() - finalizedAfter
      : commitment === 'confirmed'
        ? slot() - confirmedAfter
        : slot();
  const upTo = (commitment: unknown): Landed[] =>
    chain.landed().filter((one) => one.slot <= slotAt(commitment));
  /**
   * Whether a history shows it. The treasury knows the signature of what it sent itself. Of what a facilitator sent, the
   * history is the only trace: an RPC alone that hides it as well can cost money (build/docs/security.md).
   */
  const isShown = ({ wire }: Landed): boolean =>
    !told.has('no history') || (isAlone && payerIn(wire) !== treasury);
  const wordsUpTo = (commitment: unknown) => chain.words().filter((one) => one.slot <= slotAt(commitment));
  const balanceOf = (account: string, seen: readonly Landed[]): bigint =>
    seen.reduce(
      (sum, { from, to, amount, error }) =>
        error !== null ? sum : sum + (to === account ? amount : 0n) - (from === account ? amount : 0n),
      chain.opened(account),
    );

  const shift = (): number =>
    told.has('a height from the future') ? ahead : told.has('a height from the past') ? -30 : 0;

  const epochInfo = (commitment: unknown) => {
    const absoluteSlot = slotAt(commitment);
    if (told.has('the slot as the height')) return { absoluteSlot, blockHeight: absoluteSlot + ahead };
    return { absoluteSlot: absoluteSlot + shift(), blockHeight: heightOf(absoluteSlot) + shift() };
  };

  const statusOf = (signature: string): unknown => {
    const one = chain.find(signature);
    if (told.has('no status') || one === undefined || one.slot > slot()) return null;
    const status = { slot: one.slot, err: one.error, confirmations: null };
    if (told.has('a status that falls back')) {
      const times = (shown.get(signature) ?? 0) + 1;
      shown.set(signature, times);
      return times <= 2 ? { ...status, confirmationStatus: 'confirmed' } : null;
    }
    const is = (commitment: string): boolean => one.slot <= slotAt(commitment);
    const confirmationStatus = is('finalized') ? 'finalized' : is('confirmed') ? 'confirmed' : 'processed';
    return { ...status, confirmationStatus };
  };

  const signatures = (account: string, options: Record<string, unknown>): unknown[] => {
    const at = slotAt(options['commitment']) + shift();
    if (Number(options['minContextSlot'] ?? 0) > at) throw new RpcRefusal('Minimum context slot not reached');
    if (told.has('no history') && account === mailbox) return [];
    const all =
      account === mailbox
        ? wordsUpTo(options['commitment']).toReversed()
        : upTo(options['commitment'])
            .filter((one) => (one.from === account || one.to === account) && isShown(one))
            .toSorted((a, b) => b.slot - a.slot || b.order - a.order);
    const before = all.findIndex(({ signature }) => signature === options['before']) + 1;
    const until = all.findIndex(({ signature }) => signature === options['until']);
    return all
      .slice(before, until < 0 ? undefined : until)
      .slice(0, Number(options['limit'] ?? 1_000))
      .map((one) => ({
        signature: one.signature,
        slot: one.slot,
        err: 'error' in one ? one.error : null,
        blockTime: chain.blockTime(one.slot) / 1_000,
      }));
  };

  const transaction = (signature: string, { commitment }: Record<string, unknown>): unknown => {
    const word = wordsUpTo(commitment).find((it) => it.signature === signature);
    if (word !== undefined)
      return {
        slot: word.slot,
        blockTime: chain.blockTime(word.slot) / 1_000,
        transaction: [word.wire.toString('base64'), 'base64'],
        meta: { err: null, fee: 5_000, preTokenBalances: [], postTokenBalances: [] },
      };
    const seen = upTo(commitment);
    const one = seen.find((it) => it.signature === signature);
    if (one === undefined) return null;
    const earlier = seen.filter(
      ({ slot: at, order }) => at < one.slot || (at === one.slot && order < one.order),
    );
    const balances = (list: readonly Landed[]) =>
      [one.from, one.to].map((account, accountIndex) => ({
        accountIndex,
        mint,
        owner: ownerOf(account),
        uiTokenAmount: { amount: balanceOf(account, list).toString() },
      }));
    return {
      slot: one.slot,
      blockTime: chain.blockTime(one.slot) / 1_000,
      transaction: [one.wire.toString('base64'), 'base64'],
      meta: {
        err: one.error,
        fee: 10_000,
        preTokenBalances: balances(earlier),
        postTokenBalances: balances([...earlier, one]),
      },
    };
  };

  const tokenAccount = (account: string, commitment: unknown) => {
    const data = Buffer.alloc(165);
    data.writeBigUInt64LE(balanceOf(account, upTo(commitment)), 64);
    return { data: [data.toString('base64'), 'base64'] };
  };

  const results: Record<string, (params: Request['params']) => unknown> = {
    getLatestBlockhash([{ commitment }]) {
      const height = heightOf(slotAt(commitment));
      const value = { blockhash: blockhashOf(height), lastValidBlockHeight: height + lifetimeBlocks };
      return { context: { slot: slotAt(commitment) }, value };
    },
    isBlockhashValid([blockhash, { commitment, minContextSlot }]) {
      const at = slotAt(commitment) + shift();
      if (Number(minContextSlot ?? 0) > at) throw new RpcRefusal('Minimum context slot not reached');
      const age = heightOf(at) - heightIn(String(blockhash));
      return { context: { slot: at }, value: age >= 0 && age <= lifetimeBlocks };
    },
    getSlot: ([{ commitment }]) => slotAt(commitment) + shift(),
    getEpochInfo: ([{ commitment }]) => epochInfo(commitment),
    getBlockHeight: ([{ commitment }]) => epochInfo(commitment).blockHeight,
    getSignatureStatuses: ([names]) => ({
      context: { slot: slot() + (told.has('a height from the future') ? 2 * ahead : 0) },
      value: (names as string[]).map(statusOf),
    }),
    getBlockTime: ([at]) => chain.blockTime(Number(at)) / 1_000,
    getFirstAvailableBlock: () => (told.has('blocks forgotten') ? 10_000_000 : 0),
    getSignaturesForAddress: ([account, options]) => signatures(String(account), options),
    getTransaction: ([signature, options]) => transaction(String(signature), options),
    getMultipleAccounts: ([accounts, { commitment }]) => ({
      context: { slot: slotAt(commitment) },
      value: (accounts as string[]).map((account) => tokenAccount(account, commitment)),
    }),
    getBalance: () => ({ context: { slot: slot() }, value: 10_000_000_000 }),
    getGenesisHash: () => mint,
    getMinimumBalanceForRentExemption: () => 2_039_280,
  };

  return {
    tell(list) {
      told = new Set(list);
      shown = new Map();
    },
    isSilent: () => told.has('silent'),
    isHonest: () => told.size === 0,
    answer({ method, params }) {
      if (told.has('silent')) return null;
      if (method === 'sendTransaction') {
        const tx = sentTx(params);
        return chain.send(tx) === null ? null : { result: tx.signature };
      }
      const result = results[method];
      if (result === undefined) throw new Error(`the simulated node does not know ${method}`);
      return { result: result(params) };
    },
  };
};

export const sentTx = (params: Request['params']): Tx => readTx(Buffer.from(String(params[0]), 'base64'));
export const isAddress = (text: string): boolean => bs58.decodeUnsafe(text)?.length === 32;
