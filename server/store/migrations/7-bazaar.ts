// Where catalog entries are, which of them an import lists, and the sources of imports. None of it says what may be
// paid.

export const bazaar = /* sql */ `
-- The origin and path below which URLs belong to the entry: found here, then compared with the protected row. Path is
-- null until it was entered, origin where no URL leads.
ALTER TABLE service_facts ADD COLUMN origin TEXT;
ALTER TABLE service_facts ADD COLUMN path TEXT;
-- Since when no source lists it any more.
ALTER TABLE service_facts ADD COLUMN vanished_at INTEGER;
ALTER TABLE service_facts ADD COLUMN vanished INTEGER AS (vanished_at IS NOT NULL);
-- Whom the sources name now, where that is not whom the entry pins: a JSON array.
ALTER TABLE service_facts ADD COLUMN new_payees TEXT;
CREATE INDEX service_place ON service_facts (origin, path) WHERE listed = 1 AND origin IS NOT NULL;

DROP INDEX service_best;
DROP INDEX service_best_of_source;
CREATE INDEX service_best ON service_facts (vanished, preferred DESC, standing DESC, sort_name, service_id)
  WHERE listed = 1;
CREATE INDEX service_best_of_source
  ON service_facts (source, vanished, preferred DESC, standing DESC, sort_name, service_id) WHERE listed = 1;

-- The facilitators whose lists the owner wants in the catalog.
CREATE TABLE catalog_source (
  number INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  url TEXT NOT NULL UNIQUE,
  name TEXT NOT NULL,
  added_at INTEGER NOT NULL,
  -- The pass that goes on or, at offset null, that was completed or given up last.
  pass INTEGER NOT NULL DEFAULT 0,
  offset INTEGER CHECK (offset >= 0),
  -- What the pass has met so far, or met: a JSON object of counts.
  counts TEXT NOT NULL,
  last_run_at INTEGER,
  next_run_at INTEGER NOT NULL,
  error TEXT
) STRICT;

-- Which entries a source lists, in which pass it last did, and whom it names as their payees.
CREATE TABLE catalog_listing (
  source INTEGER NOT NULL REFERENCES catalog_source (number),
  service INTEGER NOT NULL REFERENCES service_facts (number),
  pass INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  payees TEXT NOT NULL,
  PRIMARY KEY (source, service)
) STRICT, WITHOUT ROWID;
CREATE INDEX catalog_listing_service ON catalog_listing (service);
`;
