import { Badge, type BadgeProps } from '@mantine/core';
import { colors, outcomeOf, outcomes, type Outcome, type Shown } from '../status.ts';

/** The outcome of a transfer, drawn the same on every screen. */
export const StatusBadge = ({ of: transfer }: { of: Shown }) => (
  <OutcomeBadge outcome={outcomeOf(transfer)} />
);

export const OutcomeBadge = ({ outcome }: { outcome: Outcome }) => {
  const { label, meaning } = outcomes[outcome];
  return (
    <Dot color={colors[outcome]} title={meaning}>
      {label}
    </Dot>
  );
};

/** A state in a word, after a dot of its color. */
export const Dot = (badge: BadgeProps & { title?: string | undefined }) => (
  <Badge variant="dot" tt="none" fw={600} flex="none" miw="max-content" {...badge} />
);
