// Daily sums for the owner's charts. The day is that of the counted time, in UTC, as days since 1970.

export const spendingByDay = /* sql */ `
CREATE TABLE spending_day (
  day INTEGER NOT NULL,
  agent_id TEXT NOT NULL,
  service_id TEXT NOT NULL,
  amount INTEGER NOT NULL,
  payments INTEGER NOT NULL,
  PRIMARY KEY (day, agent_id, service_id)
) STRICT, WITHOUT ROWID;
INSERT INTO spending_day
  SELECT counted_at / 86400000, agent_id, coalesce(service_id, ''), sum(counted_amount), count(*)
  FROM transfer WHERE counted_amount > 0 GROUP BY 1, 2, 3;
`;
