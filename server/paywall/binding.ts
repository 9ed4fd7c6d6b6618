// An invoice belongs to one request, to the byte.
import type { RequestPrint } from './dialects/dialect.ts';
import { refusal, type Refusal } from './refusal.ts';
import type { Invoice } from './types.ts';

/** Null when the invoice was issued for this request; undefined stands for an invoice that the store does not know. */
export const checkBinding = (invoice: Invoice | undefined, print: RequestPrint): Refusal | null => {
  if (invoice === undefined)
    return refusal('unknown_invoice', 'The invoice was not issued here, or ended long ago');
  const differs = (['method', 'url', 'bodySha256'] as const).find((part) => invoice[part] !== print[part]);
  if (differs === undefined) return null;
  const part = { method: 'method', url: 'URL', bodySha256: 'body' }[differs];
  return refusal('wrong_request', `The invoice was issued for a request with another ${part}`);
};
