// One figure in a card: its label, its value, and a line of explanation. A long amount is written smaller, so that it never
// runs over the card.
import { Card, Stack, Text } from '@mantine/core';
import type { CSSProperties, ReactNode } from 'react';
import { Amount } from './Amount.tsx';
import { figureOf } from '../format.ts';

interface FigureProps {
  label: string;
  note?: ReactNode;
  isLarge?: boolean;
  /** The value where it is an amount, otherwise `children`. */
  amount?: string;
  currency?: string;
  children?: ReactNode;
}

/** The currency is written smaller. */
const currencyPart = 0.8;

export const Figure = ({
  label,
  note,
  isLarge = false,
  amount,
  currency = 'USDC',
  children,
}: FigureProps) => (
  <Card withBorder bg="var(--card)" p={{ base: 'sm', sm: 'md' }}>
    <Stack gap={2}>
      <Text c="dimmed">{label}</Text>
      <div className="figure" data-large={isLarge || undefined}>
        <div className="figure-value" style={lettersOf(amount, currency)}>
          {amount === undefined ? children : <Amount value={amount} currency={currency} />}
        </div>
      </div>
      {note !== undefined && (
        <Text size="xs" c="dimmed" component="div" className="break-anywhere">
          {note}
        </Text>
      )}
    </Stack>
  </Card>
);

const lettersOf = (amount: string | undefined, currency: string): CSSProperties =>
  amount === undefined
    ? {}
    : ({ '--letters': figureOf(amount).length + currencyPart * (currency.length + 1) } as CSSProperties);
