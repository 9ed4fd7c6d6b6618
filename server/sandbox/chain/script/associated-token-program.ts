// The Associated Token Account program: one token account for each owner and mint, at an address that follows from both.
import { isTokenProgram, programs, sameKey, view } from '../account.ts';
import { programAddress } from '../../../lib/solana/derived-address.ts';
import { spendSteps, spendUnits, type Call, type Party } from './instruction.ts';
import { invoke, type InnerCall, type Program } from './program.ts';
import { Refusal, refuse, refuseMissing } from './refusal.ts';
import { rentExemption } from './rent.ts';
import { accountAt, stateOf, states } from './token/state.ts';

export const associatedTokenProgram: Program = {
  kind: 'deployed',
  run: (call) => {
    const code = call.data.length > 1 ? Infinity : (call.data[0] ?? 0);
    const [name, instruction] = instructions[code] ?? [];
    if (!name || !instruction) {
      spendSteps(call, 1842);
      return refuse('InvalidInstructionData');
    }
    spendSteps(call, steps.start);
    log(call, name);
    instruction(call);
    spendSteps(call, steps.end);
    return undefined;
  },
};

/** By their codes; the name is what the log says. */
const instructions: Readonly<Record<number, readonly [string, (call: Call) => void]>> = {
  0: ['Create', (call) => create(call, false)],
  1: ['CreateIdempotent', (call) => create(call, true)],
  2: ['RecoverNested', () => refuseMissing('RecoverNested')],
};

interface Creation {
  readonly payer: Party;
  readonly account: Party;
  readonly wallet: Party;
  readonly mint: Party;
  readonly token: Party;
}

const create = (call: Call, mayExist: boolean): void => {
  const [payer, account, wallet, mint, , token] = take(call);
  const creation = { payer, account, wallet, mint, token };
  if (!sameKey(addressOf(call, wallet.key, mint.key, token.key), account.key)) {
    log(call, 'Error: Associated address does not match seed derivation');
    refuse('InvalidSeeds');
  }
  if (mayExist && isThere(call, creation)) return;
  if (!sameKey(account.account.owner, programs.system)) refuse('IllegalOwner');
  open(call, creation, askSize(call, creation));
  log(call, 'Initialize the associated token account');
  // Nobody but this program gives the account another owner.
  const immutable = { token, units: steps.immutableOwner };
  callToken(call, immutable, [{ key: account.key, writable: true }], Uint8Array.of(22));
  const parties = [{ key: account.key, writable: true }, { key: mint.key }];
  const data = Buffer.concat([Uint8Array.of(18), wallet.key]);
  callToken(call, { token, units: steps.initialize }, parties, data);
};

const isThere = (call: Call, { account, wallet, mint, token }: Creation): boolean => {
  if (!sameKey(account.account.owner, token.key)) return false;
  spendSteps(call, steps.existing);
  const found = readable(account);
  if (!found) return false;
  if (!sameKey(found.owner, wallet.key)) {
    log(call, 'Associated token account owner does not match address derivation');
    refuse({ Custom: 0 });
  }
  if (!sameKey(found.mint, mint.key)) refuse('InvalidAccountData');
  return true;
};

const readable = (account: Party): ReturnType<typeof readTokenAccount> | null => {
  try {
    return readTokenAccount(account);
  } catch (error) {
    if (error instanceof Refusal) return null;
    throw error;
  }
};

/** The Token program says how large its accounts are. */
const askSize = (call: Call, { mint, token }: Creation): bigint => {
  const data = Uint8Array.of(21, 7, 0);
  callToken(call, { token, units: steps.askSize }, [{ key: mint.key }], data);
  const { program, data: answer } = call.machine.returned;
  if (!sameKey(program, token.key)) refuse('IncorrectProgramId');
  return answer.length === 8 ? Buffer.from(answer).readBigUInt64LE(0) : refuse('InvalidInstructionData');
};

/** Lamports that are there already count toward the deposit. */
const open = (call: Call, { payer, account, token }: Creation, bytes: bigint): void => {
  const deposit = rentExemption(Number(bytes));
  const [from, to] = [
    { key: payer.key, signer: true, writable: true },
    { key: account.key, signer: true, writable: true },
  ];
  const system = (units: number, parties: (typeof to)[], parts: Parts): void => {
    spendSteps(call, units);
    invoke(call, { program: programs.system, parties, data: encoded(parts), signer: account.key });
  };
  const { lamports } = account.account;
  if (lamports === 0n) return system(steps.createAccount, [from, to], [0, deposit, bytes, token.key]);
  if (lamports < deposit) system(steps.transfer, [from, { ...to, signer: false }], [2, deposit - lamports]);
  system(steps.allocate, [to], [8, bytes]);
  system(steps.assign, [to], [1, token.key]);
};

type Parts = readonly (bigint | number | Uint8Array)[];

/** A code of 4 bytes, amounts of 8, and keys. */
const encoded = (parts: Parts): Buffer =>
  Buffer.concat(
    parts.map((part) => {
      if (typeof part === 'number') return Uint8Array.of(part, 0, 0, 0);
      if (typeof part !== 'bigint') return part;
      const bytes = Buffer.alloc(8);
      bytes.writeBigUInt64LE(part);
      return bytes;
    }),
  );

/**
 * Compute units of the program's own steps, as measured on its compiled code: from one line of this list to the next,
 * without those of the programs that it calls.
 */
const steps = {
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
const addressOf = (call: Call, wallet: Uint8Array, mint: Uint8Array, token: Uint8Array): Uint8Array => {
  const { address, tries } = programAddress([wallet, token, mint], programs.associatedToken);
  spendUnits(call, tries * tryUnits);
  spendSteps(call, steps.address);
  return address;
};

const log = (call: Call, line: string): void => {
  spendUnits(call, Math.max(lineUnits, line.length));
  call.machine.log.add(`Program log: ${line}`);
};

/** @throws Refusal, also of a program that is no token program, or one that this runtime lacks */
const callToken = (
  call: Call,
  { token, units }: { token: Party; units: number },
  parties: InnerCall['parties'],
  data: Uint8Array,
): void => {
  spendSteps(call, units);
  if (!isTokenProgram(token.key)) refuse('IncorrectProgramId');
  invoke(call, { program: token.key, parties, data });
};

/** @throws Refusal where the data is no token account */
const readTokenAccount = ({ account }: Party): { owner: Uint8Array; mint: Uint8Array } => {
  const data = view(account.data);
  if (stateOf(data) === states.uninitialized) refuse('UninitializedAccount');
  return {
    owner: data.subarray(accountAt.owner, accountAt.owner + 32),
    mint: data.subarray(accountAt.mint, accountAt.mint + 32),
  };
};

type Parties = [Party, Party, Party, Party, Party, Party];

/** The first parties of the call. */
const take = ({ parties }: Call): Parties => {
  if (parties.length < 6) refuse('NotEnoughAccountKeys');
  return parties.slice(0, 6) as Parties;
};
