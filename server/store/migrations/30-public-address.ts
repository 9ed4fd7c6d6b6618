// The address of the owner's own tunnel, and the address at which the owner may sign in through it. And the door by which
// a link session was asked for.

export const publicAddress = /* sql */ `
CREATE TABLE public_address (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  url TEXT,
  -- A switch for this one address: another address begins without it.
  owner_at TEXT,
  journal_seq INTEGER NOT NULL
) STRICT;
ALTER TABLE link_session ADD COLUMN door TEXT NOT NULL DEFAULT 'local' CHECK (door IN ('local', 'public'));
`;
