// x402 version 2: a 402 with the header PAYMENT-REQUIRED, paid with PAYMENT-SIGNATURE.
// https://github.com/coinbase/x402/blob/main/specs/transports-v2/http.md
import { createHash } from 'node:crypto';
import type { Offer } from '../../engine/ports.ts';
import { invariant } from '../../errors.ts';
import { decodeObject, encodeJson, isObject, type JsonObject } from '../../lib/base64-json.ts';
import { createEntryReader } from './exact-entry.ts';
import {
  isFault,
  readEach,
  unreadable,
  x402Meta,
  type Fault,
  type Market,
  type Protocol,
} from './protocol.ts';
import { faultOfTerms } from './terms.ts';
import { quoted } from './words.ts';
import { readX402Settlement, textIn } from './x402-settlement.ts';

interface X402V2 extends Protocol {
  /** One entry of `accepts`, with its resource. */
  offer(entry: unknown, resource: JsonObject, extensions: JsonObject | null): Offer | Fault;
}

export const createX402V2 = (market: Market): X402V2 => {
  const readEntry = createEntryReader(market, 'v2');

  const offer: X402V2['offer'] = (accepted, resource, extensions) => {
    const entry = readEntry(accepted);
    if (isFault(entry)) return entry;
    const terms = { resource, accepted, ...(extensions === null ? {} : { extensions }) };
    return faultOfTerms(terms) ?? { dialect: 'x402-v2', ...entry, invoice: null, terms };
  };

  /** @param asked the resource, where the seller does not name it */
  const read = ({ x402Version, accepts, extensions, ...named }: JsonObject, asked: JsonObject) => {
    if (x402Version !== 2) return unreadable('x402Version', `must be 2, not ${quoted(x402Version)}`);
    const resource = isObject(named['resource']) ? named['resource'] : asked;
    if (!Array.isArray(accepts)) return unreadable('accepts', `must be a list, not ${quoted(accepts)}`);
    if (extensions !== undefined && extensions !== null && !isObject(extensions))
      return unreadable('extensions', `must be an object, not ${quoted(extensions)}`);
    return readEach(accepts, (entry: unknown) => offer(entry, resource, extensions ?? null));
  };

  return {
    dialect: 'x402-v2',
    offer,
    read(response, url) {
      const header = response.header('payment-required');
      // Some sellers send it in the body alone.
      if (header === null) return response.json?.['x402Version'] === 2 ? read(response.json, { url }) : null;
      const required = decodeObject(header, 'base64');
      return required === null
        ? unreadable('PAYMENT-REQUIRED', 'must be a JSON object in base64')
        : read(required, { url });
    },
    mcp: {
      read: (demand, resource) => (demand['x402Version'] === 2 ? read(demand, resource) : null),
      proof: (...purchase) => ({ key: x402Meta, value: payloadOf(...purchase) }),
    },
    credential: (...purchase) => ({
      name: 'PAYMENT-SIGNATURE',
      value: encodeJson(payloadOf(...purchase), 'base64'),
    }),
    settlement(response) {
      const settlement = readX402Settlement(response);
      if (settlement.error !== null || response.status < 400) return settlement;
      const required = decodeObject(response.header('payment-required') ?? '', 'base64');
      return { ...settlement, error: textIn(required?.['error']) };
    },
  };
};

const payloadOf = (...[{ terms }, { paymentId, wire }]: Parameters<Protocol['credential']>): JsonObject => {
  const { resource, accepted, extensions } = terms;
  invariant(isObject(accepted) && wire.length > 0, 'x402 is paid with an accepted entry and signed bytes');
  return {
    x402Version: 2,
    resource,
    accepted,
    payload: { transaction: Buffer.from(wire).toString('base64') },
    ...(isObject(extensions) ? { extensions: withPaymentId(extensions, paymentId) } : {}),
  };
};

const extensionName = 'payment-identifier';

/** Adds our payment id when the seller offered the extension, so that it knows a payment shown again. */
const withPaymentId = (extensions: JsonObject, paymentId: string): JsonObject => {
  const extension = extensions[extensionName];
  if (!isObject(extension) || !isObject(extension['info'])) return extensions;
  const info = { ...extension['info'], id: identifierOf(paymentId) };
  return { ...extensions, [extensionName]: { ...extension, info } };
};

/** 16 to 128 letters, digits, `_` and `-`; always the same for one payment. */
const identifierOf = (paymentId: string): string =>
  /^[A-Za-z0-9_-]{1,128}$/.test(paymentId)
    ? paymentId.padEnd(16, '_')
    : createHash('sha256').update(paymentId).digest('hex');
