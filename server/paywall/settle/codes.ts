// The published codes of transactions whose fee is not paid: those of @x402/svm's facilitator, and of MPP's vectors.

const payload = 'invalid_exact_svm_payload';
const instructions = `${payload}_transaction_instructions`;
const places = ['fourth', 'fifth', 'sixth', 'seventh'];

/** x402, scheme "exact". */
export const exact = {
  undecodable: `${payload}_transaction_could_not_be_decoded`,
  feePayerMismatch: 'invalid_exact_svm_fee_payer_mismatch',
  signers: `${payload}_excessive_signers`,
  signature: `${payload}_signature_invalid`,
  lookups: 'invalid_exact_svm_smart_wallet_alt_resolution_not_available',
  length: `${instructions}_length`,
  unitLimit: `${instructions}_compute_limit_instruction`,
  unitLimitTooHigh: `${instructions}_compute_limit_instruction_too_high`,
  unitPrice: `${instructions}_compute_price_instruction`,
  unitPriceTooHigh: `${instructions}_compute_price_instruction_too_high`,
  noTransfer: `${payload}_no_transfer_instruction`,
  feePayerFunds: `${payload}_transaction_fee_payer_transferring_funds`,
  feePayerNamed: `${payload}_transaction_fee_payer_included_in_instruction_accounts`,
  mint: `${payload}_mint_mismatch`,
  recipient: `${payload}_recipient_mismatch`,
  amount: `${payload}_amount_mismatch`,
  splits: `${payload}_amount_mismatch`,
  /** For the instruction at this place after the transfer. */
  other: (place: number) => `${payload}_unknown_${places[place] ?? 'optional'}_instruction`,
  memoCount: `${payload}_memo_count`,
  memoMismatch: `${payload}_memo_mismatch`,
  simulation: 'invalid_exact_svm_transaction_simulation_failed',
};

export type Codes = typeof exact;

/** MPP, intent "charge". The vectors name five of them; the others are ours. */
export const charge: Codes = {
  undecodable: 'transaction-malformed',
  feePayerMismatch: 'fee-payer-mismatch',
  signers: 'unexpected-signer',
  signature: 'signature-invalid',
  lookups: 'lookup-tables-not-supported',
  length: 'unexpected-instruction',
  unitLimit: 'compute-limit-missing',
  unitLimitTooHigh: 'compute-limit-over-cap',
  unitPrice: 'compute-price-missing',
  unitPriceTooHigh: 'compute-price-over-cap',
  noTransfer: 'no-matching-transfer',
  feePayerFunds: 'fee-payer-not-authority',
  feePayerNamed: 'fee-payer-named',
  mint: 'no-matching-transfer',
  recipient: 'no-matching-transfer',
  amount: 'no-matching-transfer',
  splits: 'splits-exceed-amount',
  other: () => 'unexpected-instruction',
  memoCount: 'memo-mismatch',
  memoMismatch: 'memo-mismatch',
  simulation: 'simulation-failed',
};
