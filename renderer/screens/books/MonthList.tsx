// All months, newest first, each with its mark and its state in words.
import { NavLink, Stack } from '@mantine/core';
import { useState } from 'react';
import { Link } from 'wouter';
import { ShowMore } from '../../shared/ShowMore.tsx';
import { dayOf } from '../../shared/time.ts';
import { nameOfMonth, stateOf, stateWords, type Month } from './month-words.ts';
import { StateIcon } from './StateIcon.tsx';

const page = 12;

interface MonthListProps {
  months: readonly Month[];
  chosen: string;
}

export const MonthList = ({ months, chosen }: MonthListProps) => {
  const at = months.findIndex(({ month }) => month === chosen);
  const [count, setCount] = useState(Math.max(page, at + 1));
  return (
    <>
      <Stack gap={2} component="nav" aria-label="Months">
        {months.slice(0, count).map((month) => (
          <NavLink
            key={month.month}
            component={Link}
            href={`/books?month=${month.month}`}
            label={nameOfMonth(month.month)}
            description={wordsOf(month)}
            leftSection={<StateIcon state={stateOf(month)} />}
            active={month.month === chosen}
            aria-current={month.month === chosen ? 'true' : undefined}
            styles={{ description: { color: descriptionColor(month, month.month === chosen) } }}
          />
        ))}
      </Stack>
      {count < months.length && <ShowMore isBusy={false} onMore={() => setCount(count + 2 * page)} />}
    </>
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
