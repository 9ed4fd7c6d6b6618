// The owner's labels of addresses.

export const labels = /* sql */ `
-- label is null once it was removed: the journal names each row for good.
CREATE TABLE label (address TEXT PRIMARY KEY NOT NULL, label TEXT, journal_seq INTEGER NOT NULL) STRICT;
`;
