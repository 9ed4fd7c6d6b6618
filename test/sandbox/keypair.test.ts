// The sandbox's own cryptography, compared with the libraries'.
import { getAssociatedTokenAddressSync } from '@solana/spl-token';
import { Keypair, PublicKey, Transaction } from '@solana/web3.js';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';

import { usdcMint as mint } from '../../server/sandbox/chain/account.ts';
import { associatedTokenAddress, keypairFromSeed } from '../../server/sandbox/chain/keypair.ts';
import { decodeTransaction } from '../../server/sandbox/chain/wire.ts';
import { memo, newKey, signed, transfer, usdcMint } from './support.ts';

const seeds = fc.uint8Array({ minLength: 32, maxLength: 32 });

test('keys and associated token accounts are those of the libraries', () => {
  fc.assert(
    fc.property(seeds, (seed) => {
      const { address } = keypairFromSeed(seed);
      const { publicKey } = Keypair.fromSeed(seed);
      expect(Buffer.from(address).equals(publicKey.toBuffer())).toBe(true);
      const expected = getAssociatedTokenAddressSync(new PublicKey(usdcMint), publicKey);
      expect(new PublicKey(associatedTokenAddress(address, mint)).toBase58()).toBe(expected.toBase58());
    }),
  );
});

test('our encodings and signatures are accepted by the libraries', () => {
  const [payer, to] = [newKey(), newKey()];
  const { wire } = signed(payer, newKey().text, [transfer(payer, to.address, 5), memo('m'.repeat(300))]);
  const bytes = Buffer.from(wire, 'base64');
  const transaction = Transaction.from(bytes);
  expect(transaction.verifySignatures()).toBe(true);
  expect(transaction.instructions.map(({ data }) => data.length)).toEqual([12, 300]);
  expect(decodeTransaction(bytes).message.keys).toHaveLength(4);
});
