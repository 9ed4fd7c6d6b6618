// The interface of a Solana runtime, as the chain needs it. There are two: LiteSVM (litesvm.ts), and one in TypeScript (script/).
import type { Account } from './account.ts';
import type { TransactionError } from './transaction-error.ts';

/** An instruction called by a program: index of the program, accounts and data in hex, depth. */
export type InnerInstruction = [program: number, accounts: string, data: string, stackHeight: number];

export interface Outcome {
  readonly err: TransactionError | null;
  readonly logs: string[];
  readonly units: number;
  readonly inner: [index: number, instructions: InnerInstruction[]][];
  readonly returned: { program: Uint8Array; data: Uint8Array } | null;
}

export interface Runtime {
  read(address: Uint8Array): Account | null;
  lamports(address: Uint8Array): bigint;
  /** The account if one of these programs owns it; cheaper than reading it. */
  readOwnedBy(address: Uint8Array, isOwner: (owner: Uint8Array) => boolean): Account | null;
  write(address: Uint8Array, account: Account | null): void;
  programAccounts(program: Uint8Array): { address: Uint8Array; account: Account }[];
  /** `wire` must have passed the decoder: the runtime aborts the process on bytes that it cannot read. */
  execute(wire: Uint8Array): Outcome;
  simulate(wire: Uint8Array, verifySignatures: boolean): Simulation;
  setTime(slot: number, unixSeconds: number): void;
  setSlotHashes(hashes: { slot: bigint; hash: string }[]): void;
  rentExemption(bytes: number): number;
}

export interface Simulation extends Outcome {
  /** Accounts that a successful run would have written. */
  readonly written: { address: Uint8Array; account: Account }[];
}
