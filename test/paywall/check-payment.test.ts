// Transactions that neither an honest RPC nor a program here would produce, made up as the chain's answer.
import { Keypair } from '@solana/web3.js';
import bs58 from 'bs58';
import { describe, expect, test } from 'vitest';
import { usdc } from '../../server/money.ts';
import { checkPayment, paymentMemo } from '../../server/paywall/check-payment.ts';
import { usdcMints } from '../../server/contract/networks.ts';
import type { RpcTransaction } from '../../server/paywall/transaction-reader.ts';
import { sampleReceipt, signReceipt } from '../x402/keys.ts';
import { priceUnits } from '../x402/market.ts';

const buyer = Keypair.generate();
const signed = signReceipt(sampleReceipt(buyer), buyer);
const receipt = { ...signed, memo: paymentMemo(signed.paymentId, signed.invoice) };
const [source, account] = [Keypair.generate().publicKey.toBase58(), Keypair.generate().publicKey.toBase58()];
const mint = usdcMints.sandbox;
const tokenProgram = 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA';
const token2022 = 'TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb';
const due = {
  amount: usdc(priceUnits),
  recipient: receipt.recipient,
  account,
  mint,
  maxAgeMs: 600_000,
  expiresAt: null,
};
const now = Date.parse(receipt.timestamp);

const transferData = Buffer.alloc(9);
transferData.writeUInt8(3);
transferData.writeBigUInt64LE(priceUnits, 1);

const oneUnit = Buffer.from(transferData);
oneUnit.writeBigUInt64LE(1n, 1);

const balance = (amount: bigint) => ({
  accountIndex: 2,
  mint,
  owner: receipt.recipient,
  uiTokenAmount: { amount },
});

/** An honest payment. */
const transaction = (): RpcTransaction => ({
  blockTime: now / 1000,
  meta: { err: null, preTokenBalances: [balance(7n)], postTokenBalances: [balance(7n + priceUnits)] },
  transaction: {
    signatures: [receipt.txSignature],
    message: {
      accountKeys: [
        receipt.payer,
        source,
        account,
        tokenProgram,
        'MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr',
      ],
      instructions: [
        { programIdIndex: 3, accounts: [1, 2, 0], data: bs58.encode(transferData) },
        { programIdIndex: 4, accounts: [], data: bs58.encode(Buffer.from(`at:${receipt.paymentId}`)) },
      ],
    },
  },
});

describe('a transaction as the chain shows it', () => {
  test('is a payment when it is unchanged', () => {
    const { payer, timestamp } = receipt;
    expect(checkPayment(receipt, transaction(), due, now)).toEqual({ payer, timestamp });
  });

  const withInstruction = (at: number, data: Uint8Array, accounts: number[]): RpcTransaction => {
    const shown = transaction();
    const { instructions } = shown.transaction.message;
    instructions[at] = { programIdIndex: 3 + at, accounts, data: bs58.encode(data) };
    return shown;
  };
  const withMessage = (change: Partial<RpcTransaction['transaction']['message']>): RpcTransaction => {
    const shown = transaction();
    Object.assign(shown.transaction.message, change);
    return shown;
  };
  const withMeta = (change: Partial<RpcTransaction['meta']>): RpcTransaction => {
    const shown = transaction();
    Object.assign(shown.meta, change);
    return shown;
  };
  const { accountKeys, instructions } = transaction().transaction.message;

  test.each<[string, string, RpcTransaction]>([
    [
      'whose transfer is made by a program it calls',
      'no_transfer',
      withMessage({ instructions: instructions.slice(1) }),
    ],
    [
      'whose transfer is made by the newer token program',
      'no_transfer',
      withMessage({ accountKeys: accountKeys.with(3, token2022) }),
    ],
    [
      'whose transfer has a byte too many',
      'no_transfer',
      withInstruction(0, Buffer.concat([transferData, Buffer.of(0)]), [1, 2, 0]),
    ],
    [
      'whose transfer has a byte too few',
      'no_transfer',
      withInstruction(0, transferData.subarray(0, 8), [1, 2, 0]),
    ],
    ['whose transfer names no authority', 'no_transfer', withInstruction(0, transferData, [1, 2])],
    ['whose transfer points outside the keys', 'no_transfer', withInstruction(0, transferData, [1, 9, 0])],
    ['whose error is not stated', 'failed_on_chain', withMeta({ err: undefined })],
    ['whose balances are missing', 'wrong_account', withMeta({ postTokenBalances: null })],
    [
      'whose balance does not say whose it is',
      'wrong_account',
      withMeta({ postTokenBalances: [{ ...balance(priceUnits), owner: undefined }] }),
    ],
    [
      'whose account is of another mint',
      'wrong_mint',
      withMeta({ postTokenBalances: [{ ...balance(priceUnits + 7n), mint: source }] }),
    ],
    ['whose balance rose by more', 'wrong_amount', withMeta({ preTokenBalances: [] })],
    ['whose own transfer is one unit of what came', 'wrong_amount', withInstruction(0, oneUnit, [1, 2, 0])],
    ['whose memo is not UTF-8', 'wrong_memo', withInstruction(1, Buffer.from('at:pay_\xff', 'latin1'), [])],
  ])('%s is refused', (_, code, shown) => {
    expect(checkPayment(receipt, shown, due, now)).toMatchObject({ refused: { code } });
  });
});
