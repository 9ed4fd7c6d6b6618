// Requests to language models in the sums that the owner is shown.
export const modelSpending = /* sql */ `
ALTER TABLE spending ADD COLUMN lifetime_requests INTEGER NOT NULL DEFAULT 0;
CREATE TEMP TABLE asked AS
  SELECT counted_at / 86400000 AS day, agent_id, service_id, counted_amount AS amount, corrects IS NULL AND wire <> '' AS requests
  FROM model_request WHERE counted_at IS NOT NULL;
INSERT INTO spending_day (day, agent_id, service_id, amount, payments)
  SELECT day, agent_id, service_id, sum(amount), 0 FROM asked WHERE TRUE GROUP BY 1, 2, 3
  ON CONFLICT DO UPDATE SET amount = amount + excluded.amount;
UPDATE spending SET lifetime_amount = lifetime_amount + sums.amount, lifetime_requests = sums.requests
  FROM (SELECT agent_id, sum(amount) AS amount, sum(requests) AS requests FROM asked GROUP BY 1
        UNION ALL SELECT '', sum(amount), sum(requests) FROM asked HAVING count(*) > 0) AS sums
  WHERE sums.agent_id = spending.scope;
DROP TABLE asked;
`;
