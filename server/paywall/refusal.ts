// Why a request is not served. Each reason is answered with 402 and a sentence.

export type RefusalCode =
  | 'payment_required'
  // The header by itself
  | 'unsupported_payment'
  | 'malformed_receipt'
  | 'malformed_payment'
  // Its terms are not those that were offered
  | 'wrong_offer'
  | 'wrong_network'
  | 'wrong_recipient'
  | 'wrong_amount'
  | 'bad_signature'
  // The invoice, and the request it belongs to
  | 'invoice_missing'
  | 'unknown_invoice'
  | 'invoice_expired'
  | 'wrong_request'
  // It was not settled
  | 'not_settled'
  // Granted before
  | 'already_used'
  | 'invoice_used'
  // The transaction on the chain
  | 'not_visible'
  | 'failed_on_chain'
  | 'wrong_timestamp'
  | 'too_old'
  | 'from_the_future'
  | 'wrong_mint'
  | 'wrong_account'
  | 'no_transfer'
  | 'several_transfers'
  | 'self_transfer'
  | 'wrong_payer'
  | 'wrong_memo';

export interface Refusal {
  code: RefusalCode;
  message: string;
}

export const refusal = (code: RefusalCode, message: string): Refusal => ({ code, message });
