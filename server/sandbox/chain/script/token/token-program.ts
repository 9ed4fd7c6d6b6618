// The Token program: those of its instructions that move, allow and hold USDC.
import type { TokenInstruction as Codes } from '@solana/spl-token';

import { sameKey, view } from '../../account.ts';
import { setData, setLamports, setOwner, spendSteps, spendUnits, type Call } from '../instruction.ts';
import type { Program } from '../program.ts';
import { Refusal, refuseCode } from '../refusal.ts';
import { approve, approveChecked, revoke, setAuthority } from './authority.ts';
import { closeAccount, freezeAccount, thawAccount } from './closing.ts';
import { errorLine, fail, numbered } from './errors.ts';
import {
  getAccountDataSize,
  initializeAccount3,
  initializeImmutableOwner,
  initializeMint2,
} from './opening.ts';
import { copiesOf, type Copy } from './state.ts';
import { mintTo } from './supply.ts';
import type { TokenInstruction } from './token-call.ts';
import { transfer, transferChecked } from './transfer.ts';
import { emptyUnits, failureSteps, lineUnits, successUnits } from './units.ts';

/** The codes are those of spl-token, which its types hold; without an instruction below they are refused by name. */
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

/** With those that spl-token's client does not know. */
const allCodes = { ...codes, WithdrawExcessLamports: 38, UnwrapLamports: 45, Batch: 255 } as const;

const instructions: Readonly<Record<number, TokenInstruction>> = {
  [codes.Transfer]: transfer,
  [codes.Approve]: approve,
  [codes.Revoke]: revoke,
  [codes.SetAuthority]: setAuthority,
  [codes.MintTo]: mintTo,
  [codes.CloseAccount]: closeAccount,
  [codes.FreezeAccount]: freezeAccount,
  [codes.ThawAccount]: thawAccount,
  [codes.TransferChecked]: transferChecked,
  [codes.ApproveChecked]: approveChecked,
  [codes.InitializeAccount3]: initializeAccount3,
  [codes.InitializeMint2]: initializeMint2,
  [codes.GetAccountDataSize]: getAccountDataSize,
  [codes.InitializeImmutableOwner]: initializeImmutableOwner,
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
    let { returned } = machine;
    try {
      const [code = 0] = call.data;
      const instruction = instructions[code] ?? refuseCode(allCodes, code, numbered('InvalidInstruction'));
      const answer = (data: Uint8Array): void => void (returned = { program, data });
      instruction({ copies, data: view(call.data).subarray(1), answer });
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      spendSteps(call, failureSteps);
      spendUnits(call, lineUnits);
      machine.log.add(`Program log: ${errorLine(error)}`);
      throw error;
    }
    spendSteps(call, successUnits(call.data[0] ?? 0, copies));
    machine.returned = returned;
    return () => keep(call, copies);
  },
};

/** The runtime compares each account with its copy, and refuses what the program may not have changed. */
const keep = (call: Call, copies: readonly Copy[]): void => {
  for (const { party, lamports, data, owner } of new Set(copies)) {
    if (lamports !== party.account.lamports) setLamports(call, party, lamports);
    if (Buffer.compare(data, party.account.data) !== 0) setData(call, party, data);
    if (!sameKey(owner, party.account.owner)) setOwner(call, party, owner);
  }
};
