// MPP: the HTTP authentication scheme "Payment", method "solana", intent "charge". When we pay the fee, we send the
// transaction and name it (push); with a fee payer on the seller's side, the seller gets the signed bytes (pull).
// https://paymentauth.org
import { z } from 'zod';
import type { Network, Offer } from '../../engine/ports.ts';
import { x402Networks } from '../../contract/treasury/networks.ts';
import { invariant } from '../../errors.ts';
import { decodeLoosely, decodeObject, encodeJson, isObject, type JsonObject } from '../../lib/base64-json.ts';
import { readChallenges, type Challenge } from './challenges.ts';
import { demandIn } from './demand.ts';
import { among, accountSchema, faultOf, memoSchema, says, tokenFields, unitsSchema } from './fields.ts';
import { faultOfSplits, splitsSchema } from './mpp-splits.ts';
import { isFault, readEach, unreadable, type Fault, type Market, type Protocol } from './protocol.ts';
import { faultOfTerms } from './terms.ts';
import { quoted } from './words.ts';
import { signatureIn, textIn } from './x402-settlement.ts';

const networks: Readonly<Record<Network, readonly [string, ...string[]]>> = {
  sandbox: ['mainnet', 'mainnet-beta', 'localnet'],
  mainnet: ['mainnet', 'mainnet-beta'],
  devnet: ['devnet'],
};

/** Headers that define the request: a seller that wants its credential in one of them is after something else. */
const notForCredentials =
  /^(host|connection|keep-alive|content-.*|transfer-encoding|upgrade|te|trailer|expect|cookie|proxy-.*)$/i;

const mostRequestLength = 16 * 1024;

/** Reads and pays MPP's offers on one network. A challenge that has expired by `market.now` is a fault. */
export const createMpp = (market: Market): Protocol => {
  const schemas = { parameters: parametersSchema(market.now), request: requestSchema(market) };
  return {
    dialect: 'mpp',
    read(response) {
      const challenges = readChallenges(response.header('www-authenticate') ?? '');
      const payments = challenges.filter(({ scheme }) => scheme === 'payment');
      return payments.length === 0
        ? null
        : readEach(payments, (one) => withDemand(market, one.parameters, readOffer(schemas, one)));
    },
    mcp: {
      read({ challenges }) {
        if (challenges === undefined) return null;
        if (!Array.isArray(challenges))
          return unreadable('challenges', `must be a list, not ${quoted(challenges)}`);
        return readEach(challenges, (one: unknown) => withDemand(market, one, readMcpOffer(schemas, one)));
      },
      proof: (...purchase) => ({ key: 'org.paymentauth/credential', value: payloadOf(...purchase) }),
    },
    credential: (...purchase) => {
      const value = payloadOf(...purchase);
      const header = isObject(value['challenge']) ? value['challenge']['header'] : undefined;
      return {
        name: typeof header === 'string' ? header : 'Authorization',
        value: `Payment ${encodeJson(value, 'base64url')}`,
      };
    },
    settlement: settlementIn,
  };
};

interface Schemas {
  parameters: ReturnType<typeof parametersSchema>;
  request: ReturnType<typeof requestSchema>;
}

const parametersSchema = (now: Market['now']) =>
  z.object({
    method: among(['solana']),
    intent: among(['charge']),
    id: z.string({ error: says('must be text') }).min(1, 'must not be empty'),
    realm: z.string({ error: says('must be text') }),
    request: z
      .string({ error: says('must be text') })
      .max(mostRequestLength, `must be at most ${mostRequestLength / 1024} KiB`),
    expires: z
      .string({ error: says('must be an ISO 8601 time') })
      .refine((text) => !Number.isNaN(timeIn(text)), { error: says('must be an ISO 8601 time') })
      .refine((text) => timeIn(text) > now(), { error: says('must lie ahead') })
      .optional(),
    header: z
      .string()
      .regex(/^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,100}$/, { error: says('must be the name of an HTTP header') })
      .refine((name) => !notForCredentials.test(name), { error: says('must be a header of its own') })
      .optional(),
  });

const dateAndTime = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d+)?(Z|[+-]\d{2}:\d{2})$/;

/** Unix milliseconds; NaN when it is no time of RFC 3339, which takes small letters and leap seconds. */
const timeIn = (text: string): number => {
  const upper = text.toUpperCase();
  return dateAndTime.test(upper) ? Date.parse(upper.replace(/:60(?=[.Z+-])/, ':59')) : NaN;
};

const requestSchema = ({ network, mint }: Market) => {
  const ours = among(networks[network]);
  return z.object({
    amount: unitsSchema,
    currency: among([mint, 'USDC']),
    recipient: accountSchema,
    externalId: memoSchema,
    methodDetails: z.object(
      {
        // A seller that names none means mainnet.
        network: network === 'devnet' ? ours : ours.nullish(),
        ...tokenFields,
        feePayer: z.boolean({ error: says('must be true or false') }).nullish(),
        feePayerKey: accountSchema.nullish(),
        splits: splitsSchema,
      },
      { error: says('must be an object') },
    ),
  });
};

const withDemand = ({ network }: Market, challenge: unknown, read: Offer | Fault): Offer | Fault => {
  if (!isFault(read) || !isObject(challenge)) return read;
  const { method, request } = challenge;
  const json = isObject(request) ? request : decodeLoosely(typeof request === 'string' ? request : '');
  const { amount, currency: asset, methodDetails } = json ?? {};
  const on = (isObject(methodDetails) ? methodDetails['network'] : null) ?? 'mainnet';
  const solana = networks[network].some((name) => name === on) ? x402Networks[network].v1 : on;
  return { ...read, ...demandIn({ network: method === 'solana' ? solana : method, asset, amount }) };
};

const readOffer = (schemas: Schemas, { parameters: challenge }: Challenge): Offer | Fault => {
  if (challenge === null) return { path: 'WWW-Authenticate', message: 'must be a list of challenges' };
  const parameters = schemas.parameters.safeParse(challenge);
  if (!parameters.success) return faultOf(parameters.error);
  const json = decodeObject(parameters.data.request, 'base64url');
  if (json === null) return { path: 'request', message: 'must be a JSON object in base64url' };
  return offerOf(schemas, challenge, json);
};

/** Among MCP servers a challenge is JSON, and so is its request. */
const readMcpOffer = (schemas: Schemas, challenge: unknown): Offer | Fault => {
  if (!isObject(challenge)) return { path: 'challenges', message: 'must be objects' };
  const { request, header: _, ...others } = challenge;
  if (!isObject(request)) return { path: 'request', message: `must be an object, not ${quoted(request)}` };
  const parameters = schemas.parameters.safeParse({ ...others, request: '' });
  return parameters.success ? offerOf(schemas, challenge, request) : faultOf(parameters.error);
};

const offerOf = (schemas: Schemas, challenge: JsonObject, json: JsonObject): Offer | Fault => {
  const request = schemas.request.safeParse({ methodDetails: {}, ...json });
  if (!request.success) return faultOf(request.error);
  const { amount, recipient: payee, externalId: memo, methodDetails } = request.data;
  const feePayer = methodDetails.feePayer === true ? methodDetails.feePayerKey : null;
  if (feePayer === undefined || (feePayer === null && methodDetails.feePayer === true))
    return { path: 'methodDetails.feePayerKey', message: 'must name the fee payer' };
  const terms = { challenge };
  const charge = { amount, payee, memo, splits: methodDetails.splits };
  const fault = faultOfTerms(terms) ?? faultOfSplits(charge);
  return fault ?? { dialect: 'mpp', ...charge, feePayer, invoice: null, terms };
};

const payloadOf = (
  ...[{ feePayer, terms }, { wire, txSignature }]: Parameters<Protocol['credential']>
): JsonObject => {
  const { challenge } = terms;
  invariant(isObject(challenge), 'MPP is paid with the challenge');
  invariant(feePayer === null ? txSignature !== null : wire.length > 0, 'MPP is paid with a transaction');
  const payload =
    feePayer === null
      ? { type: 'signature', signature: txSignature }
      : { type: 'transaction', transaction: Buffer.from(wire).toString('base64') };
  return { challenge, payload };
};

const settlementIn: Protocol['settlement'] = (response) => {
  const { status, reference } = decodeLoosely(response.header('payment-receipt') ?? '') ?? {};
  return {
    success: status === 'success' ? true : null,
    txSignature: signatureIn(reference),
    error: response.status < 400 ? null : textIn(response.json?.['detail']),
  };
};
