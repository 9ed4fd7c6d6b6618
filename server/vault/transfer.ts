// Checks a message against its transfer's row, instruction by instruction and account by account.
import { invariant } from '../errors.ts';
import { USDC_DECIMALS } from '../money.ts';
import { programs } from './addresses.ts';
import type { Instruction, Message } from '../lib/solana/solana-message.ts';
import {
  bytesOf,
  ownPart,
  payeesOf,
  payerOf,
  tokenAccount,
  walletBytes,
  type SignableSplit,
  type SignableTransfer,
} from './signable-transfer.ts';

// Far more than memo, opening an account and transfer need; without a cap the price per unit would bound no fee.
const MAX_COMPUTE_UNITS = 300_000;
const SET_COMPUTE_UNIT_LIMIT = 2;
const SET_COMPUTE_UNIT_PRICE = 3;
/** @throws Error when the message differs from the row in anything but the blockhash */
export const checkMessage = (message: Message, row: SignableTransfer, treasury: string): void => {
  const rest = skipComputeBudget(message.instructions, row.computeUnitPrice ?? 0n);
  const expected = row.shape === 'ours' ? ours(row, treasury) : sellers(row);
  invariant(rest.length === expected.length, 'the message has just the instructions of its transfer');
  for (const [index, instruction] of rest.entries()) {
    const wanted = expected[index];
    invariant(wanted && equals(instruction, wanted), `instruction ${index} is the transfer's`);
  }
  checkAccounts(message, row, treasury);
};

const ours = (row: SignableTransfer, treasury: string): Instruction[] => [
  ...memo(row),
  ...(row.opensAccount ? [openAccount(row, treasury)] : []),
  // An anchor moves nothing: it is its memo.
  ...(row.kind === 'anchor' ? [] : [transfer(row)]),
];

const sellers = (row: SignableTransfer): Instruction[] => [
  transferUsdc(row, {
    payee: row.payee,
    amount: ownPart(row),
  }),
  ...row.splits.map((split) => transferUsdc(row, split)),
  ...[row, ...row.splits].flatMap(memo),
];

const checkAccounts = (message: Message, row: SignableTransfer, treasury: string): void => {
  const { accounts } = message;
  const [payer, wallet] = [bytesOf(row.feePayer ?? treasury), bytesOf(row.wallet)];
  const writable = [
    payer,
    ...(row.asset === 'SOL'
      ? [wallet, walletBytes(row.payee)]
      : [payerOf(row), ...payeesOf(row)].map((owner) => tokenAccount(owner, row.mint))),
  ];
  invariant(accounts[0]?.equals(payer), 'the one who is named pays the fee');
  invariant(message.used.size === accounts.length, 'every account is used');
  for (const [position, account] of accounts.entries()) {
    const isOneOf = (list: Buffer[]): boolean => list.some((other) => other.equals(account));
    invariant(!isOneOf(accounts.slice(0, position)), 'no account is there twice');
    invariant(
      message.isSigner(position) === isOneOf([payer, wallet]),
      'only the fee payer and the wallet sign',
    );
    invariant(
      message.isWritable(position) === isOneOf(writable),
      'only what the transfer changes is writable',
    );
  }
};

/** The instructions after SetComputeUnitLimit and SetComputeUnitPrice, each of which may be absent. */
const skipComputeBudget = (instructions: Instruction[], maxPrice: bigint): Instruction[] => {
  let rest = instructions;
  const next = (kind: number, length: number): Buffer | undefined => {
    const [first] = rest;
    if (!first?.program.equals(programs.computeBudget) || first.data[0] !== kind) return undefined;
    invariant(first.accounts.length === 0 && first.data.length === length, 'a compute budget is well-formed');
    rest = rest.slice(1);
    return first.data;
  };
  const limit = next(SET_COMPUTE_UNIT_LIMIT, 5);
  if (limit)
    invariant(limit.readUInt32LE(1) <= MAX_COMPUTE_UNITS, 'the compute unit limit is no higher than needed');
  const price = next(SET_COMPUTE_UNIT_PRICE, 9);
  if (price)
    invariant(price.readBigUInt64LE(1) <= maxPrice, 'the compute unit price is within what was reserved');
  return rest;
};

const equals = (instruction: Instruction, wanted: Instruction): boolean =>
  instruction.program.equals(wanted.program) &&
  instruction.data.equals(wanted.data) &&
  instruction.accounts.length === wanted.accounts.length &&
  instruction.accounts.every((account, index) => wanted.accounts[index]?.equals(account));

const memo = ({ memo: text }: { memo: string | null }): Instruction[] =>
  text === null ? [] : [{ program: programs.memo, accounts: [], data: Buffer.from(text) }];

const openAccount = (row: SignableTransfer, treasury: string): Instruction => ({
  program: programs.associatedToken,
  accounts: [
    bytesOf(treasury),
    tokenAccount(row.payee, row.mint),
    bytesOf(row.payee),
    bytesOf(row.mint),
    programs.system,
    programs.token,
  ],
  data: Buffer.of(1), // CreateIdempotent
});

const transfer = (row: SignableTransfer): Instruction =>
  row.asset === 'SOL' ? transferSol(row) : transferUsdc(row, row);

const transferUsdc = (
  row: SignableTransfer,
  { payee, amount }: Pick<SignableSplit, 'payee' | 'amount'>,
): Instruction => {
  // An account is opened for a wallet alone. A multisig, which is off the curve, is paid where it has one.
  if (row.opensAccount) walletBytes(payee);
  const data = Buffer.alloc(10);
  data.writeUInt8(12, 0); // TransferChecked
  data.writeBigUInt64LE(amount, 1);
  data.writeUInt8(USDC_DECIMALS, 9);
  return {
    program: programs.token,
    accounts: [
      tokenAccount(payerOf(row), row.mint),
      bytesOf(row.mint),
      tokenAccount(payee, row.mint),
      bytesOf(row.wallet),
    ],
    data,
  };
};

const transferSol = (row: SignableTransfer): Instruction => {
  const data = Buffer.alloc(12);
  data.writeUInt32LE(2, 0); // Transfer
  data.writeBigUInt64LE(row.amount, 4);
  return { program: programs.system, accounts: [bytesOf(row.wallet), walletBytes(row.payee)], data };
};
