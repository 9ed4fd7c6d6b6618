// The conditions of a snapshot that a test made up, while all that the snapshot does not show is well.
import { conditionsOf } from '../../server/contract/conditions/conditions.ts';
import type { ConditionFacts, FurtherFacts } from '../../server/contract/conditions/facts.ts';

const now = '2026-11-27T10:00:00.000Z';

export const allElseWell: FurtherFacts = {
  disk: { free: 1_000, least: 100 },
  backup: { newest: now, since: now },
  hasChannel: true,
  failingChannels: [],
  months: { open: [], amiss: [] },
  cold: null,
  alerts: [],
  undelivered: { payments: 0, amount: '0.00' },
  pricesFrom: null,
  now,
};

export const conditionsIn = (snapshot: Omit<ConditionFacts, keyof FurtherFacts>) =>
  conditionsOf({ ...snapshot, ...allElseWell });
