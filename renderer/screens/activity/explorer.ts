// The block explorer's URL of a transaction.
type Network = 'sandbox' | 'devnet' | 'mainnet';

const signaturePattern = /^[1-9A-HJ-NP-Za-km-z]{64,88}$/;

/** Null on the sandbox, which exists only on this machine. */
export const explorerUrl = (network: Network, signature: string): string | null => {
  if (network === 'sandbox' || !signaturePattern.test(signature)) return null;
  return `https://explorer.solana.com/tx/${signature}${network === 'devnet' ? '?cluster=devnet' : ''}`;
};
