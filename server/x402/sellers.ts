// Paid APIs of every protocol: sends requests, reads what sellers want, and presents payments.
import { brotliDecompressSync, gunzipSync, inflateSync, zstdDecompressSync } from 'node:zlib';
import type {
  Credential,
  Demand,
  Network,
  Offer,
  SellerAnswer,
  SellerRequest,
  Sellers,
} from '../engine/ports.ts';
import { x402Networks } from '../contract/treasury/networks.ts';
import { dialects } from '../contract/payments/dialects.ts';
import { AppError, fieldError, invariant } from '../errors.ts';
import { isObject, parseObject, type JsonObject } from '../lib/base64-json.ts';
import { isFault, type Fault, type SellerResponse, type Market, type Protocol } from './dialects/protocol.ts';
import { unreadablePrice } from './dialects/demand.ts';
import { createProtocols } from './dialects/protocols.ts';
import { wantsReceiptAgain } from './dialects/receipt.ts';
import { readSignIn, signInHeaders } from './dialects/sign-in-with-x.ts';
import { readStatements } from './dialects/signed-statements.ts';
import { textIn } from './dialects/x402-settlement.ts';
import type { Outbound } from './outbound.ts';

interface SellersDeps {
  network: Network;
  /** The USDC mint of that network. */
  mint: string;
  outbound: Outbound;
  now?: () => number;
}

const mostReasons = 5;
const mostRefusalBytes = 1024 * 1024;
const decoders = new Map<string, (bytes: Buffer, limit: { maxOutputLength: number }) => Buffer>([
  ['gzip', gunzipSync],
  ['x-gzip', gunzipSync],
  ['deflate', inflateSync],
  ['br', brotliDecompressSync],
  ['zstd', zstdDecompressSync],
]);
const mostCodings = 3;

export const createSellers = ({ network, mint, outbound, now = Date.now }: SellersDeps): Sellers => {
  const market: Market = { network, mint, now };
  const protocols = createProtocols(market);
  const inOrder: readonly Protocol[] = dialects.map((dialect) => protocols[dialect]);
  const isOurs = (demand: Demand): boolean =>
    Object.values(x402Networks[network]).includes(demand.network) && [mint, 'USDC'].includes(demand.asset);

  return {
    ask({ url, target, method, headers, body }, { payment, goods, signal } = {}) {
      const request = {
        url,
        ...(target === undefined ? {} : { target }),
        method,
        ...(body === null ? {} : { body }),
        ...(goods === undefined ? {} : { goods }),
        ...(signal === undefined ? {} : { signal }),
      };
      if (payment === undefined) return outbound({ ...request, headers });
      const { credential, beforeSending } = payment;
      return outbound({ ...request, headers: withCredential(headers, credential), beforeSending });
    },

    offers(answer, url) {
      const response = responseIn(answer);
      return offersIn(inOrder, ({ read }) => read(response, url), isOurs);
    },

    demanded: (demand, resource) =>
      offersIn(inOrder, ({ mcp }) => mcp?.read(demand, { url: resource }) ?? null, isOurs),

    offerOf(entry, resource, extensions = null) {
      if (!isObject(entry)) throw fieldError('x402', 'must be an entry of the seller’s accepts');
      const offer = Object.hasOwn(entry, 'amount')
        ? protocols['x402-v2'].offer(entry, { url: resource }, extensions)
        : protocols['x402-v1'].offer(entry);
      if (!isFault(offer)) return offer;
      const { path, message } = offer;
      throw fieldError(path === '' ? 'x402' : `x402.${path}`, message);
    },

    signIn: (answer, request) => readSignIn(market, responseIn(answer), request),
    signInHeaders,

    credential: ({ dialect, ...purchase }, proof) => protocols[dialect].credential(purchase, proof),

    mcpProof({ dialect, ...purchase }, proof) {
      const { mcp } = protocols[dialect];
      invariant(mcp !== undefined, `${dialect} has a form for MCP servers`);
      return mcp.proof(purchase, proof);
    },

    settlement(dialect, answer) {
      const response = responseIn(answer);
      const settlement = protocols[dialect].settlement(response);
      if (settlement.error !== null || response.status < 400) return settlement;
      return { ...settlement, error: errorIn(response.json) };
    },

    statements: (paid, answer) => readStatements(paid, responseIn(answer)),

    wantsRetry: (answer) => wantsReceiptAgain(responseIn(answer)),
  };
};

/**
 * @throws AppError `not_available` that says why there is no offer that we can pay. Where nothing was asked for that is
 * ours, `details.wanted` is what was asked for first
 */
const offersIn = (
  protocols: readonly Protocol[],
  read: (protocol: Protocol) => ReturnType<Protocol['read']>,
  isOurs: (demand: Demand) => boolean,
): Offer[] => {
  const offers: Offer[] = [];
  const reasons: string[] = [];
  const demands: Demand[] = [];
  const spoken: string[] = [];
  for (const protocol of protocols) {
    const reading = read(protocol);
    if (reading === null) continue;
    const { dialect } = protocol;
    spoken.push(dialect);
    offers.push(...reading.offers);
    demands.push(...reading.faults.flatMap(({ demand = [] }) => demand));
    reasons.push(...reading.faults.map((fault) => `${dialect}: ${textOf(fault)}`));
    if (reading.offers.length + reading.faults.length === 0) reasons.push(`${dialect}: asks for nothing`);
  }
  if (offers.length > 0) return offers;
  const wanted = demands.some(isOurs) ? undefined : demands.find(({ price }) => price !== unreadablePrice);
  throw new AppError('not_available', `${complaintOf([...new Set(reasons)])} Nothing was paid.`, {
    dialects: spoken,
    ...(wanted === undefined ? {} : { wanted }),
  });
};

const responseIn = ({ status, headers, bytes }: SellerAnswer): SellerResponse => {
  let json: JsonObject | null | undefined;
  return {
    status,
    header: (name) => headers[name] || null,
    get json() {
      if (json === undefined)
        json = parseObject(decoded(bytes, headers['content-encoding']).toString('utf8'));
      return json;
    },
  };
};

/**
 * A request that was passed on may have asked for compression. Codings are named in the order in which they were applied.
 * An answer that cannot be read asks for nothing.
 */
const decoded = (bytes: Buffer, encoding = ''): Buffer => {
  const codings = encoding
    .toLowerCase()
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');
  if (codings.length > mostCodings) return Buffer.alloc(0);
  try {
    return codings.reduceRight(
      (coded, name) => decoders.get(name)?.(coded, { maxOutputLength: mostRefusalBytes }) ?? coded,
      bytes,
    );
  } catch {
    return Buffer.alloc(0);
  }
};

/** The header that pays replaces any header of the same name, in whatever case. */
const withCredential = (
  headers: SellerRequest['headers'],
  { name, value }: Credential,
): SellerRequest['headers'] => {
  const others = Object.entries(headers).filter(([other]) => other.toLowerCase() !== name.toLowerCase());
  return Object.fromEntries([...others, [name, value]]);
};

const textOf = ({ path, message }: Fault): string => `${path} ${message}`.trim();

const complaintOf = (reasons: readonly string[]): string => {
  if (reasons.length === 0)
    return 'The seller’s 402 names no way to pay that this treasury knows (x402, MPP, or amount, currency and recipient).';
  const others = reasons.length - mostReasons;
  const more = others > 0 ? `; and ${others} more` : '';
  return `The seller’s 402 cannot be paid from here (${reasons.slice(0, mostReasons).join('; ')}${more}).`;
};

/** The error text in a refusal's body: `error` in x402 and in our protocol, `detail` and `title` in RFC 9457. */
const errorIn = (json: JsonObject | null): string | null => {
  const { error, detail, message, title } = json ?? {};
  return (
    textIn(isObject(error) ? error['message'] : error) ?? textIn(detail) ?? textIn(message) ?? textIn(title)
  );
};
