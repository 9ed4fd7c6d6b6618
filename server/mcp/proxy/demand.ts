// An MCP server's demand for payment, in the exact forms of x402 and MPP. Anything else is an ordinary answer, also one
// whose text quotes a demand.
import type { JSONRPCResponse } from '@modelcontextprotocol/server';

export type JsonObject = Readonly<Record<string, unknown>>;

/** The fields that are needed to pay, as the server wrote them. */
export interface Demand {
  fields: JsonObject;
  /** How a payment of it travels in `_meta`. Old servers of x402 read the text of its HTTP header. */
  travelsAs: 'object' | 'text';
}

/** The requests that can cost money. */
const payable: readonly string[] = ['tools/call', 'resources/read', 'prompts/get'];
export const isPayable = (method: string): boolean => payable.includes(method);

/** More text than this is no demand: the treasury would not read it either. */
const mostTextLength = 60_000;

/** https://paymentauth.org: 32042 alone is not enough, since MCP itself uses it to ask for a visit to a page. */
const [paymentRequired, paymentRefused] = [-32042, -32043];

/** @param method of the request that it answers. Null: the response asks for no payment */
export const demandIn = (method: string, response: JSONRPCResponse): Demand | null => {
  if (!isPayable(method)) return null;
  if ('error' in response)
    return response.error.code === paymentRequired ? challengesIn(response.error.data) : null;
  const { resultType, paymentRequired: required, _meta: meta, ...result } = response.result;
  if (resultType === 'payment_required') return x402In(required, 'object');
  if (isObject(meta) && 'org.paymentauth/payment-required' in meta)
    return challengesIn(meta['org.paymentauth/payment-required']);
  return method === 'tools/call' && result['isError'] === true ? inToolResult(result, meta) : null;
};

/** Whether it says again, or in other words, that the request was not paid. */
export const refusesPayment = (method: string, response: JSONRPCResponse): boolean =>
  ('error' in response && response.error.code === paymentRefused) || demandIn(method, response) !== null;

/**
 * Whether the server has delivered what it was paid for. An error without a receipt may be one in which it took no money:
 * the same payment is then shown to it again.
 */
export const delivers = (response: JSONRPCResponse): boolean => {
  if ('error' in response) return false;
  const { isError, _meta: meta } = response.result as { isError?: unknown; _meta?: JsonObject };
  if (isError !== true) return true;
  const settled = meta?.['x402/payment-response'];
  return (isObject(settled) && settled['success'] === true) || isObject(meta?.['org.paymentauth/receipt']);
};

const inToolResult = ({ structuredContent, content }: JsonObject, meta: unknown): Demand | null => {
  const old = isObject(meta) ? x402In(meta['x402/error'], 'text') : null;
  return old ?? x402In(structuredContent, 'object') ?? x402In(onlyText(content), 'object');
};

/** The JSON of a result that is one text and nothing else. */
const onlyText = (content: unknown): unknown => {
  if (!Array.isArray(content) || content.length !== 1) return null;
  const [{ type, text }] = content as [{ type?: unknown; text?: unknown }];
  if (type !== 'text' || typeof text !== 'string' || text.length > mostTextLength) return null;
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
};

const x402In = (value: unknown, travelsAs: Demand['travelsAs']): Demand | null => {
  if (!isObject(value) || typeof value['x402Version'] !== 'number' || !Array.isArray(value['accepts']))
    return null;
  const { x402Version, resource, accepts, extensions } = value;
  return { fields: given({ x402Version, resource, accepts, extensions }), travelsAs };
};

const challengesIn = (data: unknown): Demand | null => {
  const challenges = isObject(data) ? data['challenges'] : undefined;
  return Array.isArray(challenges) && challenges.length > 0
    ? { fields: { challenges }, travelsAs: 'object' }
    : null;
};

const given = (fields: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));

export const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
