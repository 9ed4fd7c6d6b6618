// The mark of a month: closed ones have a check.
import {
  IconAlertOctagonFilled,
  IconAlertTriangle,
  IconCircleCheckFilled,
  IconCircleDashed,
  IconClock,
  IconHourglass,
  type Icon,
} from '@tabler/icons-react';
import type { MonthState } from './month-words.ts';

const looks: Record<MonthState, { icon: Icon; color: string }> = {
  running: { icon: IconClock, color: 'var(--mantine-color-dimmed)' },
  open: { icon: IconCircleDashed, color: 'var(--mantine-color-text)' },
  waiting: { icon: IconHourglass, color: 'var(--mantine-color-dimmed)' },
  closed: { icon: IconCircleCheckFilled, color: 'var(--mantine-color-teal-text)' },
  differs: { icon: IconAlertTriangle, color: 'var(--mantine-color-error)' },
  changed: { icon: IconAlertOctagonFilled, color: 'var(--mantine-color-error)' },
};

export const StateIcon = ({ state, size = 20 }: { state: MonthState; size?: number }) => {
  const { icon: Mark, color } = looks[state];
  return <Mark size={size} color={color} aria-hidden style={{ flex: 'none' }} />;
};
