// An agent may ask for a standing approval, and a request to a language model keeps its client's idempotency key.
import type { Db } from '../db.ts';
import { changeChecks } from '../change-checks.ts';

const kinds = `'payment', 'policy', 'allocate', 'deploy', 'resume'`;

export const standingApprovals = (db: Db): void => {
  changeChecks(db, 'approval', [[`CHECK (kind IN (${kinds}))`, `CHECK (kind IN (${kinds}, 'standing'))`]]);
  db.exec(/* sql */ `
    ALTER TABLE policy ADD COLUMN model_requests_per_hour INTEGER;
    ALTER TABLE node_limits ADD COLUMN model_requests_per_hour INTEGER;
    ALTER TABLE model_request ADD COLUMN idempotency_key TEXT;
    CREATE UNIQUE INDEX model_request_named ON model_request (agent_id, idempotency_key)
      WHERE idempotency_key IS NOT NULL;`);
};
