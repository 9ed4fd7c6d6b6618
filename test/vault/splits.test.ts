// A payment that its seller has split among several recipients: signed for exactly their parts.
import { VersionedTransaction, type TransactionInstruction } from '@solana/web3.js';
import { describe, expect, it } from 'vitest';
import { createSigner, type SignableTransfer } from '../../server/vault/signer.ts';
import { addressOf, deriveKey } from '../../server/vault/keys.ts';
import {
  build,
  compile,
  instructionsOf,
  keyOf,
  row,
  stranger,
  tokenAccount,
  treasury,
  USDC_MINT,
  walletOf,
  type RowChange,
} from './transfers.ts';

const limits = { ...build, computeUnits: 100_000, computePrice: 5n };
const others = Array.from({ length: 9 }, (_, index) => addressOf(deriveKey(Buffer.alloc(64, 9), index + 2)));
const part = (index: number, amount = 1_000n, memo: string | null = null) => ({
  payee: others[index] ?? '',
  amount,
  memo,
});

const split = (splits: SignableTransfer['splits'], change: RowChange = {}): SignableTransfer =>
  row({ shape: 'sellers', feePayer: null, memo: null, computeUnitPrice: 66n, splits, ...change });

/** As the protocol asks for it: the payee's own part, each split, and then the memos. */
const honest = (transfer: SignableTransfer): Uint8Array => {
  const { splits, amount } = transfer;
  const own = splits.reduce<bigint>((left, one) => left - one.amount, amount);
  const [limit, price] = instructionsOf(transfer, limits);
  const moves = [{ payee: transfer.payee, amount: own }, ...splits].map(
    (to) => instructionsOf(row({ ...to, memo: null }), build)[1],
  );
  const memos = [transfer.memo, ...splits.map(({ memo }) => memo)].flatMap((memo) =>
    memo === null ? [] : [instructionsOf(row({ memo }), build)[0]],
  );
  const all = [limit, price, ...moves, ...memos].filter(
    (one): one is TransactionInstruction => one !== undefined,
  );
  return compile(all, limits, transfer.feePayer ?? treasury.address);
};
const sign = (transfer: SignableTransfer, message: Uint8Array) =>
  createSigner({ keys: keyOf, readTransfer: () => transfer, treasury }).sign(transfer.id, message);

const three = split([part(0), part(1, 2_000n, 'rent'), part(2)], { memo: 'order 7' });

describe('a split payment', () => {
  it.each([1, 3, 8])('to %i further recipients is signed, and fits into a packet', (count) => {
    const transfer = split(Array.from({ length: count }, (_, index) => part(index, 1_000n, 'm'.repeat(40))));
    const { wire } = sign(transfer, honest(transfer));
    expect(wire.byteLength).toBeLessThanOrEqual(1_232);
    // The limits, a transfer and a memo for each, and the payee's own part.
    const { message } = VersionedTransaction.deserialize(wire);
    expect(message.compiledInstructions).toHaveLength(2 + count + 1 + count);
  });

  it('for a facilitator carries the wallet’s signature alone', () => {
    const transfer = split([part(0), part(1)], { feePayer: walletOf(9) });
    const { signatures } = VersionedTransaction.deserialize(sign(transfer, honest(transfer)).wire);
    expect(signatures[0]).toEqual(new Uint8Array(64));
  });

  const withSplits = (splits: SignableTransfer['splits']) => ({ ...three, splits });
  const [first, second, third] = three.splits;
  if (first === undefined || second === undefined || third === undefined) throw new Error('three');
  it.each<[string, SignableTransfer]>([
    ['a part more for one', withSplits([{ ...first, amount: 1_001n }, second, third])],
    [
      'a unit moved between two',
      withSplits([{ ...first, amount: 1_001n }, { ...second, amount: 1_999n }, third]),
    ],
    ['another recipient', withSplits([part(5), second, third])],
    [
      'two recipients exchanged',
      withSplits([{ ...first, payee: third.payee }, second, { ...third, payee: first.payee }]),
    ],
    ['a recipient missing', withSplits([first, second])],
    ['a recipient more', withSplits([first, second, third, part(4)])],
    ['another memo of a part', withSplits([first, { ...second, memo: 'Rent' }, third])],
    ['a memo of a part missing', withSplits([first, { ...second, memo: null }, third])],
    ['the whole amount to the payee', { ...three, splits: [] }],
    [
      'another amount in all',
      { ...three, asset: 'USDC', amount: row({ amount: 10_001n }).amount } as SignableTransfer,
    ],
  ])('is not signed with %s', (_case, other) => {
    expect(() => sign(three, honest(three))).not.toThrow();
    expect(() => sign(three, honest(other))).toThrow('Invariant broken');
  });

  it.each<[string, SignableTransfer]>([
    ['in our own shape', row({ splits: [part(0)] })],
    ['that leaves the payee nothing', split([part(0, 10_000n)])],
    ['whose parts are more than all', split([part(0, 6_000n), part(1, 6_000n)])],
    ['with an empty part', split([part(0, 0n)])],
    ['with a part below zero', split([part(0, -1n)])],
    ['with a recipient twice', split([part(0), part(0)])],
    ['with the payee as a recipient', split([{ payee: stranger, amount: 1n, memo: null }])],
    ['with the agent itself as a recipient', split([{ payee: walletOf(3), amount: 1n, memo: null }])],
    ['with the treasury as a recipient', split([{ payee: treasury.address, amount: 1n, memo: null }])],
    ['with an empty memo', split([part(0, 1n, '')])],
    [
      'whose fee payer is a recipient’s account',
      split([part(0)], { feePayer: tokenAccount(others[0] ?? '', USDC_MINT).toBase58() }),
    ],
  ])('is never signed for a row %s', (_case, transfer) => {
    // No message can say a negative amount.
    const isWritable =
      transfer.splits.reduce<bigint>((left, { amount }) => left - amount, transfer.amount) >= 0n;
    const message = honest(
      isWritable && transfer.splits.every(({ amount }) => amount >= 0n) ? transfer : three,
    );
    expect(() => sign(transfer, message)).toThrow('Invariant broken');
  });
});
