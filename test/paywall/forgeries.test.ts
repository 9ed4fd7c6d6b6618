import {
  AuthorityType,
  createAssociatedTokenAccountInstruction,
  createInitializeAccount3Instruction,
  createInitializeMint2Instruction,
  createMintToInstruction,
  createSetAuthorityInstruction,
  createTransferInstruction,
  TOKEN_PROGRAM_ID,
} from '@solana/spl-token';
import { ComputeBudgetProgram, Keypair, SystemProgram } from '@solana/web3.js';
import type { PublicKey } from '@solana/web3.js';
import { describe, expect, test } from 'vitest';
import { memo, mint, priceUnits, tokenAccount, transfer } from '../x402/market.ts';
import type { Purchase } from '../x402/market.ts';
import { ask, openShop, quote, refused } from './seller.ts';
import { market, shop, signed, useShop } from './use-shop.ts';

useShop();

const seller = () => market.seller.publicKey;
/** A token account that is not the associated one. */
const spareAccount = async (ofMint: PublicKey, owner: PublicKey) => {
  const account = Keypair.generate();
  const lamports = await market.connection.getMinimumBalanceForRentExemption(165);
  const who = { fromPubkey: market.buyer.publicKey, newAccountPubkey: account.publicKey };
  await market.send(
    [
      SystemProgram.createAccount({ ...who, lamports, space: 165, programId: TOKEN_PROGRAM_ID }),
      createInitializeAccount3Instruction(account.publicKey, ofMint, owner),
    ],
    { signers: [account] },
  );
  return account.publicKey;
};
const otherMint = async () => {
  const created = Keypair.generate();
  const lamports = await market.connection.getMinimumBalanceForRentExemption(82);
  const owner = market.buyer.publicKey;
  const who = { fromPubkey: owner, newAccountPubkey: created.publicKey };
  await market.send(
    [
      SystemProgram.createAccount({ ...who, lamports, space: 82, programId: TOKEN_PROGRAM_ID }),
      createInitializeMint2Instruction(created.publicKey, 6, owner, null),
      createAssociatedTokenAccountInstruction(
        owner,
        tokenAccount(owner, created.publicKey),
        owner,
        created.publicKey,
      ),
      createAssociatedTokenAccountInstruction(
        owner,
        tokenAccount(seller(), created.publicKey),
        seller(),
        created.publicKey,
      ),
      createMintToInstruction(created.publicKey, tokenAccount(owner, created.publicKey), owner, 1_000_000n),
    ],
    { signers: [created] },
  );
  return created.publicKey;
};
const move = (payer: PublicKey, units: bigint, to = tokenAccount(seller())) =>
  createTransferInstruction(tokenAccount(payer), to, payer, units);

describe('a payment other than the requested one is refused', () => {
  const payments: [string, string, () => Promise<Purchase> | Purchase][] = [
    ['one unit too little', 'wrong_amount', () => ({ units: priceUnits - 1n })],
    ['one unit too much', 'wrong_amount', () => ({ units: priceUnits + 1n })],
    ['nothing', 'wrong_amount', () => ({ units: 0n })],
    [
      'the amount in two parts',
      'several_transfers',
      () => ({ instructions: (payer, text) => [move(payer, 4_000n), move(payer, 6_000n), memo(text)] }),
    ],
    [
      'the amount and dust',
      'several_transfers',
      () => ({ instructions: (payer, text) => [move(payer, priceUnits), move(payer, 1n), memo(text)] }),
    ],
    [
      'the amount, half of which the seller’s own wallet gives back',
      'wrong_amount',
      () => ({
        signers: [market.buyer, market.seller],
        instructions: (payer, text) => [
          move(payer, priceUnits),
          transfer(seller(), payer, priceUnits / 2n),
          memo(text),
        ],
      }),
    ],
    [
      'a transfer of the seller’s account to itself',
      'self_transfer',
      () => ({
        payer: market.seller,
        instructions: (payer, text) => [transfer(payer, payer, priceUnits), memo(text)],
      }),
    ],
    [
      'somebody else',
      'wrong_recipient',
      async () => {
        const other = Keypair.generate().publicKey;
        await market.fund(other, 0n);
        return { instructions: (payer, text) => [transfer(payer, other, priceUnits), memo(text)] };
      },
    ],
    ['nobody: a memo alone', 'wrong_recipient', () => ({ instructions: (_, text) => [memo(text)] })],
    [
      'in another token',
      'wrong_mint',
      async () => {
        const token = await otherMint();
        const to = tokenAccount(seller(), token);
        return {
          instructions: (payer, text) => [
            createTransferInstruction(tokenAccount(payer, token), to, payer, priceUnits),
            memo(text),
          ],
        };
      },
    ],
    [
      'to another USDC account of the seller',
      'wrong_account',
      async () => {
        const spare = await spareAccount(mint, seller());
        return { instructions: (payer, text) => [move(payer, priceUnits, spare), memo(text)] };
      },
    ],
    ['without a memo', 'wrong_memo', () => ({ instructions: (payer) => [move(payer, priceUnits)] })],
    [
      'with its memo twice',
      'wrong_memo',
      () => ({ instructions: (payer, text) => [move(payer, priceUnits), memo(text), memo(text)] }),
    ],
    [
      'with another memo beside it',
      'wrong_memo',
      () => ({ instructions: (payer, text) => [memo('hello'), move(payer, priceUnits), memo(text)] }),
    ],
    [
      'with a memo that goes on',
      'wrong_memo',
      () => ({ instructions: (payer, text) => [move(payer, priceUnits), memo(`${text}:more`)] }),
    ],
    [
      'with a memo that lacks the invoice',
      'wrong_memo',
      () => ({
        instructions: (payer, text) => [move(payer, priceUnits), memo(text.split(':', 2).join(':'))],
      }),
    ],
    [
      'by a transaction that failed',
      'failed_on_chain',
      () => ({
        skipPreflight: true,
        instructions: (payer, text) => [move(payer, priceUnits), memo(text), move(payer, 10n ** 15n)],
      }),
    ],
    [
      'by another, beside an instruction of another program that reads like a transfer',
      'wrong_payer',
      async () => {
        const other = Keypair.generate();
        await market.fund(other.publicKey, priceUnits);
        return {
          signers: [market.buyer, other],
          instructions: (payer, text) => {
            // Tag 3 and an eight-byte number, as in Transfer; the accounts do not matter.
            const price = ComputeBudgetProgram.setComputeUnitPrice({ microLamports: priceUnits });
            price.keys.push(...move(payer, priceUnits).keys);
            return [price, move(other.publicKey, priceUnits), memo(text)];
          },
        };
      },
    ],
    [
      'from the wallet of another, who let the payer spend',
      'wrong_payer',
      async () => {
        const other = Keypair.generate();
        await market.fund(other.publicKey, priceUnits);
        return {
          signers: [market.buyer, other],
          instructions: (_, text) => [move(other.publicKey, priceUnits), memo(text)],
        };
      },
    ],
  ];
  test.each(payments)('%s: %s', async (_, code, purchase) => {
    const invoice = await quote(shop.forecast);
    const made = await purchase();
    const answer = await ask(shop.forecast, signed(await market.buy({ ...made, invoice }), made.payer));
    expect(refused(answer)).toEqual({ status: 402, code });
  });

  test('into an account that the seller gives away in the same transaction: wrong_account', async () => {
    const former = Keypair.generate();
    const recipient = former.publicKey.toBase58();
    await market.fund(former.publicKey, 0n);
    const own = await openShop(market, { recipient });
    const invoice = await quote(own.forecast);
    const receipt = await market.buy({
      invoice,
      signers: [market.buyer, former],
      instructions: (payer, text) => [
        transfer(payer, former.publicKey, priceUnits),
        memo(text),
        createSetAuthorityInstruction(
          tokenAccount(former.publicKey),
          former.publicKey,
          AuthorityType.AccountOwner,
          payer,
        ),
      ],
    });
    const answer = await ask(own.forecast, signed({ ...receipt, recipient }));
    expect(refused(answer)).toEqual({ status: 402, code: 'wrong_account' });
    await own.close();
  });
});
