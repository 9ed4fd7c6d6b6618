// The true simulated chain: slots, heights, landed transactions, forks. It executes the signed transfer, and knows the
// treasury only by its bytes.
import bs58 from 'bs58';
import { decodeMessage } from '../../server/lib/solana/solana-message.ts';
import { programs } from '../../server/vault/addresses.ts';

export const slotMs = 400;
export const confirmedAfter = 1;
export const finalizedAfter = 32;
export const lifetimeBlocks = 150;
/** One of so many slots has no block: heights fall behind slots. */
const skippedEvery = 20;
const firstSlot = 1_000_000;

export type Fate =
  | 'lands'
  | 'answer lost'
  | 'dropped once'
  | 'dropped for ever'
  | 'fails'
  | { lateBySlots: number }
  /** In the last block in which it can land. */
  | 'in its last block';

export interface Tx {
  signature: string;
  wire: Buffer;
  /** The payment's id, from the memo. */
  id: string;
  /** Token accounts, base58. */
  from: string;
  to: string;
  amount: bigint;
  lastValidHeight: number;
}
export interface Landed extends Tx {
  slot: number;
  order: number;
  error: object | null;
}

const messageIn = (wire: Buffer): Buffer => wire.subarray(1 + (wire[0] ?? 0) * 64);
/** The message without the mark of its version. */
const headIn = (message: Buffer): Buffer => message.subarray((message[0] ?? 0) >= 0x80 ? 1 : 0);

/** Who pays the fee of a transaction. */
export const payerIn = (wire: Buffer): string => bs58.encode(headIn(messageIn(wire)).subarray(4, 36));

/** @param id the payment's, where the memo does not name it */
export const readTx = (wire: Buffer, id?: string): Tx => {
  const message = messageIn(wire);
  const { instructions } = decodeMessage(message);
  const memo = instructions.find(({ program }) => program.equals(programs.memo));
  const moves = instructions.filter(({ program, data }) => program.equals(programs.token) && data[0] === 12);
  const [move] = moves;
  if (memo === undefined || move === undefined || moves.length !== 1) throw new Error('not one transfer');
  const head = headIn(message);
  const blockhash = head.subarray(4 + (head[3] ?? 0) * 32).subarray(0, 32);
  return {
    signature: bs58.encode(wire.subarray(1, 65)),
    wire,
    id: id ?? memo.data.toString().slice('at:'.length),
    from: bs58.encode(move.accounts[0] ?? Buffer.alloc(32)),
    to: bs58.encode(move.accounts[2] ?? Buffer.alloc(32)),
    amount: move.data.readBigUInt64LE(1),
    lastValidHeight: Number(blockhash.readBigUInt64BE(0)) + lifetimeBlocks,
  };
};

export const heightOf = (slot: number): number => slot - Math.floor(slot / skippedEvery);
const blockSlotOf = (slot: number): number => (slot % skippedEvery === 0 ? slot - 1 : slot);
/** The last slot of this height. */
const lastSlotOf = (height: number): number => {
  let at = Math.floor((height * skippedEvery) / (skippedEvery - 1)) - 2;
  while (heightOf(at + 1) <= height) at += 1;
  return at;
};
/** A blockhash contains its height. */
export const blockhashOf = (height: number): string => {
  const bytes = Buffer.alloc(32, 7);
  bytes.writeBigUInt64BE(BigInt(height));
  return bs58.encode(bytes);
};

/** The height of a blockhash. */
export const heightIn = (blockhash: string): number =>
  Number(Buffer.from(bs58.decode(blockhash)).readBigUInt64BE(0));

/** A transaction of a phone. No fork takes it back. */
export interface ChainWord {
  signature: string;
  wire: Buffer;
  slot: number;
}

export interface TrueChain {
  slot(): number;
  /** In order; each in a slot of its own or a later one. */
  words(): readonly ChainWord[];
  say(word: Omit<ChainWord, 'slot'>): void;
  /** Unix milliseconds, rounded to the second as in a block. */
  blockTime(slot: number): number;
  landed(): readonly Landed[];
  find(signature: string): Landed | undefined;
  /** The transaction of a payment, by its id. */
  of(id: string): Landed | undefined;
  /** Whether it was ever executed, on whichever fork: a signature, or the id of a payment. */
  everPaid(signatureOrId: string): boolean;
  canStillLand(tx: Pick<Tx, 'lastValidHeight'>): boolean;
  isFinal(landed: Landed): boolean;
  /** Nothing can land in a block at or below it any more. */
  finalizedSlot(): number;
  opened(account: string): bigint;
  /** Submits bytes; null when no answer comes back. */
  send(tx: Tx): 'taken' | null;
  /** The fate of the next transactions that have not been seen before. */
  nextFates(fates: readonly Fate[]): void;
  /** Lets dropped transactions land from now on. */
  heal(): void;
  time(now: number): void;
  /** A fork has made a balance lower than it was: a failed payment succeeded, or a wallet's income was undone. */
  hasTakenBack(): boolean;
  /** Replaces the blocks that are not final: one of every two of their transactions is lost, or lands a slot later. */
  fork(keeps: (nth: number) => 'lost' | 'moved' | 'kept'): void;
}

/** @param onLanded is called for every transaction that executes without an error */
export const createTrueChain = (
  begin: number,
  opening: ReadonlyMap<string, bigint>,
  onLanded: (tx: Landed) => void,
): TrueChain => {
  const zero = begin - firstSlot * slotMs;
  let slot = firstSlot;
  let order = 0;
  let chain: Landed[] = [];
  let held: { tx: Tx; slot: number }[] = [];
  let coming: Fate[] = [];
  let hasTakenBack = false;
  const words: ChainWord[] = [];
  const fates = new Map<string, Fate>();
  const paid = new Set<string>();

  const balanceOf = (account: string): bigint =>
    chain.reduce(
      (sum, { from, to, amount, error }) =>
        error !== null ? sum : sum + (to === account ? amount : 0n) - (from === account ? amount : 0n),
      opening.get(account) ?? 0n,
    );

  const land = (tx: Tx, at: number): void => {
    const inSlot = blockSlotOf(at);
    if (heightOf(inSlot) > tx.lastValidHeight || chain.some(({ signature }) => signature === tx.signature))
      return;
    order += 1;
    const fails = fates.get(tx.signature) === 'fails' || balanceOf(tx.from) < tx.amount;
    const error = fails ? { InstructionError: [1, { Custom: 1 }] } : null;
    const one: Landed = { ...tx, slot: inSlot, order, error };
    chain.push(one);
    if (error !== null) return;
    paid.add(tx.signature).add(tx.id);
    onLanded(one);
  };

  const send: TrueChain['send'] = (tx) => {
    const known = fates.get(tx.signature);
    const fate = known ?? coming.shift() ?? 'lands';
    fates.set(tx.signature, fate);
    const isHeld = held.some((one) => one.tx.signature === tx.signature);
    if (fate === 'dropped for ever') return 'taken';
    if (fate === 'dropped once' && known === undefined) return null;
    if (typeof fate === 'object' || fate === 'in its last block') {
      const at = typeof fate === 'object' ? slot + fate.lateBySlots : lastSlotOf(tx.lastValidHeight);
      if (known === undefined) held.push({ tx, slot: at });
      else if (!isHeld) land(tx, slot);
      return 'taken';
    }
    land(tx, slot);
    return fate === 'answer lost' && known === undefined ? null : 'taken';
  };

  return {
    slot: () => slot,
    words: () => words,
    say: (word) => void words.push({ ...word, slot: blockSlotOf(slot) }),
    blockTime: (at) => Math.floor((zero + at * slotMs) / 1_000) * 1_000,
    landed: () => chain,
    find: (signature) => chain.find((one) => one.signature === signature),
    of: (id) => chain.find((one) => one.id === id),
    everPaid: (name) => paid.has(name),
    canStillLand: ({ lastValidHeight }) => heightOf(slot - finalizedAfter) <= lastValidHeight,
    isFinal: (one) => one.slot <= slot - finalizedAfter,
    finalizedSlot: () => slot - finalizedAfter,
    opened: (account) => opening.get(account) ?? 0n,
    send,
    nextFates: (list) => void (coming = [...list]),
    heal() {
      coming = [];
      for (const [signature, fate] of fates)
        if (fate === 'dropped for ever' || fate === 'fails') fates.set(signature, 'lands');
    },
    time(now) {
      slot = Math.floor((now - zero) / slotMs);
      const due = held.filter((one) => one.slot <= slot);
      held = held.filter((one) => one.slot > slot);
      for (const one of due.toSorted((a, b) => a.slot - b.slot)) land(one.tx, one.slot);
    },
    hasTakenBack: () => hasTakenBack,
    fork(keeps) {
      const final = chain.filter((one) => one.slot <= slot - finalizedAfter);
      const open = chain.filter((one) => one.slot > slot - finalizedAfter);
      chain = final;
      for (const [nth, one] of open.entries()) {
        const kept = keeps(nth);
        // On another fork a failed transaction may succeed.
        const isFailed = fates.get(one.signature) === 'fails';
        if (kept !== 'kept' && isFailed) fates.set(one.signature, 'lands');
        if (kept !== 'kept' && (isFailed || opening.get(one.to) !== 0n)) hasTakenBack = true;
        if (kept === 'kept') chain.push(one);
        if (kept === 'moved') land(one, Math.min(slot, one.slot + 1));
      }
    },
  };
};
