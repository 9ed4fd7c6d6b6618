// The names of the dialects stand in contract/payments/dialects.ts alone: each row is held against them when it is read.
import type { Db } from '../db.ts';
import { changeChecks } from '../change-checks.ts';

export const dialectsUnchecked = (db: Db): void =>
  changeChecks(db, 'purchase', [[` CHECK (dialect IN ('receipt', 'x402-v2', 'x402-v1', 'mpp'))`, '']]);
