// x402 version 1: a 402 whose body says so, paid with X-PAYMENT.
// https://github.com/coinbase/x402/blob/main/specs/transports-v1/http.md
import type { Offer } from '../../engine/ports.ts';
import { invariant } from '../../errors.ts';
import { encodeJson, type JsonObject } from '../../lib/base64-json.ts';
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
import { quoted } from './words.ts';
import { readX402Settlement } from './x402-settlement.ts';

interface X402V1 extends Protocol {
  /** One entry of `accepts`. */
  offer(entry: unknown): Offer | Fault;
}

export const createX402V1 = (market: Market): X402V1 => {
  const readEntry = createEntryReader(market, 'v1');
  const network = market.network === 'devnet' ? 'solana-devnet' : 'solana';

  const offer: X402V1['offer'] = (raw) => {
    const entry = readEntry(raw);
    if (isFault(entry)) return entry;
    return {
      dialect: 'x402-v1',
      ...entry,
      invoice: null,
      terms: { scheme: 'exact', network, x402Version: 1 },
    };
  };

  const read = (json: JsonObject | null) => {
    if (json?.['x402Version'] !== 1) return null;
    const { accepts } = json;
    if (!Array.isArray(accepts)) return unreadable('accepts', `must be a list, not ${quoted(accepts)}`);
    return readEach(accepts, offer);
  };

  return {
    dialect: 'x402-v1',
    offer,
    read: ({ json }) => read(json),
    mcp: { read, proof: (...purchase) => ({ key: x402Meta, value: payloadOf(...purchase) }) },
    credential: (...purchase) => ({
      name: 'X-PAYMENT',
      value: encodeJson(payloadOf(...purchase), 'base64'),
    }),
    settlement: readX402Settlement,
  };
};

const payloadOf = (...[{ terms }, { wire }]: Parameters<Protocol['credential']>): JsonObject => {
  const { x402Version, scheme, network } = terms;
  invariant(x402Version === 1 && wire.length > 0, 'x402 is paid with its terms and signed bytes');
  return { x402Version, scheme, network, payload: { transaction: Buffer.from(wire).toString('base64') } };
};
