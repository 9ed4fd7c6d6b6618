import { Badge } from '@mantine/core';
import { colors, outcomeOf, outcomes, type Outcome, type Shown } from '../status.ts';

/** The outcome of a transfer, drawn the same on every screen. */
export const StatusBadge = ({ of: transfer }: { of: Shown }) => (
  <OutcomeBadge outcome={outcomeOf(transfer)} />
);

export const OutcomeBadge = ({ outcome }: { outcome: Outcome }) => {
  const { label, meaning } = outcomes[outcome];
  return (
    <Badge variant="dot" color={colors[outcome]} title={meaning} tt="none" fw={600} miw="max-content">
      {label}
    </Badge>
  );
};
