// The Token program: each of its instructions, and several of them in one.
import type { TokenInstruction as Codes } from '@solana/spl-token';

import { sameKey, view } from '../../account.ts';
import type { Call } from '../instruction.ts';
import { setData, setLamports, setOwner, spendSteps, spendUnits } from '../instruction.ts';
import type { Program } from '../program.ts';
import { Refusal, refuse } from '../refusal.ts';
import { amountToUiAmount, getAccountDataSize, uiAmountToAmount } from './answers.ts';
import { approve, approveChecked, revoke, setAuthority } from './authority.ts';
import { closeAccount, freezeAccount, thawAccount } from './closing.ts';
import { errorLine, fail } from './errors.ts';
import { syncNative, unwrapLamports, withdrawExcessLamports } from './native.ts';
import {
  initializeAccount,
  initializeAccount2,
  initializeAccount3,
  initializeImmutableOwner,
  initializeMint,
  initializeMint2,
  initializeMultisig,
  initializeMultisig2,
} from './opening.ts';
import type { Copy } from './state.ts';
import { checkProgram, copiesOf } from './state.ts';
import { burn, burnChecked, mintTo, mintToChecked } from './supply.ts';
import type { TokenCall, TokenInstruction } from './token-call.ts';
import { transfer, transferChecked } from './transfer.ts';
import { emptyUnits, failureSteps, lineUnits, successUnits } from './units.ts';

/** The codes are those of spl-token, which its types hold. */
export const codes = {
  InitializeMint: 0,
  InitializeAccount: 1,
  InitializeMultisig: 2,
  Transfer: 3,
  Approve: 4,
  Revoke: 5,
  SetAuthority: 6,
  MintTo: 7,
  Burn: 8,
  CloseAccount: 9,
  FreezeAccount: 10,
  ThawAccount: 11,
  TransferChecked: 12,
  ApproveChecked: 13,
  MintToChecked: 14,
  BurnChecked: 15,
  InitializeAccount2: 16,
  SyncNative: 17,
  InitializeAccount3: 18,
  InitializeMultisig2: 19,
  InitializeMint2: 20,
  GetAccountDataSize: 21,
  InitializeImmutableOwner: 22,
  AmountToUiAmount: 23,
  UiAmountToAmount: 24,
} as const satisfies Partial<typeof Codes>;

/** Those that spl-token's client does not know. */
const newerCodes = { WithdrawExcessLamports: 38, UnwrapLamports: 45, Batch: 255 } as const;

const instructions: Readonly<Record<number, TokenInstruction>> = {
  [codes.InitializeMint]: initializeMint,
  [codes.InitializeAccount]: initializeAccount,
  [codes.InitializeMultisig]: initializeMultisig,
  [codes.Transfer]: transfer,
  [codes.Approve]: approve,
  [codes.Revoke]: revoke,
  [codes.SetAuthority]: setAuthority,
  [codes.MintTo]: mintTo,
  [codes.Burn]: burn,
  [codes.CloseAccount]: closeAccount,
  [codes.FreezeAccount]: freezeAccount,
  [codes.ThawAccount]: thawAccount,
  [codes.TransferChecked]: transferChecked,
  [codes.ApproveChecked]: approveChecked,
  [codes.MintToChecked]: mintToChecked,
  [codes.BurnChecked]: burnChecked,
  [codes.InitializeAccount2]: initializeAccount2,
  [codes.SyncNative]: syncNative,
  [codes.InitializeAccount3]: initializeAccount3,
  [codes.InitializeMultisig2]: initializeMultisig2,
  [codes.InitializeMint2]: initializeMint2,
  [codes.GetAccountDataSize]: getAccountDataSize,
  [codes.InitializeImmutableOwner]: initializeImmutableOwner,
  [codes.AmountToUiAmount]: amountToUiAmount,
  [codes.UiAmountToAmount]: uiAmountToAmount,
  [newerCodes.WithdrawExcessLamports]: withdrawExcessLamports,
  [newerCodes.UnwrapLamports]: unwrapLamports,
};

export const tokenProgram: Program = {
  kind: 'deployed',
  run: (call) => {
    const { machine, program } = call;
    const copies = copiesOf(call.parties);
    if (call.data.length === 0) {
      spendSteps(call, emptyUnits);
      fail('InvalidInstruction');
    }
    // What it answers counts once its steps are paid for.
    let { returned } = machine;
    const answer = (data: Uint8Array): void => void (returned = { program, data });
    try {
      execute({ copies, data: view(call.data), answer });
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      spendSteps(call, failureSteps);
      spendUnits(call, lineUnits);
      machine.log.add(`Program log: ${errorLine(error)}`);
      machine.returned = returned;
      throw error;
    }
    spendSteps(call, successUnits(call.data[0] ?? 0, copies));
    machine.returned = returned;
    return () => keep(call, copies);
  },
};

const execute = (call: TokenCall): void => {
  if (call.data[0] === newerCodes.Batch) runBatch({ ...call, data: call.data.subarray(1) });
  else runOne(call);
};

const runOne = ({ copies, data, answer }: TokenCall): void => {
  const instruction = instructions[data[0] ?? 0] ?? fail('InvalidInstruction');
  instruction({ copies, data: data.subarray(1), answer });
};

/** Instructions one after the other, each behind its number of accounts and its length. */
const runBatch = ({ copies, data, answer }: TokenCall): void => {
  for (let [account, start] = [0, 0]; start === 0 || start < data.length;) {
    if (data.length - start < 2) fail('InvalidInstruction');
    const [accounts, length] = [data[start] ?? 0, data[start + 1] ?? 0];
    const end = start + 2 + length;
    if (end > data.length || length === 0) fail('InvalidInstruction');
    if (copies.length - account < accounts) refuse('NotEnoughAccountKeys');
    const one = {
      copies: copies.slice(account, account + accounts),
      data: data.subarray(start + 2, end),
      answer,
    };
    checkWritten(one);
    runOne(one);
    [account, start] = [account + accounts, end];
  }
};

/** The places of accounts that an instruction may write. */
const writtenAt: Readonly<Record<number, readonly number[]>> = {
  [codes.Transfer]: [0, 1],
  [codes.MintTo]: [0, 1],
  [codes.Burn]: [0, 1],
  [codes.MintToChecked]: [0, 1],
  [codes.BurnChecked]: [0, 1],
  [codes.TransferChecked]: [0, 2],
  [codes.Approve]: [0],
  [codes.Revoke]: [0],
  [codes.SetAuthority]: [0],
  [codes.CloseAccount]: [0],
  [codes.FreezeAccount]: [0],
  [codes.ThawAccount]: [0],
  [codes.ApproveChecked]: [0],
  [codes.InitializeImmutableOwner]: [0],
  [newerCodes.WithdrawExcessLamports]: [0],
  [newerCodes.UnwrapLamports]: [0],
};

/** The runtime sees only the whole batch, so that each of its instructions looks for itself whose accounts it writes. */
const checkWritten = ({ copies, data }: TokenCall): void => {
  const places = writtenAt[data[0] ?? 0] ?? [];
  if (places.some((place) => copies[place] === undefined)) refuse('NotEnoughAccountKeys');
  for (const place of places) {
    const copy = copies[place];
    if (copy) checkProgram(copy);
  }
};

/** The runtime compares each account with its copy, and refuses what the program may not have changed. */
const keep = (call: Call, copies: readonly Copy[]): void => {
  for (const { party, lamports, data, owner } of new Set(copies)) {
    if (lamports !== party.account.lamports) setLamports(call, party, lamports);
    if (Buffer.compare(data, party.account.data) !== 0) setData(call, party, data);
    if (!sameKey(owner, party.account.owner)) setOwner(call, party, owner);
  }
};
