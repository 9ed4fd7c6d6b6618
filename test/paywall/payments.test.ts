// Payments of a request: honest ones are served, in every shape that a wallet gives them, and all others are refused.
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
import {
  AddressLookupTableProgram,
  ComputeBudgetProgram,
  Keypair,
  SystemProgram,
  type PublicKey,
} from '@solana/web3.js';
import express from 'express';
import { describe, expect, test } from 'vitest';
import { encodeReceipt } from '../../server/lib/solana/receipt.ts';
import { paywall } from '../../server/paywall/paywall.ts';
import { recentSlot } from '../harness/chain/recent-slot.ts';
import { noLookupTables, onScript } from '../harness/chain/runtime.ts';
import { signReceipt } from '../x402/keys.ts';
import {
  memo,
  mint,
  openAccount,
  price,
  priceUnits,
  tokenAccount,
  transfer,
  type Purchase,
} from '../x402/market.ts';
import { ask, closeServer, listen, openShop, quote, refused, type Answer } from './seller.ts';
import { market, shop, signed, useShop } from './use-shop.ts';

useShop();

const buyAndAsk = async (purchase: Purchase = {}, bound = true): Promise<Answer> => {
  const url = bound ? shop.forecast : shop.loose;
  const invoice = bound ? await quote(url) : undefined;
  return ask(url, signed(await market.buy({ ...purchase, invoice }), purchase.payer));
};
const pay =
  (to = market.seller.publicKey) =>
  (payer: PublicKey, text: string) => [transfer(payer, to, priceUnits), memo(text)];

describe('a request without a payment', () => {
  test('gets 402 with everything that is needed to pay', async () => {
    const { status, headers, body } = await ask(shop.forecast);
    expect(status).toBe(402);
    expect(headers.get('cache-control')).toBe('no-store');
    expect(body).toEqual({
      error: 'Pay 0.01 USDC, then repeat the request with the receipt in X-Payment',
      code: 'payment_required',
      amount: price,
      currency: 'USDC',
      recipient: market.seller.publicKey.toBase58(),
      network: 'sandbox',
      invoice: expect.stringMatching(/^[A-Za-z0-9_-]{64}$/),
      expiresAt: expect.stringMatching(/^\d{4}-.*Z$/),
    });
  });

  test('gets another invoice each time', async () => {
    const invoices = await Promise.all(Array.from({ length: 50 }, () => quote(shop.forecast)));
    expect(new Set(invoices).size).toBe(50);
  });
});

describe('an honest payment is served', () => {
  test('with its invoice, and the handler gets the payment', async () => {
    const invoice = await quote(shop.forecast);
    const receipt = signReceipt(await market.buy({ invoice }), market.buyer);
    const { status, body } = await ask(shop.forecast, encodeReceipt(receipt));
    expect(status).toBe(200);
    expect(body).toEqual({ sun: true, payment: { dialect: 'receipt', ...receipt } });
  });

  test('without an invoice where that is optional, and with one', async () => {
    expect((await buyAndAsk({}, false)).status).toBe(200);
    const invoice = await quote(shop.loose);
    expect((await ask(shop.loose, signed(await market.buy({ invoice })))).status).toBe(200);
  });

  const shapes: [string, () => Promise<Purchase> | Purchase][] = [
    ['version 0', () => ({ version: 'v0' })],
    [
      'the memo before the transfer',
      () => ({ instructions: (payer, text) => pay()(payer, text).toReversed() }),
    ],
    [
      'a compute budget',
      () => ({
        instructions: (payer, text) => [
          ComputeBudgetProgram.setComputeUnitLimit({ units: 60_000 }),
          ComputeBudgetProgram.setComputeUnitPrice({ microLamports: 1 }),
          ...pay()(payer, text),
        ],
      }),
    ],
    [
      'the plain Transfer instruction',
      () => ({
        instructions: (payer, text) => [
          createTransferInstruction(
            tokenAccount(payer),
            tokenAccount(market.seller.publicKey),
            payer,
            priceUnits,
          ),
          memo(text),
        ],
      }),
    ],
    [
      'an instruction to open the account, which is open already',
      () => ({
        instructions: (payer, text) => [openAccount(payer, market.seller.publicKey), ...pay()(payer, text)],
      }),
    ],
    [
      'fees paid by another wallet',
      async () => {
        const payer = Keypair.generate();
        await market.fund(payer.publicKey, priceUnits);
        return { payer, feePayer: market.buyer };
      },
    ],
    [
      'a memo that the payer signs',
      () => ({
        instructions: (payer, text) => {
          const [move, note] = pay()(payer, text);
          note?.keys.push({ pubkey: payer, isSigner: true, isWritable: false });
          return [move, note].filter((instruction) => instruction !== undefined);
        },
      }),
    ],
    [
      'a payment to somebody else in the same transaction',
      async () => {
        const other = Keypair.generate().publicKey;
        await market.fund(other, 0n);
        return { instructions: (payer, text) => [transfer(payer, other, 5n), ...pay()(payer, text)] };
      },
    ],
    [
      'SOL beside it',
      () => ({
        instructions: (payer, text) => [
          SystemProgram.transfer({ fromPubkey: payer, toPubkey: market.seller.publicKey, lamports: 5 }),
          ...pay()(payer, text),
        ],
      }),
    ],
    [
      'money from another token account of the payer',
      async () => {
        const spare = Keypair.generate();
        const rent = await market.connection.getMinimumBalanceForRentExemption(165);
        const from = { fromPubkey: market.buyer.publicKey, newAccountPubkey: spare.publicKey };
        await market.send(
          [
            SystemProgram.createAccount({ ...from, lamports: rent, space: 165, programId: TOKEN_PROGRAM_ID }),
            createInitializeAccount3Instruction(spare.publicKey, mint, market.buyer.publicKey),
            createTransferInstruction(
              tokenAccount(market.buyer.publicKey),
              spare.publicKey,
              market.buyer.publicKey,
              priceUnits,
            ),
          ],
          { signers: [spare] },
        );
        const to = tokenAccount(market.seller.publicKey);
        return {
          instructions: (payer, text) => [
            createTransferInstruction(spare.publicKey, to, payer, priceUnits),
            memo(text),
          ],
        };
      },
    ],
  ];
  test.each(shapes)('with %s', async (_, purchase) => {
    expect((await buyAndAsk(await purchase())).body).toMatchObject({ sun: true });
  });

  test('when it is the seller’s first payment, and opens the account', async () => {
    const recipient = Keypair.generate().publicKey;
    const wall = paywall({ ...shop.options, recipient: recipient.toBase58() });
    const { url, server } = await listen((request, response) => {
      void wall(request, response, () => response.end('{"sun":true}'));
    });
    const invoice = await quote(url);
    const receipt = await market.buy({
      invoice,
      instructions: (payer, text) => [openAccount(payer, recipient), ...pay(recipient)(payer, text)],
    });
    expect((await ask(url, signed({ ...receipt, recipient: recipient.toBase58() }))).status).toBe(200);
    await closeServer(server);
  });

  test.skipIf(onScript)(`when its accounts come from a lookup table${noLookupTables}`, async () => {
    const authority = market.buyer.publicKey;
    const [create, address] = AddressLookupTableProgram.createLookupTable({
      authority,
      payer: authority,
      recentSlot: await recentSlot(market.connection),
    });
    const addresses = [tokenAccount(market.seller.publicKey), mint, TOKEN_PROGRAM_ID, memo('').programId];
    await market.send([
      create,
      AddressLookupTableProgram.extendLookupTable({
        payer: authority,
        authority,
        lookupTable: address,
        addresses,
      }),
    ]);
    await market.rpc('sandbox_warp', [2]);
    const { value: table } = await market.connection.getAddressLookupTable(address, {
      commitment: 'processed',
    });
    expect(table?.state.addresses).toHaveLength(4);
    const answer = await buyAndAsk({ version: 'v0', lookupTables: table ? [table] : [] });
    expect(answer.body).toMatchObject({ sun: true });
  });

  test('when it is for a POST: the body is bound, and still there for the parser', async () => {
    const body = JSON.stringify({ dish: 'soup', note: 'ü'.repeat(100_000) });
    const init = { method: 'POST', body, headers: { 'content-type': 'application/json' } };
    const invoice = await quote(shop.orders, init);
    const header = signed(await market.buy({ invoice }));
    const { status, body: answer } = await ask(shop.orders, header, init);
    expect(status).toBe(200);
    expect(answer).toEqual({ ordered: JSON.parse(body) });
  });

  test('when the price has gone up since the quote', async () => {
    const invoice = await quote(shop.forecast);
    const app = express();
    app.get(
      '/forecast',
      paywall({ ...shop.options, price: '0.09' }),
      (_, response) => void response.json({ sun: true }),
    );
    const { url, server } = await listen(app);
    const answer = await ask(`${url}/forecast?city=Oslo`, signed(await market.buy({ invoice })));
    expect(answer.body).toEqual({ sun: true });
    await closeServer(server);
  });
});

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
            const fee = ComputeBudgetProgram.setComputeUnitPrice({ microLamports: priceUnits });
            fee.keys.push(...move(payer, priceUnits).keys);
            return [fee, move(other.publicKey, priceUnits), memo(text)];
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
