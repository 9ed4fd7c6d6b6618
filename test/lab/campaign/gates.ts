// Every gate of the campaign, in the order in which they run.
import type { Gate } from './gate.ts';
import { gate as limits } from './gates/gate-1-limits.ts';
import { gate as plantedBugs } from './gates/gate-10-planted-bugs.ts';
import { gate as loops } from './gates/gate-11-loops.ts';
import { gate as idempotency } from './gates/gate-2-idempotency.ts';
import { gate as killPoints } from './gates/gate-3-kill-points.ts';
import { gate as powerLoss } from './gates/gate-4-power-loss.ts';
import { gate as ioErrors } from './gates/gate-5-io-errors.ts';
import { gate as faultyChain } from './gates/gate-6-faulty-chain.ts';
import { gate as model } from './gates/gate-7-model.ts';
import { gate as http } from './gates/gate-8-http.ts';
import { gate as forgeries } from './gates/gate-9-forgeries.ts';

export const gates: readonly Gate[] = [
  limits,
  idempotency,
  killPoints,
  powerLoss,
  ioErrors,
  faultyChain,
  model,
  http,
  forgeries,
  plantedBugs,
  loops,
];
