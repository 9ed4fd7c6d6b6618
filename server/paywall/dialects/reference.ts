// The memo that ties a transaction to its invoice without naming it.
import { hash } from 'node:crypto';

/**
 * A digest of an invoice's id in this protocol; versions of x402 share one word for it. Transactions are public on the chain, and the id is known to the payer alone: the memo
 * shows that they belong together, and nobody else can show the payment or take the invoice.
 */
export const referenceOf = (protocol: string, id: string): string =>
  hash('sha256', `agent-treasury ${protocol} v1\n${id}`, 'base64url').slice(0, 32);
