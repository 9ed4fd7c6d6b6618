// Messages for sellers of x402 and MPP: signed for exactly their row, with the fee payer's signature left empty; and a
// payment that its seller has split among several recipients: signed for exactly their parts.
import { createPublicKey, verify } from 'node:crypto';
import type { TransactionInstruction } from '@solana/web3.js';
import { ComputeBudgetProgram, PublicKey, VersionedTransaction } from '@solana/web3.js';
import { assert, integer, nat, pre, property } from 'fast-check';
import { describe, expect, it } from 'vitest';
import { addressOf, deriveKey } from '../../server/vault/keys.ts';
import type { SignableTransfer } from '../../server/vault/signer.ts';
import { attacks } from './attacks.ts';
import {
  build,
  compile,
  instructionsOf,
  row,
  sign,
  stranger,
  tokenAccount,
  treasury,
  USDC_MINT,
  walletOf,
  type RowChange,
} from './transfers.ts';

const facilitator = walletOf(9);
const limits = { ...build, computeUnits: 60_000, computePrice: 5n };
const nonce = '00112233445566778899aabbccddeeff';

const x402 = (change: RowChange = {}): SignableTransfer =>
  row({ shape: 'sellers', feePayer: facilitator, memo: nonce, computeUnitPrice: 256n, ...change });
const pushed = (change: RowChange = {}): SignableTransfer =>
  row({ shape: 'sellers', feePayer: null, memo: null, computeUnitPrice: 66n, ...change });

/** The order is compute budget, transfer, memo: ours have the memo before the transfer. */
const sellersOrder = (transfer: SignableTransfer): TransactionInstruction[] => {
  const [limit, price, memo, move] = instructionsOf(transfer, limits);
  return [limit, price, move, ...(transfer.memo === null ? [] : [memo])].filter((one) => one !== undefined);
};
const honest = (transfer: SignableTransfer): Uint8Array =>
  compile(sellersOrder(transfer), limits, transfer.feePayer ?? treasury.address);
const isSignedBy = (wire: Uint8Array, position: number): boolean => {
  const { message, signatures } = VersionedTransaction.deserialize(wire);
  const key = message.staticAccountKeys[position] ?? PublicKey.default;
  const jwk = { kty: 'OKP', crv: 'Ed25519', x: Buffer.from(key.toBytes()).toString('base64url') };
  const signature = signatures[position] ?? new Uint8Array(64);
  return verify(null, message.serialize(), createPublicKey({ key: jwk, format: 'jwk' }), signature);
};

describe('an honest message', () => {
  it('for a facilitator carries the wallet’s signature alone', () => {
    const { wire, signature } = sign(x402(), honest(x402()));
    const { message, signatures } = VersionedTransaction.deserialize(wire);
    expect(message.staticAccountKeys.slice(0, 2).map(String)).toEqual([facilitator, walletOf(3)]);
    expect(signatures[0]).toEqual(new Uint8Array(64));
    expect(isSignedBy(wire, 1)).toBe(true);
    expect(signature).not.toBe('');
  });

  it('that we send ourselves carries both, with or without a memo', () => {
    for (const transfer of [pushed(), pushed({ memo: 'order-7' })]) {
      const { wire } = sign(transfer, honest(transfer));
      expect([isSignedBy(wire, 0), isSignedBy(wire, 1)]).toEqual([true, true]);
    }
  });
});

describe('a message that differs from its row', () => {
  const refused: [string, SignableTransfer, Uint8Array][] = [
    [
      'our own shape for a seller’s row',
      x402(),
      compile(instructionsOf(x402(), limits), limits, facilitator),
    ],
    ['a seller’s shape for our own row', row(), honest(x402({ feePayer: null }))],
    ['another fee payer', x402(), compile(sellersOrder(x402()), limits, walletOf(8))],
    ['the treasury as fee payer', x402(), compile(sellersOrder(x402()), limits, treasury.address)],
    ['a facilitator where we pay', pushed(), compile(sellersOrder(pushed()), limits, facilitator)],
    ['another memo', x402(), honest(x402({ memo: `${nonce.slice(0, -1)}0` }))],
    ['no memo where one is wanted', x402(), honest(x402({ memo: null }))],
    ['a memo where none is wanted', pushed(), honest(pushed({ memo: 'x' }))],
    ['another amount', x402(), honest(x402({ amount: 10_001n }))],
    ['another payee', x402(), honest(x402({ payee: walletOf(7) }))],
    ['another agent’s wallet', x402(), honest(x402({ wallet: walletOf(4) }))],
    ['a dearer compute unit', x402({ computeUnitPrice: 4n }), honest(x402())],
  ];
  it.each(refused)('is not signed: %s', (_case, transfer, message) => {
    expect(() => sign(transfer, message)).toThrow('Invariant broken');
  });

  it.each(attacks)('is not signed: %s', (_case, change) => {
    const transfer = x402();
    const altered = change(instructionsOf(transfer, build), transfer);
    const inOrder = [...sellersOrder(transfer).slice(0, 2), ...altered.toReversed()];
    let message: Uint8Array;
    try {
      message = compile(inOrder, limits, facilitator);
    } catch {
      return; // web3.js itself refuses to write it down
    }
    const isHonest = Buffer.from(message).equals(Buffer.from(honest(transfer)));
    if (!isHonest) expect(() => sign(transfer, message)).toThrow('Invariant broken');
  });

  it('is not signed: 10,000 messages with a byte changed, unless it is the blockhash or an allowed compute budget', () => {
    const transfer = x402();
    const message = Buffer.from(honest(transfer));
    const at = message.indexOf(new PublicKey(build.blockhash).toBytes());
    const [limit, price] = sellersOrder(transfer);
    const free = [
      [at, 32],
      [message.indexOf(limit?.data ?? Buffer.alloc(0)) + 1, 4],
      [message.indexOf(price?.data ?? Buffer.alloc(0)) + 1, 8],
    ] as const;
    assert(
      property(nat(message.length - 1), integer({ min: 1, max: 255 }), (position, flip) => {
        pre(free.every(([from, length]) => position < from || position >= from + length));
        const altered = Buffer.from(message);
        altered[position] = (altered[position] ?? 0) ^ flip;
        expect(() => sign(transfer, altered)).toThrow();
      }),
      { numRuns: 10_000 },
    );
  });
});

describe('a row that may not be signed', () => {
  const odd: [string, SignableTransfer][] = [
    ['whose fee payer is the treasury', x402({ feePayer: treasury.address })],
    ['whose fee payer is the agent itself', x402({ feePayer: walletOf(3) })],
    ['whose fee payer is the mint', x402({ feePayer: USDC_MINT })],
    [
      'whose fee payer is the payee’s token account',
      x402({ feePayer: tokenAccount(stranger, USDC_MINT).toBase58() }),
    ],
    [
      'whose fee payer is the agent’s token account',
      x402({ feePayer: tokenAccount(walletOf(3), USDC_MINT).toBase58() }),
    ],
    ['that opens an account for a seller', x402({ opensAccount: true })],
    ['that is no payment', x402({ kind: 'allocation', walletIndex: 0, wallet: treasury.address })],
    ['of SOL', x402({ asset: 'SOL' })],
    ['of our own without a memo', row({ memo: null })],
    ['of our own with a fee payer', row({ feePayer: facilitator })],
    ['with an empty memo', x402({ memo: '' })],
  ];
  it.each(odd)('%s', (_case, transfer) => {
    expect(() => sign(transfer, honest(transfer))).toThrow('Invariant broken');
  });

  it('never allows a compute budget that no row reserved', () => {
    const [, , move, memo] = sellersOrder(x402());
    const dear = [
      ComputeBudgetProgram.setComputeUnitLimit({ units: 300_001 }),
      ...[move, memo].filter((one) => one !== undefined),
    ];
    expect(() => sign(x402(), compile(dear, limits, facilitator))).toThrow('Invariant broken');
  });
});

const splitLimits = { ...limits, computeUnits: 100_000 };
const others = Array.from({ length: 9 }, (_, index) => addressOf(deriveKey(Buffer.alloc(64, 9), index + 2)));
const part = (index: number, amount = 1_000n, memo: string | null = null) => ({
  payee: others[index] ?? '',
  amount,
  memo,
});

const split = (splits: SignableTransfer['splits'], change: RowChange = {}): SignableTransfer =>
  pushed({ splits, ...change });

/** As the protocol asks for it: the payee's own part, each split, and then the memos. */
const honestSplit = (transfer: SignableTransfer): Uint8Array => {
  const { splits, amount } = transfer;
  const own = splits.reduce<bigint>((left, one) => left - one.amount, amount);
  const [limit, price] = instructionsOf(transfer, splitLimits);
  const moves = [{ payee: transfer.payee, amount: own }, ...splits].map(
    (to) => instructionsOf(row({ ...to, memo: null }), build)[1],
  );
  const memos = [transfer.memo, ...splits.map(({ memo }) => memo)].flatMap((memo) =>
    memo === null ? [] : [instructionsOf(row({ memo }), build)[0]],
  );
  const all = [limit, price, ...moves, ...memos].filter(
    (one): one is TransactionInstruction => one !== undefined,
  );
  return compile(all, splitLimits, transfer.feePayer ?? treasury.address);
};

const three = split([part(0), part(1, 2_000n, 'rent'), part(2)], { memo: 'order 7' });

describe('a split payment', () => {
  it.each([1, 3, 8])('to %i further recipients is signed, and fits into a packet', (count) => {
    const transfer = split(Array.from({ length: count }, (_, index) => part(index, 1_000n, 'm'.repeat(40))));
    const { wire } = sign(transfer, honestSplit(transfer));
    expect(wire.byteLength).toBeLessThanOrEqual(1_232);
    // The limits, a transfer and a memo for each, and the payee's own part.
    const { message } = VersionedTransaction.deserialize(wire);
    expect(message.compiledInstructions).toHaveLength(2 + count + 1 + count);
  });

  it('for a facilitator carries the wallet’s signature alone', () => {
    const transfer = split([part(0), part(1)], { feePayer: facilitator });
    const { signatures } = VersionedTransaction.deserialize(sign(transfer, honestSplit(transfer)).wire);
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
    expect(() => sign(three, honestSplit(three))).not.toThrow();
    expect(() => sign(three, honestSplit(other))).toThrow('Invariant broken');
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
    const message = honestSplit(
      isWritable && transfer.splits.every(({ amount }) => amount >= 0n) ? transfer : three,
    );
    expect(() => sign(transfer, message)).toThrow('Invariant broken');
  });
});
