// The amount that a balance may lack: a movement in the slot of the last reading, or one that was read before we saw it.

export const doubt = /* sql */ `
-- Micro-USDC that the wallet may hold, and the cold account may allow, beyond what was read. 0 once it is read again.
ALTER TABLE wallet ADD COLUMN doubt INTEGER NOT NULL DEFAULT 0;
ALTER TABLE cold_account ADD COLUMN doubt INTEGER NOT NULL DEFAULT 0;
`;
