// A request as it goes to the server: offered to be paid for, repeated with a payment, and told apart from others.
import { createHash } from 'node:crypto';
import canonicalize from 'canonicalize';
import type { JSONRPCRequest } from '@modelcontextprotocol/server';
import { isObject, isPayable, type Demand, type JsonObject } from './demand.ts';

/** What pays, as the treasury tells it. */
export interface Proof {
  key: string;
  value: JsonObject;
}

const capabilities = 'io.modelcontextprotocol/clientCapabilities';

/** Whether it is of a revision in which each request says what its client can do. */
export const isModern = ({ params }: JSONRPCRequest): boolean => isObject(params?._meta?.[capabilities]);

/** A server that knows the extension of x402 asks for payment only where its client says that it can pay. */
export const offeringToPay = (request: JSONRPCRequest): JSONRPCRequest => {
  const known = request.params?._meta?.[capabilities];
  if (!isPayable(request.method) || !isObject(known)) return request;
  const extensions = isObject(known['extensions']) ? known['extensions'] : {};
  const told = { ...known, extensions: { 'org.x402/payment': {}, ...extensions } };
  return withMeta(request, { [capabilities]: told });
};

/** The same request under an id of its own, with the payment. */
export const paidWith = (
  request: JSONRPCRequest,
  id: string,
  { key, value }: Proof,
  travelsAs: Demand['travelsAs'],
): JSONRPCRequest => {
  const payment = travelsAs === 'object' ? value : Buffer.from(JSON.stringify(value)).toString('base64');
  return { ...withMeta(request, { [key]: payment }), id };
};

const withMeta = (request: JSONRPCRequest, more: JsonObject): JSONRPCRequest => ({
  ...request,
  params: { ...request.params, _meta: { ...request.params?._meta, ...more } },
});

/** SHA-256, in hex, of what is asked: equal requests buy the same. */
export const fingerprintOf = ({ method, params = {} }: JSONRPCRequest): string => {
  const { _meta: _, ...asked } = params;
  return createHash('sha256')
    .update(canonicalize({ method, params: asked }) ?? '')
    .digest('hex');
};
