// The parts of every dialect that a paywall sells in.
import type { Refusal } from '../refusal.ts';
import type { Asked, Invoice, Payment } from '../types.ts';

/** The names of an answer's headers, in lower case, and their values. */
export type Headers = Readonly<Record<string, string>>;

/** The request that an invoice is bound to. */
export type RequestPrint = Pick<Invoice, 'method' | 'url' | 'bodySha256'>;

/** A request, with what invoices are compared with. */
export interface Presented {
  asked: Asked;
  print: RequestPrint;
  /** Whether its client hung up. */
  isGone: () => boolean;
}

/** The terms of one 402, the same in all dialects. */
export interface Quote {
  invoice: Invoice;
  asked: Asked;
  /** The first refusal's sentence, or how to pay. */
  message: string;
}

/** A dialect's part of a 402. */
export interface Offer {
  headers?: Headers;
  body?: Readonly<Record<string, unknown>>;
}

export type Verdict =
  | { granted: Payment; headers: Headers }
  | { refused: Refusal }
  /** The chain does not show the payment yet; nothing is used up, and the same payment may be presented again. */
  | { pending: Refusal; invoice: string | null }
  /** Nobody could say whether it was settled; the same payment may be presented again. */
  | { unavailable: string };

export interface Dialect {
  /** The credential of a payment that the request carries in this dialect; null for none. */
  credential(header: Asked['header']): string | null;
  /** Null when the dialect is not spoken at the moment. */
  offer(quote: Quote): Offer | null | Promise<Offer | null>;
  /** @throws AppError `chain_unreachable` when the chain cannot be asked; nothing is used up then */
  verify(credential: string, presented: Presented): Promise<Verdict>;
}
