// The row of a transfer that is to be signed: its columns, and the rules that it keeps whatever message comes with it.
import type { Amount, TransferKind } from '../engine/ports.ts';
import { invariant } from '../errors.ts';
import { remember } from '../lib/remember.ts';
import { isOnCurve, tokenAccountOf } from '../lib/solana/derived-address.ts';
import { addressBytes } from './addresses.ts';

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
  /** Further recipients, each with its part of the amount; the payee gets the rest. */
  splits: readonly SignableSplit[];
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

export interface SignableSplit {
  payee: string;
  /** Micro-USDC. */
  amount: bigint;
  memo: string | null;
}

const U64_MAX = 2n ** 64n - 1n;

export const bytesOf = remember(addressBytes);

export const walletBytes = remember((address: string) => {
  const bytes = bytesOf(address);
  invariant(isOnCurve(bytes), 'the payee is a wallet, not a token account');
  return bytes;
});

const tokenAccountBytes = remember((ownerAndMint: string) => {
  const [owner = '', mint = ''] = ownerAndMint.split(' ');
  return tokenAccountOf(bytesOf(owner), bytesOf(mint));
});

/** @throws Error when the row itself may not be signed */
export const checkRow = (row: SignableTransfer, treasury: string): void => {
  invariant(row.state === 'reserved', 'only a reserved transfer is signed');
  if (row.kind === 'anchor') return checkAnchor(row, treasury);
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
  if (row.splits.length > 0) checkSplits(row, treasury);
  if (row.feePayer !== null) checkFeePayer(row, row.feePayer, treasury);
  invariant((row.walletIndex === 0) === (row.wallet === treasury), 'wallet 0 is the treasury');
  invariant(row.asset === 'USDC' || !row.opensAccount, 'SOL needs no token account');
  if (row.source !== null) checkDraw(row, row.source);
  if (row.kind === 'recall') invariant(row.payee === treasury, 'a recall goes to the treasury');
  if (row.kind === 'allocation' || row.kind === 'withdrawal')
    invariant(row.walletIndex === 0, 'an allocation and a withdrawal come from the treasury');
};

/** An anchor of the books: the treasury signs a memo, and nothing moves. */
const checkAnchor = (row: SignableTransfer, treasury: string): void => {
  const { id, wallet, walletIndex, payee, payeeIndex, source, asset, amount } = row;
  invariant(asset === 'SOL' && amount === 0n, 'an anchor moves nothing');
  invariant(walletIndex === 0 && wallet === treasury, 'an anchor is the treasury’s');
  invariant(payee === wallet && payeeIndex === null && source === null, 'an anchor has no other account');
  invariant(row.shape === 'ours' && row.splits.length === 0, 'an anchor is in our own shape');
  invariant(row.feePayer === null && !row.opensAccount, 'the treasury pays for its own anchors');
  invariant(row.memo?.startsWith(`at:${id}:`), 'an anchor says its own id, and what it anchors');
};

/** The allowance of a cold treasury serves our own agents, and nothing else. */
const checkDraw = ({ kind, asset, wallet, payee, payeeIndex }: SignableTransfer, source: string): void => {
  invariant(kind === 'allocation' && asset === 'USDC', 'only an allocation of USDC draws on a cold treasury');
  invariant(source !== wallet && source !== payee, 'a cold treasury is neither end of the allocation');
  invariant(payeeIndex !== null && payeeIndex > 0, 'a draw goes to an agent of this treasury');
};

/** The parts leave the payee something, and each goes to somebody else. */
const checkSplits = (row: SignableTransfer, treasury: string): void => {
  const { shape, payee, wallet, splits } = row;
  invariant(shape === 'sellers', 'only a seller of another protocol has its payment split');
  const parts = splits.map((split) => split.amount);
  invariant(
    parts.every((part) => part > 0n) && ownPart(row) > 0n,
    'the parts of a split are above zero, and leave the payee a part of its own',
  );
  invariant(
    splits.every(({ memo }) => memo !== ''),
    'a memo says something',
  );
  const all = new Set([treasury, wallet, payee, ...splits.map((split) => split.payee)]);
  invariant(all.size === splits.length + 3, 'no recipient is there twice, and none is ours');
};

/** The fee payer signs the whole transaction: it must have no part in what is moved. */
const checkFeePayer = (row: SignableTransfer, feePayer: string, treasury: string): void => {
  const ours = [treasury, row.wallet, row.mint];
  invariant(!ours.includes(feePayer), 'the fee payer is somebody else');
  const moved = [row.wallet, ...payeesOf(row)].map((owner) => tokenAccount(owner, row.mint));
  invariant(
    moved.every((account) => !account.equals(bytesOf(feePayer))),
    'the fee payer is no account of the transfer',
  );
};

/** The payee's own part. Reckoned here, since a mistake of the builder's must not be signed. */
export const ownPart = ({ amount, splits }: SignableTransfer): bigint =>
  splits.reduce<bigint>((left, split) => left - split.amount, amount);

/** The payee, and the further recipients of a split. */
export const payeesOf = ({ payee, splits }: SignableTransfer): string[] => [
  payee,
  ...splits.map((split) => split.payee),
];

/** The owner of the account that pays. */
export const payerOf = ({ source, wallet }: SignableTransfer): string => source ?? wallet;

/** The address of the owner's token account. */
export const tokenAccount = (owner: string, mint: string): Buffer => tokenAccountBytes(`${owner} ${mint}`);
