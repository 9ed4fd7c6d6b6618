// Limits at single services, on an agent and on every other node.

export const serviceLimits = /* sql */ `
-- A JSON object of limits by service id, with amounts in decimal USDC; null: none.
ALTER TABLE policy ADD COLUMN service_limits TEXT;
ALTER TABLE node_limits ADD COLUMN service_limits TEXT;
-- All that is read of the rows that count at a service, for each node.
CREATE INDEX transfer_service_counted ON transfer
  (service_id, counted_at, counted_amount, agent_id, group_id, key_1, key_2, key_3)
  WHERE service_id IS NOT NULL AND counted_at IS NOT NULL;
`;
