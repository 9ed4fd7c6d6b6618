// The System program: lamports move, and accounts are opened and given to their programs.
import { hash } from 'node:crypto';
import bs58 from 'bs58';

import { programs, sameKey } from '../account.ts';
import { readFields, type Fields } from './fields.ts';
import {
  mostAccountBytes,
  setData,
  setLamports,
  setOwner,
  spendUnits,
  type Call,
  type Party,
} from './instruction.ts';
import type { Program } from './program.ts';
import { refuse, refuseCode } from './refusal.ts';

const units = 150;
const failures = { inUse: 0, tooFewLamports: 1, badLength: 3, seedMismatch: 5 } as const;
/** Errors of a seed arrive as plain numbers. */
const seedFailures = { tooLong: 0, badOwner: 2 } as const;

const fail = (code: number): never => refuse({ Custom: code });

export const systemProgram: Program = {
  kind: 'builtin',
  run: (call) => {
    spendUnits(call, units);
    const fields = readFields(call.data);
    const code = fields.u32();
    const instruction = instructions[code] ?? refuseCode(systemCodes, code, 'InvalidInstructionData');
    instruction(call, fields);
    return undefined;
  },
};

type Instruction = (call: Call, fields: Fields) => void;

const createAccount: Instruction = (call, fields) => {
  const [lamports, bytes, owner] = [fields.u64(), fields.u64(), fields.key()];
  const [from, to] = take(call, 2);
  open(call, named(to), { from, lamports, bytes, owner });
};

const createAccountWithSeed: Instruction = (call, fields) => {
  const [base, seed] = [fields.key(), fields.text()];
  const [lamports, bytes, owner] = [fields.u64(), fields.u64(), fields.key()];
  const [from, to] = take(call, 2);
  open(call, derived(call, to, { base, seed, owner }), { from, lamports, bytes, owner });
};

const transfer: Instruction = (call, fields) => {
  const lamports = fields.u64();
  const [from, to] = take(call, 2);
  move(call, from, to, lamports);
};

/** The names are web3.js’s, and those without an instruction below are refused by them. */
export const systemCodes = {
  Create: 0,
  Assign: 1,
  Transfer: 2,
  CreateWithSeed: 3,
  AdvanceNonceAccount: 4,
  WithdrawNonceAccount: 5,
  InitializeNonceAccount: 6,
  AuthorizeNonceAccount: 7,
  Allocate: 8,
  AllocateWithSeed: 9,
  AssignWithSeed: 10,
  TransferWithSeed: 11,
  UpgradeNonceAccount: 12,
  CreateAllowPrefund: 13,
} as const;

const instructions: Readonly<Record<number, Instruction>> = {
  [systemCodes.Create]: createAccount,
  [systemCodes.Assign]: (call, fields) => {
    const owner = fields.key();
    assign(call, named(take(call, 1)[0]), owner);
  },
  [systemCodes.Transfer]: transfer,
  [systemCodes.CreateWithSeed]: createAccountWithSeed,
  [systemCodes.Allocate]: (call, fields) => {
    const bytes = fields.u64();
    allocate(call, named(take(call, 1)[0]), bytes);
  },
};

/** An account, and the address that has to sign for it. */
interface Target {
  readonly party: Party;
  readonly base: Uint8Array | null;
}

interface Seed {
  readonly base: Uint8Array;
  readonly seed: string;
  readonly owner: Uint8Array;
}

const named = (party: Party): Target => ({ party, base: null });

const derived = (call: Call, party: Party, seed: Seed): Target => {
  const address = addressWithSeed(seed);
  if (!sameKey(party.key, address)) {
    say(
      call,
      `Create: address ${bs58.encode(party.key)} does not match derived address ${bs58.encode(address)}`,
    );
    fail(failures.seedMismatch);
  }
  return { party, base: seed.base };
};

const mostSeedBytes = 32;
const programMarker = Buffer.from('ProgramDerivedAddress');

const addressWithSeed = ({ base, seed, owner }: Seed): Uint8Array => {
  if (Buffer.byteLength(seed) > mostSeedBytes) fail(seedFailures.tooLong);
  if (sameKey(owner.subarray(-programMarker.length), programMarker)) fail(seedFailures.badOwner);
  return hash('sha256', Buffer.concat([base, Buffer.from(seed), owner]), 'buffer');
};

interface Opening {
  readonly from: Party;
  readonly lamports: bigint;
  readonly bytes: bigint;
  readonly owner: Uint8Array;
}

const open = (call: Call, target: Target, { from, lamports, bytes, owner }: Opening): void => {
  if (target.party.account.lamports > 0n) {
    say(call, `Create Account: account ${shown(target)} already in use`);
    fail(failures.inUse);
  }
  allocate(call, target, bytes);
  assign(call, target, owner);
  move(call, from, target.party, lamports);
};

const allocate = (call: Call, target: Target, bytes: bigint): void => {
  const { account } = target.party;
  if (!signs(call, target)) {
    say(call, `Allocate: 'to' account ${shown(target)} must sign`);
    refuse('MissingRequiredSignature');
  }
  if (account.data.length > 0 || !sameKey(account.owner, programs.system)) {
    say(call, `Allocate: account ${shown(target)} already in use`);
    fail(failures.inUse);
  }
  if (bytes > BigInt(mostAccountBytes)) {
    say(call, `Allocate: requested ${bytes}, max allowed ${mostAccountBytes}`);
    fail(failures.badLength);
  }
  setData(call, target.party, new Uint8Array(Number(bytes)));
};

const assign = (call: Call, target: Target, owner: Uint8Array): void => {
  if (sameKey(target.party.account.owner, owner)) return;
  if (!signs(call, target)) {
    say(call, `Assign: account ${shown(target)} must sign`);
    refuse('MissingRequiredSignature');
  }
  setOwner(call, target.party, owner);
};

const move = (call: Call, from: Party, to: Party, lamports: bigint): void => {
  if (!from.signer) {
    say(call, `Transfer: \`from\` account ${bs58.encode(from.key)} must sign`);
    refuse('MissingRequiredSignature');
  }
  if (from.account.data.length > 0) {
    say(call, 'Transfer: `from` must not carry data');
    refuse('InvalidArgument');
  }
  if (lamports > from.account.lamports) {
    say(call, `Transfer: insufficient lamports ${from.account.lamports}, need ${lamports}`);
    fail(failures.tooFewLamports);
  }
  setLamports(call, from, from.account.lamports - lamports);
  setLamports(call, to, to.account.lamports + lamports);
};

const signs = ({ parties }: Call, { party, base }: Target): boolean =>
  parties.some(({ key, signer }) => signer && sameKey(key, base ?? party.key));

const shown = ({ party, base }: Target): string =>
  `Address { address: ${bs58.encode(party.key)}, base: ${base ? `Some(${bs58.encode(base)})` : 'None'} }`;

const say = ({ machine }: Call, line: string): void => machine.log.add(line);

/** The first parties of the call; those that the instruction does not need may be missing. */
const take = ({ parties }: Call, count: number): [Party, Party] => {
  if (parties.length < count) refuse('MissingAccount');
  return parties.slice(0, 2) as [Party, Party];
};
