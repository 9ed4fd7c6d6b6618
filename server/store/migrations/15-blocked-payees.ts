// A blocked service's payees, so that the block holds for its seller under any name.

export const blockedPayees = /* sql */ `
-- A JSON list of addresses; null: none.
ALTER TABLE service_rule ADD COLUMN blocked_payees TEXT;
`;
