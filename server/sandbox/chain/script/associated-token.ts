// The parts that the instructions of the Associated Token Account program share.
import { programs, sameKey, view } from '../account.ts';
import { programAddress } from '../keypair.ts';
import type { Call, Party } from './instruction.ts';
import { spendSteps, spendUnits } from './instruction.ts';
import { invoke, type InnerCall } from './program.ts';
import { refuse } from './refusal.ts';
import { accountAt, stateOf, states } from './token/state.ts';

/**
 * Compute units of the program's own steps, as measured on its compiled code: from one line of this list to the next,
 * without those of the programs that it calls.
 */
export const steps = {
  start: 1476,
  /** Besides what the system takes for each look at an address. */
  address: 452,
  existing: 880,
  askSize: 1785,
  createAccount: 2797,
  transfer: 1712,
  allocate: 2002,
  assign: 2002,
  immutableOwner: 1863,
  initialize: 2424,
  end: 283,
} as const;

const tryUnits = 1500;
const lineUnits = 100;

/** Where the owner's token account of this mint has to be; the program signs for it. */
export const addressOf = (
  call: Call,
  wallet: Uint8Array,
  mint: Uint8Array,
  token: Uint8Array,
): Uint8Array => {
  const { address, tries } = programAddress([wallet, token, mint], programs.associatedToken);
  spendUnits(call, tries * tryUnits);
  spendSteps(call, steps.address);
  return address;
};

export const log = (call: Call, line: string): void => {
  spendUnits(call, Math.max(lineUnits, line.length));
  call.machine.log.add(`Program log: ${line}`);
};

/** @throws Refusal, also of a program that is no token program, or one that this runtime lacks */
export const callToken = (
  call: Call,
  { token, units }: { token: Party; units: number },
  parties: InnerCall['parties'],
  data: Uint8Array,
): void => {
  spendSteps(call, units);
  const isToken = sameKey(token.key, programs.token) || sameKey(token.key, programs.token2022);
  if (!isToken) refuse('IncorrectProgramId');
  invoke(call, { program: token.key, parties, data });
};

/** @throws Refusal where the data is no token account */
export const readTokenAccount = ({ account }: Party): { owner: Uint8Array; mint: Uint8Array } => {
  const data = view(account.data);
  if (stateOf(data) === states.uninitialized) refuse('UninitializedAccount');
  return {
    owner: data.subarray(accountAt.owner, accountAt.owner + 32),
    mint: data.subarray(accountAt.mint, accountAt.mint + 32),
  };
};

type Parties = [Party, Party, Party, Party, Party, Party];

/** The first parties of the call. */
export const take = ({ parties }: Call): Parties => {
  if (parties.length < 6) refuse('NotEnoughAccountKeys');
  return parties.slice(0, 6) as Parties;
};
