// An MCP server's demand for payment, in the exact forms of x402 and MPP. Anything else is an ordinary answer, also one
// whose text quotes a demand.
import { isObject, type JsonObject, type Request } from './message.ts';
import { jsonIn } from '../../lib/base64-json.ts';

/** The fields that are needed to pay, as the server wrote them. */
export interface Demand {
  fields: JsonObject;
  /** How a payment of it travels in `_meta`. Old servers of x402 read the text of its HTTP header. */
  travelsAs: 'object' | 'text';
}

/** The requests that can cost money. */
const payable: readonly string[] = ['tools/call', 'resources/read', 'prompts/get'];
export const isPayable = ({ method, said: { params } }: Request): boolean =>
  payable.includes(method) && (params === undefined || isObject(params));

/** More text than this is no demand: the treasury would not read it either. */
const mostTextLength = 60_000;

/** https://paymentauth.org: 32042 alone is not enough, since MCP itself uses it to ask for a visit to a page. */
const [paymentRequired, paymentRefused] = [-32042, -32043];

/** @param request that it answers. Null: the response asks for no payment */
export const demandIn = (request: Request, { error, result: answer }: JsonObject): Demand | null => {
  if (!isPayable(request)) return null;
  if (isObject(error)) return error['code'] === paymentRequired ? challengesIn(error['data']) : null;
  if (!isObject(answer)) return null;
  const { resultType, paymentRequired: required, _meta: meta, ...result } = answer;
  if (resultType === 'payment_required') return x402In(required, 'object');
  if (isObject(meta) && 'org.paymentauth/payment-required' in meta)
    return challengesIn(meta['org.paymentauth/payment-required']);
  return request.method === 'tools/call' && result['isError'] === true ? inToolResult(result, meta) : null;
};

/** Whether it says again, or in other words, that the request was not paid. */
export const refusesPayment = (request: Request, response: JsonObject): boolean =>
  (isObject(response['error']) && response['error']['code'] === paymentRefused) ||
  demandIn(request, response) !== null;

/**
 * Whether the server has delivered what it was paid for. An error without a receipt may be one in which it took no money:
 * the same payment is then shown to it again.
 */
export const delivers = ({ error = null, result }: JsonObject): boolean => {
  if (error !== null) return false;
  if (!isObject(result) || result['isError'] !== true) return true;
  const { _meta: meta } = result;
  if (!isObject(meta)) return false;
  const settled = meta['x402/payment-response'];
  return (isObject(settled) && settled['success'] === true) || isObject(meta['org.paymentauth/receipt']);
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
  return jsonIn(text);
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
