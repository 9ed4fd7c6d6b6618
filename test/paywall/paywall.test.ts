import {
  createInitializeAccount3Instruction,
  createTransferInstruction,
  TOKEN_PROGRAM_ID,
} from '@solana/spl-token';
import { AddressLookupTableProgram, ComputeBudgetProgram, Keypair, SystemProgram } from '@solana/web3.js';
import type { PublicKey } from '@solana/web3.js';
import express from 'express';
import { describe, expect, test } from 'vitest';
import { paywall } from '../../server/paywall/paywall.ts';
import { encodeReceipt } from '../../server/lib/solana/receipt.ts';
import { noLookupTables, onScript } from '../harness/runtime.ts';
import { signReceipt } from '../x402/keys.ts';
import { memo, mint, openAccount, price, priceUnits, tokenAccount, transfer } from '../x402/market.ts';
import type { Purchase } from '../x402/market.ts';
import { ask, closeServer, listen, quote } from './seller.ts';
import type { Answer } from './seller.ts';
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
      invoice: expect.stringMatching(/^[A-Za-z0-9_-]{22}$/),
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
    const recentSlot = (await market.connection.getSlot('finalized')) - 1;
    const authority = market.buyer.publicKey;
    const [create, address] = AddressLookupTableProgram.createLookupTable({
      authority,
      payer: authority,
      recentSlot,
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
