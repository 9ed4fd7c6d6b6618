// Refills: allocations that the treasury makes by itself when an agent's wallet runs low.

export const refills = /* sql */ `
-- Micro-USDC. All null: the agent is not refilled.
ALTER TABLE agent ADD COLUMN refill_below INTEGER;
ALTER TABLE agent ADD COLUMN refill_to INTEGER;
ALTER TABLE agent ADD COLUMN refill_per_day INTEGER;
-- 'refill': no request asked for this transfer.
ALTER TABLE transfer ADD COLUMN cause TEXT;
CREATE UNIQUE INDEX transfer_refill_open ON transfer (agent_id) WHERE cause = 'refill' AND is_open = 1;
CREATE INDEX transfer_refill ON transfer (agent_id, created_at) WHERE cause = 'refill';
`;
