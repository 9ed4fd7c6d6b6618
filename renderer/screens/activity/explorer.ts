// Where a transaction can be looked at by anybody.
type Network = 'sandbox' | 'devnet' | 'mainnet';

const signaturePattern = /^[1-9A-HJ-NP-Za-km-z]{64,88}$/;

/** Null on the sandbox, which lives on this machine alone. */
export const explorerUrl = (network: Network, signature: string): string | null => {
  if (network === 'sandbox' || !signaturePattern.test(signature)) return null;
  return `https://explorer.solana.com/tx/${signature}${network === 'devnet' ? '?cluster=devnet' : ''}`;
};
