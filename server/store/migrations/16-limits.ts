// More limits on an agent: by week, by month, in all, and in number of payments; and the sums that they are held against.

export const limits = /* sql */ `
-- Null: no such limit.
ALTER TABLE policy ADD COLUMN weekly_budget INTEGER CHECK (weekly_budget >= 0);
ALTER TABLE policy ADD COLUMN monthly_budget INTEGER CHECK (monthly_budget >= 0);
ALTER TABLE policy ADD COLUMN total_budget INTEGER CHECK (total_budget >= 0);
ALTER TABLE policy ADD COLUMN payments_per_hour INTEGER CHECK (payments_per_hour >= 0);
ALTER TABLE policy ADD COLUMN payments_per_day INTEGER CHECK (payments_per_day >= 0);
-- A JSON object of days, from and to, by the clock of the owner's time zone.
ALTER TABLE policy ADD COLUMN active_hours TEXT;
-- Unix milliseconds.
ALTER TABLE policy ADD COLUMN expires_at INTEGER;
-- Unix milliseconds: the total budget counts what is spent from then on.
ALTER TABLE policy ADD COLUMN total_since INTEGER;

-- The IANA name of the owner's time zone, by which calendar months are counted. Every change is kept.
CREATE TABLE owner_zone (
  id INTEGER PRIMARY KEY,
  zone TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  journal_seq INTEGER NOT NULL
) STRICT;
CREATE TRIGGER owner_zone_is_kept BEFORE DELETE ON owner_zone
BEGIN SELECT RAISE(ABORT, 'a time zone is never forgotten'); END;

-- Since when a payment counts in number: its reservation; null once it is void, and for rows of older versions.
ALTER TABLE transfer ADD COLUMN rated_at INTEGER;
CREATE INDEX transfer_rate ON transfer (agent_id, rated_at) WHERE rated_at IS NOT NULL;
CREATE INDEX transfer_rate_all ON transfer (rated_at) WHERE rated_at IS NOT NULL;

-- A sum of what is later than an edge, for a limit in force. scope is as in spending. Entries up to mark are in it: a limit
-- that is set late is summed in slices.
CREATE TABLE meter (
  scope TEXT NOT NULL,
  name TEXT NOT NULL,
  edge INTEGER NOT NULL,
  mark INTEGER NOT NULL,
  amount INTEGER NOT NULL,
  PRIMARY KEY (scope, name)
) STRICT, WITHOUT ROWID;
`;
