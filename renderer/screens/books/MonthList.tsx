// All months, newest first, each with its mark and its state in words.
import { NavLink, Select, Stack } from '@mantine/core';
import { useState } from 'react';
import { Link, useLocation } from 'wouter';
import { ShowMore } from '../../shared/ui/ShowMore.tsx';
import { dayOf } from '../../shared/time.ts';
import { nameOfMonth, stateOf, stateWords, type Month, type MonthState } from './month-words.ts';
import {
  IconAlertOctagonFilled,
  IconAlertTriangle,
  IconCircleCheckFilled,
  IconCircleDashed,
  IconClock,
  IconHourglass,
  type Icon,
} from '@tabler/icons-react';

interface MonthListProps {
  months: readonly Month[];
  chosen: Month;
}

const pathOf = (month: string): string => `/books/${month}`;
const page = 12;

export const MonthList = ({ months, chosen }: MonthListProps) => {
  const [count, setCount] = useState(Math.max(page, months.indexOf(chosen) + 1));
  return (
    <Stack gap="sm" visibleFrom="md">
      <Stack gap={2} component="nav" aria-label="Months">
        {months.slice(0, count).map((month) => (
          <NavLink
            key={month.month}
            component={Link}
            href={pathOf(month.month)}
            label={nameOfMonth(month.month)}
            description={wordsOf(month)}
            leftSection={<StateIcon state={stateOf(month)} />}
            active={month === chosen}
            aria-current={month === chosen ? 'true' : undefined}
            styles={{ description: { color: descriptionColor(month, month === chosen) } }}
          />
        ))}
      </Stack>
      {count < months.length && <ShowMore isBusy={false} onMore={() => setCount(count + 2 * page)} />}
    </Stack>
  );
};

/** The same where there is little room. */
export const MonthChoice = ({ months, chosen }: MonthListProps) => {
  const [, go] = useLocation();
  return (
    <Select
      hiddenFrom="md"
      label="Month"
      data={months.map((month) => ({
        value: month.month,
        label: `${nameOfMonth(month.month)}: ${wordsOf(month).replace(/^./, (letter) => letter.toLowerCase())}`,
      }))}
      value={chosen.month}
      onChange={(month) => month !== null && go(pathOf(month))}
      leftSection={<StateIcon state={stateOf(chosen)} size={18} />}
      allowDeselect={false}
      maxDropdownHeight={400}
    />
  );
};

const wordsOf = (month: Month): string => {
  const state = stateOf(month);
  return state === 'closed' && month.closedAt !== null
    ? `Closed on ${dayOf(month.closedAt)}`
    : stateWords[state];
};

const descriptionColor = ({ state }: Month, isChosen: boolean): string => {
  if (state === 'changed' || state === 'differs') return 'var(--mantine-color-error)';
  return isChosen ? 'inherit' : 'var(--mantine-color-dimmed)';
};

/** The mark of a month: closed ones have a check. */
const looks: Record<MonthState, { icon: Icon; color: string }> = {
  running: { icon: IconClock, color: 'var(--mantine-color-dimmed)' },
  open: { icon: IconCircleDashed, color: 'var(--mantine-color-text)' },
  waiting: { icon: IconHourglass, color: 'var(--mantine-color-dimmed)' },
  closed: { icon: IconCircleCheckFilled, color: 'var(--mantine-color-teal-text)' },
  differs: { icon: IconAlertTriangle, color: 'var(--mantine-color-error)' },
  changed: { icon: IconAlertOctagonFilled, color: 'var(--mantine-color-error)' },
};

const StateIcon = ({ state, size = 20 }: { state: MonthState; size?: number }) => {
  const { icon: Mark, color } = looks[state];
  return <Mark size={size} color={color} aria-hidden style={{ flex: 'none' }} />;
};
