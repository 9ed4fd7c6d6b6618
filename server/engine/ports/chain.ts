// The port to USDC on one Solana network; solana/ implements it.
import type { Usdc } from '../../money.ts';
import type { AllowanceOrder, ColdReading } from '../domain/cold.ts';
import type { Purchase } from '../domain/purchase.ts';
import type { MailboxLine, RemoteWord } from '../domain/phone.ts';
import type { Lifetime, Transfer } from '../domain/transfer.ts';

export type Network = 'sandbox' | 'devnet' | 'mainnet';

export type TransactionError = Readonly<Record<string, unknown>> | string;

/** The chain's status of one signature. Null in place of it means that this RPC does not know the signature. */
export interface Sighting {
  slot: number;
  error: TransactionError | null;
  commitment: 'processed' | 'confirmed' | 'finalized';
}

/**
 * Proof that signed bytes move no money: they expired, or (`failed`) the chain finalized them with an error. `why`: what is
 * missing from the proof.
 */
export type EndProof =
  | { dead: true; failed?: Sighting; evidence: Readonly<Record<string, unknown>> }
  | { dead: false; why: string };

/** Tells which part of a managed wallet's history our own rows explain. */
export interface Explained {
  /** A row that counts as spent has this transaction's signature. */
  byName(signature: string): boolean;
  /** Such a row has its signature or, while that is unknown, its message. */
  move(move: TokenMove): boolean;
}

export interface TokenMove {
  signature: string;
  slot: number;
  blockTime: number | null;
  failed: boolean;
  messageHash: string;
  /** Change of the wallet's own USDC account, in micro-USDC. */
  change: bigint;
  /** That account's balance afterward, in micro-USDC. */
  balance: bigint;
  feeLamports: bigint;
  /** The other side of an incoming transfer, when the transaction names one. */
  counterparty: string | null;
  /** The addresses that signed the transaction, the fee payer first. */
  signers: readonly string[];
  /** The text of its first memo. */
  memo: string | null;
}

/** A finalized transaction that names a wallet, and what it did to the wallet's SOL. */
export interface SolMove extends ListedMove {
  /** In lamports. */
  change: bigint;
  /** In lamports, afterward. */
  balance: bigint;
  /** The account on the other side that changed most; null: none did. */
  counterparty: string | null;
}

/** A transaction as a list shows it, without its contents. */
export type ListedMove = Pick<TokenMove, 'signature' | 'slot' | 'blockTime' | 'failed'>;

/** Oldest first. `isAhead`: a look at the newest, which come again in their turn. */
export interface MoveBatch {
  moves: TokenMove[];
  isAhead: boolean;
}

export interface HistoryScan {
  /** The cursor: a signature; null: from the first transaction on. */
  after: string | null;
  /** The scan begins once this slot is final. */
  slot: number;
  /** Selects the transactions to read; the newest is always read. */
  wanted(listed: { signature: string; blockTime: number | null; failed: boolean }): boolean;
}

export interface LineRange {
  /** Signatures: the page begins below `before`, and ends above `until`. */
  before?: string | undefined;
  until?: string | undefined;
  /** An RPC that has not confirmed this slot refuses. */
  minSlot?: number;
}

/** What the calls to one RPC have shown so far. */
export interface RpcState {
  /** Name and port: the rest of an RPC's URL often carries an API key. */
  host: string;
  role: 'first' | 'second';
  /** Unix milliseconds of the first failed call since the last answer; null while it answers. */
  downSince: number | null;
  /** Why it is down, as the end of a sentence: `it answers HTTP status 503`. */
  why: string | null;
}

/** USDC on one Solana network. Every method may throw AppError `chain_unreachable`. */
export interface Chain {
  readonly mint: string;
  /** The RPCs of this chain, the first one first; an error that an RPC answers with is an answer. */
  rpcs(): readonly RpcState[];
  /** A recent blockhash, kept ready in the background. */
  lifetime(): Promise<Lifetime>;
  /** The unsigned message of a transfer; pure. */
  build(transfer: Transfer, lifetime: Lifetime): Uint8Array;
  /** Sends the bytes to the RPC. Resolves when it accepts them, which is a hint and proves nothing. */
  broadcast(wire: Uint8Array): Promise<void>;
  /** Calls back once the chain shows it at `confirmed`; silent if that cannot be had. Returns the unsubscription. */
  onConfirmed(signature: string, seen: (sighting: Sighting) => void): () => void;
  /**
   * Looks up at most 256 signatures, searching history. Of two RPCs that answer, only what both show counts. `slot` is the
   * slot of the answer.
   */
  sightings(signatures: readonly string[]): Promise<{ slot: number; found: (Sighting | null)[] }>;
  /** Height of the newest finalized block. */
  finalizedHeight(): Promise<number>;
  /** Unix milliseconds; null when the RPC does not have it. */
  blockTime(slot: number): Promise<number | null>;
  /**
   * Proof from every RPC that signed transfers have ended without moving money, in their order: the one way by which a
   * signed transfer is released. build/docs/architecture.md states the evidence it takes.
   * Shared evidence (the height, the history of a wallet) is read once for all. `explained` knows our other debits.
   */
  proveEnded(transfers: readonly Transfer[], explained: Explained): Promise<EndProof[]>;
  /** USDC of each wallet at `confirmed`, with the slot of the answer; null for a missing token account. */
  balances(wallets: readonly string[]): Promise<{ slot: number; units: (Usdc | null)[] }>;
  /** Micro-USDC that the wallet holds in other accounts than its usual one, at `confirmed`. */
  unitsAside(wallet: string): Promise<bigint>;
  lamports(wallet: string): Promise<bigint>;
  /** Whether the owner, a wallet or a program's address, has a USDC account; USDC itself and a token account are no owners. */
  hasTokenAccount(owner: string): Promise<boolean>;
  /** Whether the address is that of a signing key, not of a program, its account, or USDC itself; pure. */
  isWallet(address: string): boolean;
  /**
   * Transactions that touched the wallet's USDC account in `fromSlot` or later, at `confirmed`, each with the SHA-256
   * of its message in hex.
   */
  landed(wallet: string, fromSlot: number): Promise<{ signature: string; messageHash: string }[]>;
  /** The message hash of a transaction at `confirmed`; null when the RPC does not know the signature. */
  messageHash(signature: string): Promise<string | null>;
  /**
   * Transactions of the wallet's USDC account after `until` (a signature), in batches: what was read counts, if the next
   * fails. `wanted` selects by signature the ones to read; default: all.
   */
  moves(
    wallet: string,
    until: string | null,
    wanted?: (signature: string) => boolean,
  ): AsyncIterable<MoveBatch>;
  /** Whether each wallet's USDC account exists or ever did. */
  used(wallets: readonly string[]): Promise<boolean[]>;
  /** Like `moves`, but only finalized ones and in batches, for a history of any length. */
  history(wallet: string, scan: HistoryScan): AsyncIterable<TokenMove[]>;
  /** The finalized transactions of the wallet's USDC account, newest first and page by page, as the RPC lists them. */
  listing(wallet: string): AsyncIterable<ListedMove[]>;
  /** Whether the finalized history of the wallet lacks a successful transaction of this slot, by the list of every RPC. */
  isUnlisted(deposit: { wallet: string; txSignature: string; slot: number }): Promise<boolean>;
  /** One of them with its contents. @throws AppError `chain_unreachable` when the RPC does not show it */
  move(wallet: string, signature: string): Promise<TokenMove>;
  /** A page, newest first, of the finalized transactions that name the wallet itself, which hold all changes of its SOL. */
  solListing(wallet: string, range: LineRange): Promise<ListedMove[]>;
  /**
   * The change that one of them made to the wallet's SOL; null when it cannot be read here.
   * @throws AppError `chain_unreachable` when the RPC does not show it
   */
  solMove(wallet: string, signature: string): Promise<SolMove | null>;
  /** The USDC account of a cold treasury, and what the treasury may draw on it, at `confirmed`. */
  coldAccount(address: string): Promise<ColdReading>;
  /** The unsigned transaction that sets the allowance of a cold treasury; pure. */
  buildAllowance(order: AllowanceOrder): Uint8Array;
  /**
   * The signature on what a wallet made of that transaction; pure.
   * @throws AppError `conflict` when the wallet changed it
   */
  allowanceSignature(unsigned: Uint8Array, returned: Uint8Array): string;
  /** The address of the wallet's USDC account; pure. */
  tokenAccount(wallet: string): string;
  /** The newest transaction of the wallet's USDC account at `confirmed`; null when it has none. */
  newestMove(wallet: string): Promise<string | null>;
  rentLamports(): Promise<bigint>;
  /** The most that the transfer's fee can be, in lamports, and so what is reserved. */
  feeLamports(transfer: Pick<Transfer, 'kind' | 'wallet' | 'payee'> & { purchase?: Purchase | null }): bigint;
  /** Lamports that the chain takes for a signed transaction of which the treasury pays the fee; pure. */
  feeTaken(wire: Uint8Array): bigint;
  /** No account can have been read, and no transaction seen, at a slot beyond this one. */
  latestSlot(): Promise<number>;
  genesisHash(): Promise<string>;
  /** The time of a recent block in Unix milliseconds; null when the RPC does not have it. */
  chainTime(): Promise<number | null>;
  /** A page, newest first, of the transactions that name an address at `confirmed`. */
  linesOf(address: string, range: LineRange): Promise<MailboxLine[]>;
  finalizedSlot(): Promise<number>;
  /**
   * The word in a transaction; null when it is none or has failed.
   * @throws AppError `chain_unreachable` when the RPC does not show the transaction at this commitment
   */
  remoteWord(
    signature: string,
    commitment: 'confirmed' | 'finalized',
  ): Promise<(RemoteWord & { at: number | null }) | null>;
  /** Calls back when a confirmed transaction names the mailbox: a hint. Returns a function that ends it. */
  onMailbox(mailbox: string, onLine: () => void): () => void;
}
