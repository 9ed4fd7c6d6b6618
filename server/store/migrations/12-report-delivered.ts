// A payment whose seller has delivered is reported as spent, also before the chain has shown it.
import { report } from './10-mend.ts';

export const reportDelivered = report(
  `state <> 'seen' AND id IN (SELECT transfer_id FROM purchase WHERE delivery = 'delivered')`,
);
