// An invoice belongs to one request of one service, to the byte.
import { hash } from 'node:crypto';
import type { RequestPrint } from './dialects/dialect.ts';
import { refusal } from './refusal.ts';
import type { Asked } from './types.ts';

/** What tells sellers on one store apart, and the names of the headers that a price follows from. */
export interface Bound {
  service?: string | undefined;
  origin?: string | undefined;
  boundHeaders: readonly string[];
}

// Asking is free, and a store without a secret keeps the URL of each answer for a day.
const longestUrl = 200;

/** What an invoice for this request is bound to. */
export const printOf = (
  { service, origin, boundHeaders }: Bound,
  { method, url, header, body }: Asked,
): RequestPrint => {
  const bodySha256 = sha256(body);
  const more = [service ?? null, origin ?? null, boundHeaders.map((name) => [name, header(name)])];
  const isPlain = service === undefined && origin === undefined && boundHeaders.length === 0;
  return {
    method,
    url: url.length <= longestUrl ? url : `sha256:${sha256(url)}`,
    bodySha256: isPlain ? bodySha256 : sha256(JSON.stringify([bodySha256, ...more])),
  };
};

const sha256 = (data: string | Uint8Array): string => hash('sha256', data);

export const wrongRequest = refusal(
  'wrong_request',
  'The invoice was not issued here for a request with this method, URL, body, service and bound headers',
);
