import { Badge, type BadgeProps } from '@mantine/core';
import { becameOf, colors, outcomeOf, outcomes, type Outcome, type Shown } from '../status.ts';

/** The outcome of a transfer, drawn the same on every screen. */
export const StatusBadge = ({ of: transfer }: { of: Shown }) => (
  <OutcomeBadge outcome={outcomeOf(transfer)} word={becameOf(transfer)} />
);

interface DotProps extends Omit<BadgeProps, 'color' | 'style'> {
  color?: string;
  title?: string | undefined;
}

interface OutcomeBadgeProps {
  outcome: Outcome;
  word?: ReturnType<typeof becameOf>;
}

export const OutcomeBadge = ({ outcome, word = outcomes[outcome] }: OutcomeBadgeProps) => (
  <Dot color={colors[outcome]} title={word.meaning}>
    {word.label}
  </Dot>
);

/** A state in a word, after a dot of its color, which stands out from a dark badge too. */
export const Dot = ({ color = 'gray', ...badge }: DotProps) => (
  <Badge
    variant="dot"
    tt="none"
    fw={600}
    flex="none"
    miw="max-content"
    style={{
      '--badge-dot-color': `light-dark(var(--mantine-color-${color}-${color === 'gray' ? 5 : 9}), var(--mantine-color-${color}-4))`,
    }}
    {...badge}
  />
);
