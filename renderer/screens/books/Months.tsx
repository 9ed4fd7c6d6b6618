// The months of the books beside the chosen one: how it stands, and its sums.
import { Anchor, Grid, Stack, Text } from '@mantine/core';
import { Link } from 'wouter';
import { Anchors } from './Anchors.tsx';
import { CloseMonth } from './CloseMonth.tsx';
import { MonthChoice, MonthList } from './MonthList.tsx';
import { MonthSums } from './MonthSums.tsx';
import { nameOfMonth, type Month } from './month-words.ts';
import { useReadAgain } from './use-read-again.ts';

interface MonthsProps {
  months: readonly Month[];
  zone: string;
  chosen: Month;
}

export const Months = ({ months, zone, chosen }: MonthsProps) => {
  useReadAgain();
  return (
    <Grid gap="lg">
      <Grid.Col span={{ base: 12, md: 3.5 }}>
        <Stack gap="sm">
          <MonthChoice months={months} chosen={chosen} />
          <MonthList months={months} chosen={chosen} />
          <Text size="sm" c="dimmed">
            A month begins at midnight in {zone}.{' '}
            <Anchor component={Link} href="/settings" size="sm" underline="always">
              Change the time zone
            </Anchor>
          </Text>
          <Anchors />
        </Stack>
      </Grid.Col>
      <Grid.Col span={{ base: 12, md: 8.5 }}>
        <Stack gap="lg" component="section" aria-label={nameOfMonth(chosen.month)}>
          <CloseMonth month={chosen} zone={zone} key={chosen.month} />
          <MonthSums month={chosen} />
        </Stack>
      </Grid.Col>
    </Grid>
  );
};
