// Credentials of MPP and x402 that a paid API must refuse: altered, made for another request, or of another payment than
// the requested one. Each begins with an honest payment.
import { Keypair } from '@solana/web3.js';
import { memo, transfer, unknownSignature, type Market, type Purchase } from '../x402/market.ts';
import { requestWith, type Credential, type Foreign, type Loose } from './credentials.ts';

type Alter = (json: Loose, market: Market) => Loose;

const challenge =
  (change: (challenge: Loose) => Loose): Alter =>
  (json) => ({ ...json, challenge: change(json['challenge']) });
const request = (changes: Loose): Alter => challenge((one) => requestWith(one, changes));
/** The object less one of its fields. */
const less =
  (name: string) =>
  (given: Loose): Loose =>
    Object.fromEntries(Object.entries(given).filter(([key]) => key !== name));
const payload =
  (change: Loose): Alter =>
  (json) => ({ ...json, payload: change });
const accepted =
  (change: (accepted: Loose) => Loose): Alter =>
  (json) => ({ ...json, accepted: change(json['accepted']) });
const stranger = Keypair.generate().publicKey.toBase58();

/** Alterations of an honest credential. */
export const altered: Readonly<Record<Foreign, Readonly<Record<string, Alter>>>> = {
  mpp: {
    'a lower amount': request({ amount: '1' }),
    'a higher amount': request({ amount: '20000' }),
    'another currency': request({ currency: stranger }),
    'another recipient': request({ recipient: stranger }),
    'another memo': request({ externalId: 'other' }),
    'no memo': request({ externalId: undefined }),
    'another network': request({ methodDetails: { network: 'devnet' } }),
    splits: request({ methodDetails: { splits: [{ recipient: stranger, amount: '1' }] } }),
    'another id': challenge((one) => ({ ...one, id: 'A'.repeat(22) })),
    'the memo as id': (json) => ({
      ...json,
      challenge: {
        ...json['challenge'],
        id: JSON.parse(Buffer.from(json['challenge'].request, 'base64url').toString()).externalId,
      },
    }),
    'no id': challenge(less('id')),
    'an id that is a number': challenge((one) => ({ ...one, id: 7 })),
    'no realm': challenge(less('realm')),
    'a realm that is a number': challenge((one) => ({ ...one, realm: 7 })),
    'another method': challenge((one) => ({ ...one, method: 'tempo' })),
    'another intent': challenge((one) => ({ ...one, intent: 'session' })),
    'a later expiry': challenge((one) => ({ ...one, expires: '2099-01-01T00:00:00.000Z' })),
    'no expiry': challenge(less('expires')),
    'a parameter more': challenge((one) => ({ ...one, opaque: 'e30' })),
    'no challenge': (json) => ({ payload: json['payload'] }),
    'an unknown transaction': payload({ type: 'signature', signature: unknownSignature() }),
    'no signature': payload({ type: 'signature' }),
    'a signature that is a list': payload({ type: 'signature', signature: ['1'] }),
    'a transaction to send': payload({ type: 'transaction', transaction: 'AA==' }),
    'no payload': (json) => ({ challenge: json['challenge'] }),
    'nothing at all': () => ({}),
  },
  'x402-v2': {
    'a lower amount': accepted((one) => ({ ...one, amount: '1' })),
    'an amount as a number': accepted((one) => ({ ...one, amount: 10_000 })),
    'another asset': accepted((one) => ({ ...one, asset: stranger })),
    'another payee': accepted((one) => ({ ...one, payTo: stranger })),
    'another network': accepted((one) => ({ ...one, network: 'solana:EtWTRABZaYq6iMfeYKouRu166VU2xqa1' })),
    'another scheme': accepted((one) => ({ ...one, scheme: 'upto' })),
    'another memo': accepted((one) => ({ ...one, extra: { ...one['extra'], memo: 'A'.repeat(22) } })),
    'no memo': accepted((one) => ({ ...one, extra: { feePayer: one['extra'].feePayer } })),
    'another fee payer': accepted((one) => ({ ...one, extra: { ...one['extra'], feePayer: stranger } })),
    'no fee payer': accepted((one) => ({ ...one, extra: { memo: one['extra'].memo } })),
    'a field more': accepted((one) => ({ ...one, discount: '1' })),
    'no offer': less('accepted'),
    'version 1': (json) => ({ ...json, x402Version: 1 }),
    'no transaction': payload({}),
    'a transaction that is none': payload({ transaction: 'AAAA' }),
    'no payload': less('payload'),
    'nothing at all': () => ({}),
  },
  'x402-v1': {
    'another network': (json) => ({ ...json, network: 'solana-devnet' }),
    'another scheme': (json) => ({ ...json, scheme: 'upto' }),
    'version 2': (json) => ({ ...json, x402Version: 2 }),
    'no transaction': payload({}),
    'a transaction that is none': payload({ transaction: 'AAAA' }),
    'a transaction that is a list': payload({ transaction: ['AAAA'] }),
    'no payload': less('payload'),
    'nothing at all': () => ({}),
  },
};

type Made = (market: Market) => Purchase | Promise<Purchase>;

const fresh = async (market: Market) => {
  const other = Keypair.generate().publicKey;
  await market.fund(other, 0n);
  return other;
};

/** Honest credentials of a wrong payment. */
export const wrongPayments: Readonly<Record<string, Made>> = {
  'one unit too little': () => ({ units: 9_999n }),
  'one unit too much': () => ({ units: 10_001n }),
  nothing: () => ({ units: 0n }),
  'to somebody else': async (market) => {
    const other = await fresh(market);
    return { instructions: (payer, text) => [transfer(payer, other, 10_000n), memo(text)] };
  },
  'two halves': ({ seller }) => ({
    instructions: (payer, text) => [
      transfer(payer, seller.publicKey, 5_000n),
      transfer(payer, seller.publicKey, 5_000n),
      memo(text),
    ],
  }),
  'a memo alone': () => ({
    instructions: (payer, text) => {
      const note = memo(text);
      note.keys.push({ pubkey: payer, isSigner: true, isWritable: false });
      return [note];
    },
  }),
};

/** Memos other than the offer's; version 1 of x402 asks for none. */
export const wrongMemos: Readonly<Record<string, Made>> = {
  'no memo': ({ seller }) => ({ instructions: (payer) => [transfer(payer, seller.publicKey, 10_000n)] }),
  'another memo': ({ seller }) => ({
    instructions: (payer) => [transfer(payer, seller.publicKey, 10_000n), memo('at:pay_1')],
  }),
  'the memo twice': ({ seller }) => ({
    instructions: (payer, text) => [transfer(payer, seller.publicKey, 10_000n), memo(text), memo(text)],
  }),
  'a memo that goes on': ({ seller }) => ({
    instructions: (payer, text) => [transfer(payer, seller.publicKey, 10_000n), memo(`${text}x`)],
  }),
};

/** Texts that are no credential, as headers. */
export const noise = ['', 'null', '{}', 'AAAA', 'e30', 'e30=', 'W10=', 'bnVsbA==', '!', 'x'.repeat(20_000)];

export const change = ({ dialect, json }: Credential, alter: Alter, market: Market): Credential => ({
  dialect,
  json: alter(structuredClone(json), market),
});
