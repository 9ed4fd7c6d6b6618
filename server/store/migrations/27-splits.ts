// Sellers that have one payment split among several recipients.

export const splits = /* sql */ `
-- JSON: the payee, the micro-USDC as text, and the memo of each further recipient; null: all goes to the transfer's payee.
ALTER TABLE purchase ADD COLUMN splits TEXT;
`;
