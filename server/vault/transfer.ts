// Checks a message against its transfer's row, instruction by instruction and account by account.
import type { Amount, TransferKind } from '../engine/ports.ts';
import { invariant } from '../errors.ts';
import { USDC_DECIMALS } from '../money.ts';
import { addressBytes, isOnCurve, programs, remember, tokenAccountOf } from './addresses.ts';
import type { Instruction, Message } from '../lib/solana-message.ts';

/** The columns of a transfer's row that signing depends on. */
export type SignableTransfer = Amount & {
  id: string;
  kind: TransferKind;
  state: string;
  /** 0 is the treasury, N agent N. */
  walletIndex: number;
  wallet: string;
  /** The cold treasury that pays, with the treasury as its delegate; null: the wallet itself pays. */
  source: string | null;
  /** The index of the wallet that `payee` has to be; null: any payee. */
  payeeIndex: number | null;
  /** The owner of the receiving token account; for SOL the receiver itself. */
  payee: string;
  /** Null when the seller wants none; the compute budget then tells equal transfers apart. */
  memo: string | null;
  /** The fee payer on the seller's side, which signs first; null: the treasury pays. */
  feePayer: string | null;
  /** Ours begins with the memo; sellers of x402 and MPP look for the transfer first. */
  shape: 'ours' | 'sellers';
  /** Whether the treasury also opens the payee's token account. */
  opensAccount: boolean;
  mint: string;
  /** The highest price of a compute unit, in micro-lamports; 0 when missing. */
  computeUnitPrice?: bigint;
};

const U64_MAX = 2n ** 64n - 1n;
// Far more than memo, opening an account and transfer need; without a cap the price per unit would bound no fee.
const MAX_COMPUTE_UNITS = 300_000;
const SET_COMPUTE_UNIT_LIMIT = 2;
const SET_COMPUTE_UNIT_PRICE = 3;
const REMEMBERED = 4096;

const bytesOf = remember(REMEMBERED, addressBytes);

const walletBytes = remember(REMEMBERED, (address) => {
  const bytes = bytesOf(address);
  invariant(isOnCurve(bytes), 'the payee is a wallet, not a token account');
  return bytes;
});

const tokenAccountBytes = remember(REMEMBERED, (ownerAndMint) => {
  const [owner = '', mint = ''] = ownerAndMint.split(' ');
  return tokenAccountOf(bytesOf(owner), bytesOf(mint));
});

/** @throws Error when the row itself may not be signed */
export const checkRow = (row: SignableTransfer, treasury: string): void => {
  invariant(row.state === 'reserved', 'only a reserved transfer is signed');
  invariant(row.amount > 0n && row.amount <= U64_MAX, 'the amount is an unsigned 64-bit integer above zero');
  invariant(row.payee !== row.wallet, 'a transfer goes to another wallet');
  invariant(row.memo !== '', 'a memo says something');
  if (row.shape === 'ours') {
    invariant(row.memo !== null, 'a transfer carries a memo: without one, two equal transfers would be one');
    invariant(row.feePayer === null, 'the treasury pays for its own transfers');
  } else {
    invariant(row.kind === 'payment' && row.asset === 'USDC', 'a seller is paid in USDC');
    invariant(!row.opensAccount, 'no account is opened for a seller of another protocol');
  }
  if (row.feePayer !== null) checkFeePayer(row, row.feePayer, treasury);
  invariant((row.walletIndex === 0) === (row.wallet === treasury), 'wallet 0 is the treasury');
  invariant(row.asset === 'USDC' || !row.opensAccount, 'SOL needs no token account');
  if (row.source !== null) checkDraw(row, row.source);
  if (row.kind === 'recall') invariant(row.payee === treasury, 'a recall goes to the treasury');
  if (row.kind === 'allocation' || row.kind === 'withdrawal')
    invariant(row.walletIndex === 0, 'an allocation and a withdrawal come from the treasury');
};

/** The allowance of a cold treasury serves our own agents, and nothing else. */
const checkDraw = ({ kind, asset, wallet, payee, payeeIndex }: SignableTransfer, source: string): void => {
  invariant(kind === 'allocation' && asset === 'USDC', 'only an allocation of USDC draws on a cold treasury');
  invariant(source !== wallet && source !== payee, 'a cold treasury is neither end of the allocation');
  invariant(payeeIndex !== null && payeeIndex > 0, 'a draw goes to an agent of this treasury');
};

/** The fee payer signs the whole transaction: it must have no part in what is moved. */
const checkFeePayer = (row: SignableTransfer, feePayer: string, treasury: string): void => {
  const ours = [treasury, row.wallet, row.mint];
  invariant(!ours.includes(feePayer), 'the fee payer is somebody else');
  const moved = [tokenAccount(row.wallet, row.mint), tokenAccount(row.payee, row.mint)];
  invariant(
    moved.every((account) => !account.equals(bytesOf(feePayer))),
    'the fee payer is no account of the transfer',
  );
};

/** @throws Error when the message differs from the row in anything but the blockhash */
export const checkMessage = (message: Message, row: SignableTransfer, treasury: string): void => {
  const rest = skipComputeBudget(message.instructions, row.computeUnitPrice ?? 0n);
  const expected = row.shape === 'ours' ? ours(row, treasury) : [transfer(row), ...memo(row)];
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
  transfer(row),
];

const checkAccounts = (message: Message, row: SignableTransfer, treasury: string): void => {
  const { accounts } = message;
  const [payer, wallet] = [bytesOf(row.feePayer ?? treasury), bytesOf(row.wallet)];
  const writable = [
    payer,
    ...(row.asset === 'SOL'
      ? [wallet, walletBytes(row.payee)]
      : [tokenAccount(payerOf(row), row.mint), tokenAccount(row.payee, row.mint)]),
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

const memo = ({ memo: text }: SignableTransfer): Instruction[] =>
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
  row.asset === 'SOL' ? transferSol(row) : transferUsdc(row);

const transferUsdc = (row: SignableTransfer): Instruction => {
  walletBytes(row.payee);
  const data = Buffer.alloc(10);
  data.writeUInt8(12, 0); // TransferChecked
  data.writeBigUInt64LE(row.amount, 1);
  data.writeUInt8(USDC_DECIMALS, 9);
  return {
    program: programs.token,
    accounts: [
      tokenAccount(payerOf(row), row.mint),
      bytesOf(row.mint),
      tokenAccount(row.payee, row.mint),
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

/** The owner of the account that pays. */
const payerOf = ({ source, wallet }: SignableTransfer): string => source ?? wallet;

const tokenAccount = (owner: string, mint: string): Buffer => tokenAccountBytes(`${owner} ${mint}`);
