// Indexes for lists of what is rare among millions of payments. A payment that goes through touches only the last one,
// and once.

export const lists = /* sql */ `
CREATE INDEX transfer_unusual ON transfer (state, seq)
  WHERE state IN ('awaiting_approval', 'denied', 'unknown', 'failed', 'dead', 'cancelled');
CREATE INDEX transfer_movement ON transfer (kind, seq) WHERE kind <> 'payment';
CREATE INDEX transfer_service ON transfer (service_id, seq) WHERE service_id IS NOT NULL;
`;
