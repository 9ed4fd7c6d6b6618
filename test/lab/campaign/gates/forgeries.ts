// Receipts that a paid API must refuse: altered, signed by the wrong key, wrapped differently, or for another payment
// than the requested one.
import { createTransferInstruction } from '@solana/spl-token';
import { Keypair, type PublicKey } from '@solana/web3.js';
import { encodeReceipt, type UnsignedReceipt } from '../../../../server/lib/solana/receipt.ts';
import { base64Json, signBytes, signReceipt, signedHeader } from '../../../x402/keys.ts';
import {
  memo,
  priceUnits,
  tokenAccount,
  transfer,
  unknownSignature,
  type Market,
  type Purchase,
} from '../../../x402/market.ts';

type Header = (honest: UnsignedReceipt, market: Market) => string;

const altered =
  (change: (honest: UnsignedReceipt, market: Market) => object): Header =>
  (honest, market) =>
    signedHeader({ ...honest, ...change(honest, market) }, market.buyer);

const stranger = Keypair.generate();
const flip = (text: string): string => {
  const bytes = Buffer.from(text, 'base64');
  bytes[0] = (bytes[0] ?? 0) ^ 1;
  return bytes.toString('base64');
};

/** Forged receipts of an honest payment; each is signed by the payer unless its name says otherwise. */
export const words: Readonly<Record<string, Header>> = {
  'twice the amount': altered(() => ({ amount: '0.02' })),
  'a unit less': altered(() => ({ amount: '0.009999' })),
  'a unit more': altered(() => ({ amount: '0.010001' })),
  'no amount': altered(() => ({ amount: '' })),
  'an amount as a number': altered(() => ({ amount: 0.01 })),
  'an amount in exponents': altered(() => ({ amount: '1e-2' })),
  'a negative amount': altered(() => ({ amount: '-0.01' })),
  'an amount in hexadecimal': altered(() => ({ amount: '0x2710' })),
  'another currency': altered(() => ({ currency: 'USDT' })),
  'a currency in lower case': altered(() => ({ currency: 'usdc' })),
  'another network': altered(() => ({ network: 'mainnet' })),
  'an unknown network': altered(() => ({ network: 'solana' })),
  'another recipient': altered(() => ({ recipient: stranger.publicKey.toBase58() })),
  'the payer as recipient': altered(({ payer }) => ({ recipient: payer })),
  'a recipient that is no address': altered(() => ({ recipient: '0OIl' })),
  'another payment’s id': altered(() => ({ paymentId: 'pay_other' })),
  'an id that goes on': altered(({ paymentId }) => ({ paymentId: `${paymentId}:x` })),
  'no id': altered(() => ({ paymentId: '' })),
  'an unknown transaction': altered(() => ({ txSignature: unknownSignature() })),
  'no transaction': altered(() => ({ txSignature: '' })),
  'a transaction that is an object': altered(() => ({ txSignature: { a: 1 } })),
  'another invoice': altered(() => ({ invoice: 'inv_other' })),
  'no invoice': altered(() => ({ invoice: undefined })),
  'an empty invoice': altered(() => ({ invoice: '' })),
  'another payer': (honest) => signedHeader({ ...honest, payer: stranger.publicKey.toBase58() }, stranger),
  'the payer’s name, signed by a stranger': (honest) => signedHeader(honest, stranger),
  'the seller’s signature': (honest, { seller }) => signedHeader(honest, seller),
  'no signature': (honest) => `v1.${base64Json(honest)}`,
  'an empty signature': (honest) => `v1.${base64Json({ ...honest, signature: '' })}`,
  'a signature of zeros': (honest) =>
    `v1.${base64Json({ ...honest, signature: Buffer.alloc(64).toString('base64') })}`,
  'a signature with a bit flipped': (honest, { buyer }) => {
    const receipt = signReceipt(honest, buyer);
    return encodeReceipt({ ...receipt, signature: flip(receipt.signature) });
  },
  'a signature cut short': (honest, { buyer }) => {
    const receipt = signReceipt(honest, buyer);
    return encodeReceipt({
      ...receipt,
      signature: Buffer.from(receipt.signature, 'base64').subarray(0, 63).toString('base64'),
    });
  },
  'a signature of other words': (honest, { buyer }) =>
    encodeReceipt({ ...signReceipt({ ...honest, service: 'other' }, buyer), service: honest.service }),
  'a signature over the bare JSON': (honest, { buyer }) =>
    `v1.${base64Json({ ...honest, signature: signBytes(buyer, Buffer.from(JSON.stringify(honest))).toString('base64') })}`,
  'the next version': (honest, { buyer }) => signedHeader(honest, buyer).replace('v1.', 'v2.'),
  'no version': (honest, { buyer }) => signedHeader(honest, buyer).slice(3),
  'an upper-case version': (honest, { buyer }) => signedHeader(honest, buyer).replace('v1.', 'V1.'),
  'two receipts': (honest, { buyer }) => `${signedHeader(honest, buyer)},${signedHeader(honest, buyer)}`,
  'half a receipt': (honest, { buyer }) => signedHeader(honest, buyer).slice(0, 200),
  'a receipt in a list': (honest, { buyer }) => `v1.${base64Json([signReceipt(honest, buyer)])}`,
  'a receipt in a text': (honest, { buyer }) =>
    `v1.${base64Json(JSON.stringify(signReceipt(honest, buyer)))}`,
  'nothing at all': () => `v1.${base64Json(null)}`,
  'an empty object': () => `v1.${base64Json({})}`,
  'no JSON': () => `v1.${Buffer.from('receipt').toString('base64')}`,
  'no base64': () => 'v1.{}',
};

const move = (payer: PublicKey, units: bigint, to: PublicKey) =>
  createTransferInstruction(tokenAccount(payer), to, payer, units);

type Made = (market: Market) => Purchase | Promise<Purchase>;

/** Correctly signed receipts of a wrong payment. */
export const payments: Readonly<Record<string, Made>> = {
  'one unit too little': () => ({ units: priceUnits - 1n }),
  'one unit too much': () => ({ units: priceUnits + 1n }),
  nothing: () => ({ units: 0n }),
  dust: () => ({ units: 1n }),
  'ten times the price': () => ({ units: priceUnits * 10n }),
  'two halves': ({ seller }) => ({
    instructions: (payer, text) => [
      move(payer, 5_000n, tokenAccount(seller.publicKey)),
      move(payer, 5_000n, tokenAccount(seller.publicKey)),
      memo(text),
    ],
  }),
  'the price given back': (market) => ({
    signers: [market.buyer, market.seller],
    instructions: (payer, text) => [
      transfer(payer, market.seller.publicKey, priceUnits),
      transfer(market.seller.publicKey, payer, priceUnits),
      memo(text),
    ],
  }),
  'to somebody else': async (market) => {
    const other = Keypair.generate().publicKey;
    await market.fund(other, 0n);
    return { instructions: (payer, text) => [transfer(payer, other, priceUnits), memo(text)] };
  },
  'to the payer itself': () => ({
    instructions: (payer, text) => [transfer(payer, payer, priceUnits), memo(text)],
  }),
  'a memo alone': () => ({ instructions: (_, text) => [memo(text)] }),
  'no memo': ({ seller }) => ({ instructions: (payer) => [transfer(payer, seller.publicKey, priceUnits)] }),
  'the memo twice': ({ seller }) => ({
    instructions: (payer, text) => [transfer(payer, seller.publicKey, priceUnits), memo(text), memo(text)],
  }),
  'a memo that goes on': ({ seller }) => ({
    instructions: (payer, text) => [transfer(payer, seller.publicKey, priceUnits), memo(`${text}x`)],
  }),
  'a memo of another payment': ({ seller }) => ({
    instructions: (payer) => [transfer(payer, seller.publicKey, priceUnits), memo('at:pay_other')],
  }),
  'a transaction that failed': ({ seller }) => ({
    skipPreflight: true,
    instructions: (payer, text) => [
      transfer(payer, seller.publicKey, priceUnits),
      memo(text),
      transfer(payer, seller.publicKey, 10n ** 15n),
    ],
  }),
};
