// Sellers of language models, which ask for payment with a 402: a request goes on to them as through the proxy, and is paid
// under the limits of payments. By whatever way the treasury asks there for an agent, its policy has to allow the model.
import { fieldError } from '../../errors.ts';
import { formatUsdc } from '../../money.ts';
import type { EngineContext } from '../calls/call.ts';
import type { LanguageModels, Meter, ModelAsked, ModelCall, ProxyCall, SellerRequest } from '../ports.ts';
import { refuseModel } from './list.ts';
import { shortened } from './running.ts';
import { beating } from './waiting.ts';
import { createWholeReader } from './pass-on.ts';
import { objectIn, readJson } from './wire/json.ts';
import { costOf } from './wire/price.ts';
import { createStreamReader } from './wire/stream-reader.ts';
import { paths, wires, type Wire } from './wire/wires.ts';

/** Pays for one request to a seller, and hands its answer to the reader. */
export type Proxy = (call: ProxyCall) => Promise<void>;

interface Sale {
  request: SellerRequest;
  streams: boolean;
}

/**
 * The request as it goes on, where it names a seller's model; null where it names none.
 * @param path below the seller's address
 * @throws AppError `bad_request` or `too_large` as `readJson`, `not_found` as `LanguageModels.seller`
 */
export const saleOf = (
  languageModels: Pick<LanguageModels, 'suppliers' | 'seller'>,
  { body, headers }: Pick<ModelAsked, 'body' | 'headers'>,
  path: string,
): Sale | null => {
  // Most treasuries have no seller, and a body is read once.
  if (!languageModels.suppliers().some(({ kind }) => kind === 'seller')) return null;
  const given = readJson(body);
  const { model: name, stream } = given;
  const found = typeof name === 'string' ? languageModels.seller(name) : null;
  if (found === null) return null;
  const request = {
    url: new URL(`${found.supplier.baseUrl}${path}`).href,
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json' },
    body: JSON.stringify({ ...given, model: found.modelId }),
  };
  return { request, streams: stream === true };
};

/** @throws AppError as a request through the proxy was refused */
export const sell = async (
  proxy: Proxy,
  { request, streams }: Sale,
  { caller, reader, gone, idempotencyKey: key }: ModelCall,
): Promise<void> => {
  const beat = beating(reader, streams);
  const begin: ProxyCall['reader']['begin'] = ({ status, headers, payment }) => {
    clearInterval(beat);
    reader.begin({ status, headers, requestId: payment?.paymentId ?? null, loweredTo: null });
  };
  try {
    await proxy({ caller, request, key, gone, maxAmount: undefined, reader: { ...reader, begin } });
  } finally {
    clearInterval(beat);
  }
};

/** The owner’s seller at this address. */
const sellerAt = ({ modelSuppliers }: Pick<EngineContext['store'], 'modelSuppliers'>, origin: string) =>
  modelSuppliers.list().find(({ kind, baseUrl }) => kind === 'seller' && new URL(baseUrl).origin === origin);

/** The API of a request to this path. */
const wireAt = (pathname: string): Wire | undefined =>
  wires.find((wire) => pathname.replace(/\/$/, '').endsWith(paths[wire]));

const mostMeteredBytes = 4 * 1024 * 1024;

/**
 * Returns what reads the usage out of the answer to a purchase, null where it asks no model of a seller of the owner’s. The
 * usage changes no price: it is kept beside the payment, with what it is worth by the price list.
 */
const meterSold =
  (store: Pick<EngineContext['store'], 'modelSuppliers'>, models: LanguageModels) =>
  ({ url, body }: Pick<SellerRequest, 'url' | 'body'>): Meter | null => {
    const { origin, pathname } = new URL(url);
    const wire = wireAt(pathname);
    if (wire === undefined || body === null || sellerAt(store, origin) === undefined) return null;
    const { model, stream } = objectIn(Buffer.from(body).toString()) ?? {};
    if (typeof model !== 'string') return null;
    const reader =
      stream === true ? createStreamReader(wire, false) : createWholeReader(wire, mostMeteredBytes);
    let isBroken = false;
    const read = (work: () => unknown): void => {
      try {
        if (!isBroken) work();
      } catch {
        isBroken = true;
      }
    };
    return {
      read: (piece) => read(() => reader.read(piece)),
      async used() {
        read(() => reader.end());
        const { usage, model: answeredModel } = reader.facts();
        if (isBroken || usage === null) return null;
        await models.ready();
        const prices = models.listed(model);
        const { input: inputTokens, cachedInput: cachedInputTokens, output: outputTokens } = usage;
        const worth = prices && formatUsdc(costOf({ ...usage, costMicros: null }, prices));
        const names = { model: shortened(model) ?? '', answeredModel: shortened(answeredModel) };
        return { ...names, inputTokens, cachedInputTokens, outputTokens, worth };
      },
    };
  };

/**
 * Returns the check of a purchase at the origin of a seller of the owner’s: the policy has to allow its model.
 * It throws AppError `model_not_allowed`; `bad_request` for a body that does not say its model for certain
 */
const refuseSoldModel =
  (context: Pick<EngineContext, 'store' | 'calendar' | 'time'>) =>
  (
    { agentId, keyId }: { agentId: string; keyId: string | null },
    { url, body }: Pick<SellerRequest, 'url' | 'body'>,
  ): void => {
    // The owner may buy any.
    if (keyId === null || body === null || body.length === 0) return;
    const { origin, pathname } = new URL(url);
    const seller = sellerAt(context.store, origin);
    if (seller === undefined) return;
    const given = readJson(typeof body === 'string' ? Buffer.from(body) : body);
    // Some servers read the names of fields in any case.
    const [name, more] = Object.keys(given).filter((one) => one.toLowerCase() === 'model');
    // Without a name, a seller takes a model of its own choice.
    if (name === undefined && wireAt(pathname) === undefined) return;
    const { model } = given;
    if (typeof model !== 'string' || more !== undefined) throw fieldError('model', 'must name one model');
    refuseModel(context, { agentId, keyId }, seller, model);
  };

/** What every purchase is asked about language models, by whatever way it comes. */
export const soldModels = (context: EngineContext, models: LanguageModels) => ({
  refuseSold: refuseSoldModel(context),
  meterSold: meterSold(context.store, models),
});
