// The part of a seller's store with which invoices are signed instead of kept; a store of one's own may do without it.

/** What the invoices of one store are signed with. Two stores never share a key: each would grant the same payment. */
export interface InvoiceSecret {
  /** 32 random bytes. */
  key: Uint8Array;
  /** The keys that were in force before, with the machine's time at which each was replaced. */
  former: readonly { key: Uint8Array; replacedAt: number }[];
  /** When an older copy was put back; a payment without an invoice that was made before is refused. */
  restoredAt?: number | undefined;
}

/** Under which name a seller's prices and requests are kept. */
export interface Sold {
  service: string | null;
  route: string | null;
}

/** A price that was asked for: null for that of a function. */
export interface Asking {
  amount: bigint | null;
  recipient: string;
}

export interface InvoiceStore {
  /**
   * With it, an invoice is signed instead of kept; without it, `saveInvoice` keeps each. Asked for with each payment and
   * some ten times a second, so that all processes notice another key.
   */
  secret?(): InvoiceSecret | Promise<InvoiceSecret>;
  /** Wanted with `secret`, or no former price is paid: keeps that this is asked for now. Called once a minute while it is. */
  keepAsking?(sold: Sold, asking: Asking): void | Promise<void>;
  /** What was asked for since that time of the machine. */
  findAsking?(sold: Sold, since: number): readonly Asking[] | Promise<readonly Asking[]>;
  /** Counts an offer that was made, for the share of them that is paid. A few may be lost. */
  countOffer?(sold: Sold): void;
}
