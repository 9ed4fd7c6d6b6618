// An anchor of the books: the treasury signs one memo, and nothing that moves, opens or names anything.
import { ComputeBudgetProgram, SystemProgram, VersionedTransaction } from '@solana/web3.js';
import { PublicKey, TransactionInstruction } from '@solana/web3.js';
import { describe, expect, it } from 'vitest';
import type { SignableTransfer } from '../../server/vault/signer.ts';
import {
  build,
  compile,
  honest as honestTransfer,
  instructionsOf,
  MEMO_PROGRAM,
  row,
  rows,
  sign,
  stranger,
  treasury,
  walletOf,
  type RowChange,
} from './transfers.ts';

const text = 'at:anc_1:anchor1 Europe/Berlin 0 1764025200 12 root none head';
const anchor = (change: RowChange = {}): SignableTransfer =>
  row({
    id: 'anc_1',
    kind: 'anchor',
    asset: 'SOL',
    amount: 0n,
    walletIndex: 0,
    wallet: treasury.address,
    payee: treasury.address,
    memo: text,
    computeUnitPrice: 7n,
    ...change,
  });

const memo = (said: string | Uint8Array, signers: readonly string[] = []): TransactionInstruction =>
  new TransactionInstruction({
    programId: MEMO_PROGRAM,
    keys: signers.map((one) => ({ pubkey: new PublicKey(one), isSigner: true, isWritable: false })),
    data: Buffer.from(said),
  });
const limit = (units: number): TransactionInstruction => ComputeBudgetProgram.setComputeUnitLimit({ units });
const price = (microLamports: bigint): TransactionInstruction =>
  ComputeBudgetProgram.setComputeUnitPrice({ microLamports });
const pay = (from: string, to: string, lamports: bigint): TransactionInstruction =>
  SystemProgram.transfer({ fromPubkey: new PublicKey(from), toPubkey: new PublicKey(to), lamports });

it.each([
  ['alone', [memo(text)]],
  ['with a limit', [limit(200_000), memo(text)]],
  ['with limit and price', [limit(200_000), price(7n), memo(text)]],
])('its memo %s is signed by the treasury alone, legacy and version 0', (_name, instructions) => {
  for (const version of ['legacy', 0] as const) {
    const { wire } = sign(anchor(), compile(instructions, { ...build, version }));
    const { signatures, message } = VersionedTransaction.deserialize(wire);
    expect([signatures.length, message.header.numRequiredSignatures]).toEqual([1, 1]);
    expect(message.staticAccountKeys[0]?.toBase58()).toBe(treasury.address);
  }
});

describe('a row of an anchor', () => {
  const wrong: [string, RowChange][] = [
    ['that was signed', { state: 'signed' }],
    ['of one lamport', { amount: 1n }],
    ['of less than nothing', { amount: -1n }],
    ['of USDC', { asset: 'USDC' }],
    ['of a micro-USDC', { asset: 'USDC', amount: 1n }],
    ['to a stranger', { payee: stranger }],
    ['to an agent', { payee: walletOf(3) }],
    ['to an agent by its index', { payeeIndex: 3 }],
    ['to itself by its index', { payeeIndex: 0 }],
    ['of an agent’s wallet', { walletIndex: 3, wallet: walletOf(3), payee: walletOf(3) }],
    ['of an agent’s wallet under index 0', { wallet: walletOf(3), payee: walletOf(3) }],
    ['of the treasury under an index', { walletIndex: 3 }],
    ['on a cold treasury', { source: stranger }],
    ['without a memo', { memo: null }],
    ['with an empty memo', { memo: '' }],
    ['with the memo of a payment', { memo: 'at:pay_1:anchor1' }],
    ['with a memo of its id alone', { memo: 'at:anc_1' }],
    ['with a memo that begins otherwise', { memo: ` ${text}` }],
    ['in the shape of sellers', { shape: 'sellers' }],
    ['with a fee payer', { feePayer: walletOf(9) }],
    ['that opens an account', { opensAccount: true }],
    ['with a split', { splits: [{ payee: stranger, amount: 1n, memo: null }] }],
  ];
  it.each(wrong)('%s is not signed', (_name, change) => {
    const transfer = anchor(change);
    for (const said of [transfer.memo ?? '', text])
      expect(() => sign(transfer, compile([memo(said)], build))).toThrow('Invariant broken');
  });
});

describe('a message for an anchor', () => {
  const wrong: [string, TransactionInstruction[]][] = [
    ['without a memo', [limit(200_000)]],
    ['with another text', [memo(`${text} `)]],
    ['with a shorter text', [memo(text.slice(0, -1))]],
    ['with two memos', [memo(text), memo(text)]],
    ['with a memo that names a signer', [memo(text, [treasury.address])]],
    ['with a memo that names a stranger', [memo(text, [stranger])]],
    ['that sends nothing to itself', [memo(text), pay(treasury.address, treasury.address, 0n)]],
    ['that sends a lamport', [memo(text), pay(treasury.address, stranger, 1n)]],
    ['that sends first', [pay(treasury.address, stranger, 1n), memo(text)]],
    ['that sends an agent’s lamport', [memo(text), pay(walletOf(3), stranger, 1n)]],
    ['that pays USDC', [memo(text), ...instructionsOf(row(), build).slice(1)]],
    [
      'that opens an account',
      [memo(text), ...instructionsOf(row({ opensAccount: true }), build).slice(1, 2)],
    ],
    ['with a higher price', [limit(200_000), price(8n), memo(text)]],
    ['with more units', [limit(300_001), memo(text)]],
    ['with a limit behind', [memo(text), limit(200_000)]],
    [
      'of another program',
      [new TransactionInstruction({ ...memo(text), programId: SystemProgram.programId })],
    ],
  ];
  it.each(wrong)('%s is not signed', (_name, instructions) => {
    for (const version of ['legacy', 0] as const)
      expect(() => sign(anchor(), compile(instructions, { ...build, version }))).toThrow('Invariant broken');
  });

  it('that somebody else pays for is not signed', () => {
    for (const payer of [stranger, walletOf(3)])
      expect(() => sign(anchor(), compile([memo(text)], build, payer))).toThrow('Invariant broken');
  });

  it('of any other transfer is not signed, and that of an anchor for none', () => {
    for (const [, transfer] of rows) {
      expect(() => sign(anchor(), honestTransfer(transfer, build))).toThrow('Invariant broken');
      expect(() => sign(transfer, compile([memo(transfer.memo ?? '')], build))).toThrow('Invariant broken');
    }
  });
});

it.each(rows)('%s gains nothing of what an anchor may', (_name, transfer) => {
  const wallet = { ...transfer, payee: transfer.wallet };
  for (const borrowed of [{ ...transfer, amount: 0n as never }, wallet, { ...wallet, amount: 0n as never }])
    for (const message of [honestTransfer(transfer, build), compile([memo(transfer.memo ?? '')], build)])
      expect(() => sign(borrowed, message)).toThrow('Invariant broken');
});
