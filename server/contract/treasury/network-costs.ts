// The prices of the Solana network, in SOL, a little rounded up: for display, never for a decision.

/** For a new USDC account, which an agent needs, and each payee that has none. It stays in the account. */
export const accountSol = 0.00204;
/** For a transfer, without the price of a busy network. */
export const transferSol = 0.00001;
/** To begin with. */
export const firstSol = 0.05;
