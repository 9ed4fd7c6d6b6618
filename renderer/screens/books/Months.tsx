// The months of the books beside the chosen one: how it stands, and its sums.
import { Anchor, Grid, Stack, Text } from '@mantine/core';
import { Link } from 'wouter';
import { Anchors } from './Anchors.tsx';
import { CloseMonth } from './CloseMonth.tsx';
import { MonthChoice, MonthList } from './MonthList.tsx';
import { MonthSums } from './MonthSums.tsx';
import { ModelTokens } from './ModelTokens.tsx';
import { nameOfMonth, type Month } from './month-words.ts';
import { useEffect } from 'react';
import { onOwnerEvent } from '../../stores/connection.ts';
import { outdate } from '../../stores/queries.ts';

interface MonthsProps {
  months: readonly Month[];
  zone: string;
  chosen: Month;
}

export const Months = ({ months, zone, chosen }: MonthsProps) => {
  useReadAgain();
  return (
    <Grid gap="lg">
      <Grid.Col span={{ base: 12, md: 3 }} className="not-printed">
        <Stack gap="sm">
          <MonthChoice months={months} chosen={chosen} />
          <MonthList months={months} chosen={chosen} />
        </Stack>
      </Grid.Col>
      <Grid.Col span={{ base: 12, md: 9 }} className="printed-whole">
        <Stack gap="lg" component="section" aria-label={nameOfMonth(chosen.month)}>
          <CloseMonth month={chosen} zone={zone} key={chosen.month} />
          <MonthSums month={chosen} />
          <ModelTokens month={chosen} />
        </Stack>
        <Stack gap="sm" mt="lg" className="not-printed">
          <Text c="dimmed">
            A month begins at midnight in {zone}.{' '}
            <Anchor component={Link} href="/settings/limits" underline="always">
              Change the time zone
            </Anchor>
          </Text>
          <Anchors />
        </Stack>
      </Grid.Col>
    </Grid>
  );
};

/**
 * Reads the months and their sums again some seconds after money has moved: a month's sums are read from all its
 * entries.
 */
const pauseMs = 5_000;

const useReadAgain = (): void => {
  useEffect(() => {
    // No event tells of requests to models.
    outdate(['bookModels']);
    let timer: ReturnType<typeof setTimeout> | undefined;
    const off = onOwnerEvent(({ type }) => {
      if (timer !== undefined || (type !== 'transfer' && type !== 'deposit')) return;
      timer = setTimeout(() => {
        timer = undefined;
        outdate(['bookMonths', 'bookTotals', 'bookModels', 'getAnchors']);
      }, pauseMs);
    });
    return () => {
      off();
      clearTimeout(timer);
    };
  }, []);
};
