// An instruction while it runs: the accounts that it was given, and which changes of them the runtime allows.
import { sameKey, type Account } from '../account.ts';
import type { Outcome } from '../runtime.ts';
import type { LogLines } from './log-lines.ts';
import { Refusal, refuse } from './refusal.ts';

/** An account of a running transaction. Its data is replaced, never written into. */
export type Working = { -readonly [Field in keyof Account]: Account[Field] };

/** A transaction while it runs. Accounts, and the indexes of the others, are in the order of its message. */
export interface Machine {
  readonly keys: readonly Uint8Array[];
  readonly accounts: readonly Working[];
  readonly log: LogLines;
  readonly inner: Outcome['inner'][number][1][];
  unitsLeft: number;
  /** Lamports that the running instruction has given out of nothing. */
  imbalance: bigint;
  /** Bytes by which all accounts have grown. */
  grownBytes: number;
  instructionsRun: number;
  returned: { program: Uint8Array; data: Uint8Array };
  /** @throws Refusal */
  run(call: Call): void;
}

/** An account as one instruction sees it. One that is passed twice is two parties with one index. */
export interface Party {
  readonly index: number;
  readonly key: Uint8Array;
  readonly account: Working;
  readonly signer: boolean;
  readonly writable: boolean;
}

export interface Call {
  readonly machine: Machine;
  readonly program: Uint8Array;
  readonly programIndex: number;
  readonly parties: readonly Party[];
  readonly data: Uint8Array;
  /** 1 for an instruction of the message. */
  readonly depth: number;
  /** The instruction of the message that this is or that has led to it. */
  readonly topIndex: number;
}

/** @throws Refusal of an instruction that is out of compute units */
export const spendUnits = ({ machine }: Call, units: number): void => {
  const left = machine.unitsLeft - units;
  machine.unitsLeft = Math.max(0, left);
  if (left < 0) refuse('ComputationalBudgetExceeded');
};

/**
 * As a deployed program is stopped between two of its steps.
 * @throws Refusal
 */
export const spendSteps = ({ machine }: Call, units: number): void => {
  const left = machine.unitsLeft - units;
  machine.unitsLeft = Math.max(0, left);
  if (left < 0) throw new Refusal('ProgramFailedToComplete', 'exceeded CUs meter at BPF instruction');
};

/** @throws Refusal where this program may not change the balance so */
export const setLamports = ({ machine, program }: Call, party: Party, lamports: bigint): void => {
  const { account, writable } = party;
  const isOwner = sameKey(account.owner, program);
  if (!isOwner && lamports < account.lamports) refuse('ExternalAccountLamportSpend');
  if (!writable) refuse('ReadonlyLamportChange');
  machine.imbalance += lamports - account.lamports;
  account.lamports = lamports;
};

/** @throws Refusal where this program may not make this the account's data */
export const setData = (call: Call, party: Party, data: Uint8Array): void => {
  checkResize(call, party, data.length);
  call.machine.grownBytes += data.length - party.account.data.length;
  party.account.data = data;
};

/** @throws Refusal where this program may not give the account to another */
export const setOwner = ({ program }: Call, { account, writable }: Party, owner: Uint8Array): void => {
  const isAllowed = sameKey(account.owner, program) && writable && account.data.every((byte) => byte === 0);
  if (!isAllowed) refuse('ModifiedProgramId');
  account.owner = owner;
};

export const mostAccountBytes = 10 * 1024 * 1024;
const mostGrownBytes = 2 * mostAccountBytes;

const checkResize = (call: Call, { account, writable }: Party, bytes: number): void => {
  const isOwner = sameKey(account.owner, call.program);
  if (bytes !== account.data.length && !isOwner) refuse('AccountDataSizeChanged');
  if (bytes > mostAccountBytes) refuse('InvalidRealloc');
  const grown = call.machine.grownBytes + bytes - account.data.length;
  if (grown > mostGrownBytes) refuse('MaxAccountsDataAllocationsExceeded');
  if (!writable) refuse('ReadonlyDataModified');
  if (!isOwner) refuse('ExternalAccountDataModified');
};
