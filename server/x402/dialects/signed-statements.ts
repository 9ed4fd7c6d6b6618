// The extension "offer-receipt" of x402: the offer that a seller signed before it was paid, and the receipt that it signed
// after. Both are the seller's statements: they prove what a key said, and neither a payment nor a delivery.
// https://github.com/x402-foundation/x402/blob/main/specs/extensions/extension-offer-and-receipt.md
import type { PaidTerms, SellersStatements, Statement } from '../../engine/ports.ts';
import { decodeLoosely, isObject, type JsonObject } from '../../lib/base64-json.ts';
import { readJws } from './jws.ts';
import type { SellerResponse } from './protocol.ts';
import { textIn } from './x402-settlement.ts';

const name = 'offer-receipt';
/** An honest one has a few hundred bytes. */
const mostLength = 4_096;
const mostOffers = 32;
/** Sellers' clocks differ from ours by so much, in seconds. */
const leewaySeconds = 300;

/** @param paid what was paid, by whom and when. A named transaction is compared once ours is known: see calls/statements.ts */
export const readStatements = (paid: PaidTerms, response: SellerResponse): SellersStatements => {
  const header = response.header('payment-response') ?? response.header('x-payment-response') ?? '';
  const receipt = infoIn(decodeLoosely(header))['receipt'];
  return {
    offer: offerAmong(infoIn(paid.terms)['offers'], paid),
    receipt: receipt === undefined ? null : statement(receipt, (said) => faultOfReceipt(said, paid)),
  };
};

const infoIn = (value: unknown): JsonObject => {
  const extensions = isObject(value) ? value['extensions'] : undefined;
  const extension = isObject(extensions) ? extensions[name] : undefined;
  const info = isObject(extension) ? extension['info'] : undefined;
  return isObject(info) ? info : {};
};

/** The one that says what was paid; else the first, with what is wrong with it. */
const offerAmong = (offers: unknown, paid: PaidTerms): Statement | null => {
  if (!Array.isArray(offers) || offers.length === 0) return null;
  const read = offers
    .slice(0, mostOffers)
    .map((offer: unknown) => statement(offer, (said) => faultOfOffer(said, paid)));
  return read.find(({ why }) => why === null) ?? read[0] ?? null;
};

const statement = (value: unknown, faultOf: (said: JsonObject) => string | null): Statement => {
  const { format, signature } = isObject(value) ? value : {};
  const nothing = { signedBy: '', signature: '', transaction: null };
  if (format !== 'jws') return { ...nothing, why: 'Only statements in the format jws are read.' };
  if (typeof signature !== 'string' || signature.length > mostLength)
    return { ...nothing, why: 'It is no signature, or too long to keep.' };
  const jws = readJws(signature);
  if (jws === null) return { ...nothing, signature, why: 'It is not a compact JWS over a JSON object.' };
  const { payload, signedBy, why } = jws;
  const transaction = textIn(payload['transaction']);
  return { signedBy, signature, transaction, why: why ?? faultOf(payload) };
};

const isOther = (said: JsonObject, wanted: JsonObject): string | null => {
  const field = Object.keys(wanted).find((one) => said[one] !== wanted[one]);
  return field === undefined ? null : `Its ${field} is not that of this payment.`;
};

const faultOfOffer = (said: JsonObject, { terms, url, amount, payee, at }: PaidTerms): string | null => {
  const { scheme, network, asset } = isObject(terms['accepted']) ? terms['accepted'] : {};
  const fault = isOther(said, { version: 1, scheme, network, asset, payTo: payee, amount: String(amount) });
  const { validUntil } = said;
  if (fault !== null) return fault;
  if (!isSameResource(said, url)) return 'Its resourceUrl is not that of this payment.';
  return typeof validUntil === 'number' && validUntil > 0 && validUntil + leewaySeconds < at / 1_000
    ? 'It had ended before it was paid.'
    : null;
};

const faultOfReceipt = (said: JsonObject, { terms, url, payer, at }: PaidTerms): string | null => {
  const { network } = isObject(terms['accepted']) ? terms['accepted'] : {};
  const fault = isOther(said, { version: 1, network, payer });
  const { issuedAt } = said;
  if (fault !== null) return fault;
  if (!isSameResource(said, url)) return 'Its resourceUrl is not that of this payment.';
  return typeof issuedAt === 'number' && issuedAt + leewaySeconds >= at / 1_000
    ? null
    : 'It was issued before the payment was asked for.';
};

/** Same origin and path: middlewares give the URL with its query or without. */
const isSameResource = ({ resourceUrl }: JsonObject, url: string): boolean => {
  if (typeof resourceUrl !== 'string' || !URL.canParse(resourceUrl)) return false;
  const [said, asked] = [new URL(resourceUrl), new URL(url)];
  return said.host === asked.host && said.pathname === asked.pathname;
};
