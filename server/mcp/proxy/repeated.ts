// A request as it goes to the server: offered to be paid for, repeated with a payment, and told apart from others.
import { createHash } from 'node:crypto';
import canonicalize from 'canonicalize';
import { isPayable, type Demand } from './demand.ts';
import { exactly, isObject, withId, withMember, type JsonObject, type Request } from './message.ts';

/** What pays, as the treasury states it. */
export interface Proof {
  key: string;
  value: JsonObject;
}

const capabilities = 'io.modelcontextprotocol/clientCapabilities';
const extension = 'org.x402/payment';

/** Whether it is of a revision in which each request says what its client can do. */
export const isModern = ({ params }: Request): boolean => isObject(metaOf(params)[capabilities]);

/** A request's `_meta`. */
export const metaOf = ({ _meta: meta }: JsonObject): JsonObject => (isObject(meta) ? meta : {});

/**
 * A server that knows the extension of x402 asks for payment only where its client says that it can pay.
 * @returns the text of the request, as it came where it cannot cost money or says so itself
 */
export const offeringToPay = (request: Request): string => {
  const known = metaOf(request.params)[capabilities];
  if (!isPayable(request) || !isObject(known)) return request.text;
  const { extensions } = known;
  if (isObject(extensions) && extension in extensions) return request.text;
  return withMember(request.text, ['params', '_meta', capabilities, 'extensions', extension], {});
};

/** The same request under an id of its own, with the payment. @param id as JSON */
export const paidWith = (
  request: Request,
  id: string,
  { key, value }: Proof,
  travelsAs: Demand['travelsAs'],
): string => {
  const payment = travelsAs === 'object' ? value : Buffer.from(JSON.stringify(value)).toString('base64');
  return withMember(withId(request.text, id), ['params', '_meta', key], payment);
};

/** SHA-256, in hex, of what is asked: equal requests buy the same. @throws RangeError for one that is nested too deep */
export const fingerprintOf = ({ text, method }: Request): string => {
  const { params = {} } = exactly(text) as { params?: JsonObject };
  const { _meta: _, ...asked } = params;
  return createHash('sha256')
    .update(canonicalize({ method, params: asked }) ?? '')
    .digest('hex');
};
