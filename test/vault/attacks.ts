// Additions, omissions and alterations of instructions that no honest builder makes.
import { ComputeBudgetProgram, PublicKey, SystemProgram, TransactionInstruction } from '@solana/web3.js';
import {
  createApproveInstruction,
  createAssociatedTokenAccountInstruction,
  createCloseAccountInstruction,
  createTransferInstruction,
} from '@solana/spl-token';
import type { SignableTransfer } from '../../server/vault/signer.ts';
import { MEMO_PROGRAM, tokenAccount, treasury, USDC_MINT, walletOf } from './transfers.ts';

const TOKEN_2022 = new PublicKey('TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb');
const address = (text: string): PublicKey => new PublicKey(text);

const memoOf = (text: string, keys: PublicKey[] = []): TransactionInstruction =>
  new TransactionInstruction({
    programId: MEMO_PROGRAM,
    keys: keys.map((pubkey) => ({ pubkey, isSigner: true, isWritable: false })),
    data: Buffer.from(text),
  });

const changed = (instruction: TransactionInstruction, change: Partial<TransactionInstruction>) =>
  new TransactionInstruction({
    programId: change.programId ?? instruction.programId,
    keys: change.keys ?? instruction.keys,
    data: change.data ?? instruction.data,
  });

export type Change = (
  instructions: TransactionInstruction[],
  transfer: SignableTransfer,
) => TransactionInstruction[];

const last = (instructions: TransactionInstruction[]): TransactionInstruction =>
  instructions.at(-1) ?? memoOf('never');
const replaceLast = (change: (instruction: TransactionInstruction) => TransactionInstruction): Change => {
  return (instructions) => [...instructions.slice(0, -1), change(last(instructions))];
};
const unitLimit = ComputeBudgetProgram.setComputeUnitLimit({ units: 1 });
const other = new PublicKey(walletOf(5));
const own = (transfer: SignableTransfer): PublicKey => tokenAccount(transfer.wallet, transfer.mint);

/** Attacks by code between the decision and the signer: each must be refused for every row. */
export const attacks: [string, Change][] = [
  ['nothing but the transfer', (all) => all.slice(-1)],
  ['nothing at all', () => []],
  ['no transfer', (all) => all.slice(0, -1)],
  ['two transfers', (all) => [...all, last(all)]],
  ['two memos', (all) => [memoOf('at:pay_1'), ...all]],
  ['another memo', (all) => [memoOf('at:pay_2'), ...all.slice(1)]],
  ['a longer memo', (all) => [memoOf('at:pay_1 '), ...all.slice(1)]],
  ['an empty memo', (all) => [memoOf(''), ...all.slice(1)]],
  [
    'a memo that the treasury signs',
    (all, row_) => [memoOf(row_.memo ?? '', [address(treasury.address)]), ...all.slice(1)],
  ],
  ['a memo that a third wallet signs', (all, row_) => [memoOf(row_.memo ?? '', [other]), ...all.slice(1)]],
  ['a memo at the end', (all) => [...all.slice(1), ...all.slice(0, 1)]],
  [
    'the old memo program',
    (all) => [
      changed(last(all.slice(0, 1)), {
        programId: new PublicKey('Memo1UhkJRfHyvLMcVucJwxXeuD728EqVDDwQDxFMNo'),
      }),
      ...all.slice(1),
    ],
  ],
  ['the Token-2022 program', replaceLast((transfer) => changed(transfer, { programId: TOKEN_2022 }))],
  [
    'a third signer on the transfer',
    replaceLast((transfer) =>
      changed(transfer, { keys: [...transfer.keys, { pubkey: other, isSigner: true, isWritable: false }] }),
    ),
  ],
  [
    'the treasury as a second signer of the transfer',
    replaceLast((transfer) =>
      changed(transfer, {
        keys: [...transfer.keys, { pubkey: address(treasury.address), isSigner: true, isWritable: false }],
      }),
    ),
  ],
  [
    'a transfer that names no owner',
    replaceLast((transfer) => changed(transfer, { keys: transfer.keys.slice(0, -1) })),
  ],
  [
    'another account on the transfer',
    replaceLast((transfer) =>
      changed(transfer, { keys: [...transfer.keys, { pubkey: other, isSigner: false, isWritable: false }] }),
    ),
  ],
  [
    'all accounts writable',
    replaceLast((transfer) =>
      changed(transfer, { keys: transfer.keys.map((key) => ({ ...key, isWritable: true })) }),
    ),
  ],
  [
    'source and destination swapped',
    replaceLast((transfer) => changed(transfer, { keys: transfer.keys.toReversed() })),
  ],
  [
    'another kind of instruction',
    replaceLast((transfer) =>
      changed(transfer, { data: Buffer.concat([Buffer.of(13), transfer.data.subarray(1)]) }),
    ),
  ],
  [
    'more data',
    replaceLast((transfer) => changed(transfer, { data: Buffer.concat([transfer.data, Buffer.of(0)]) })),
  ],
  ['less data', replaceLast((transfer) => changed(transfer, { data: transfer.data.subarray(0, -1) }))],
  [
    'other decimals',
    replaceLast((transfer) =>
      changed(transfer, { data: Buffer.concat([transfer.data.subarray(0, -1), Buffer.of(9)]) }),
    ),
  ],
  [
    'an unchecked transfer',
    (all, row_) => [
      ...all.slice(0, -1),
      createTransferInstruction(
        own(row_),
        tokenAccount(row_.payee, row_.mint),
        address(row_.wallet),
        row_.amount,
      ),
    ],
  ],
  [
    'an approval for later',
    (all, row_) => [...all, createApproveInstruction(own(row_), other, address(row_.wallet), row_.amount)],
  ],
  [
    'the account closed',
    (all, row_) => [...all, createCloseAccountInstruction(own(row_), other, address(row_.wallet))],
  ],
  [
    'SOL of the treasury too',
    (all) => [
      ...all,
      SystemProgram.transfer({ fromPubkey: address(treasury.address), toPubkey: other, lamports: 1 }),
    ],
  ],
  [
    "a wallet's owner assigned",
    (all, row_) => [
      ...all,
      SystemProgram.assign({ accountPubkey: address(row_.wallet), programId: TOKEN_2022 }),
    ],
  ],
  [
    'a durable nonce',
    (all) => [
      SystemProgram.nonceAdvance({ noncePubkey: other, authorizedPubkey: address(treasury.address) }),
      ...all,
    ],
  ],
  [
    'an account opened for somebody else',
    (all) => [
      ...all.slice(0, 1),
      createAssociatedTokenAccountInstruction(
        address(treasury.address),
        tokenAccount(walletOf(5), USDC_MINT),
        other,
        address(USDC_MINT),
      ),
      ...all.slice(1),
    ],
  ],
  [
    'compute price before limit',
    (all) => [
      ComputeBudgetProgram.setComputeUnitPrice({ microLamports: 0n }),
      ComputeBudgetProgram.setComputeUnitLimit({ units: 1 }),
      ...all,
    ],
  ],
  [
    'two compute limits',
    (all) => [
      ComputeBudgetProgram.setComputeUnitLimit({ units: 1 }),
      ComputeBudgetProgram.setComputeUnitLimit({ units: 1 }),
      ...all,
    ],
  ],
  [
    'too many compute units',
    (all) => [ComputeBudgetProgram.setComputeUnitLimit({ units: 1_400_000 }), ...all],
  ],
  [
    'too high a compute price',
    (all, row_) => [
      ComputeBudgetProgram.setComputeUnitPrice({ microLamports: (row_.computeUnitPrice ?? 0n) + 1n }),
      ...all,
    ],
  ],
  ['a heap frame', (all) => [ComputeBudgetProgram.requestHeapFrame({ bytes: 65_536 }), ...all]],
  [
    'a compute limit that names an account',
    (all) => [
      changed(unitLimit, { keys: [{ pubkey: address(treasury.address), isSigner: true, isWritable: true }] }),
      ...all,
    ],
  ],
  [
    'a compute limit with more data',
    (all) => [changed(unitLimit, { data: Buffer.concat([unitLimit.data, Buffer.of(0)]) }), ...all],
  ],
  [
    'a compute limit with less data',
    (all) => [changed(unitLimit, { data: unitLimit.data.subarray(0, 3) }), ...all],
  ],
  ['a compute budget at the end', (all) => [...all, ComputeBudgetProgram.setComputeUnitLimit({ units: 1 })]],
];
