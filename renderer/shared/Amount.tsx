// Draws an amount of money; every screen uses it.
import { Text, type TextProps } from '@mantine/core';
import { formatUsdc, parseUsdc } from '../../server/money.ts';
import { groupDigits } from './format.ts';

interface AmountProps extends TextProps {
  /** A decimal string, as the treasury sends it. */
  value: string;
  currency?: string;
}

export const Amount = ({ value, currency = 'USDC', ...text }: AmountProps) => {
  const units = parseUsdc(value);
  const decimal = units === null ? value : formatUsdc(units);
  return (
    <Text span inherit className="amount" {...text}>
      {groupDigits(decimal)}{' '}
      <Text span inherit c="dimmed" fz="0.8em" fw={500}>
        {currency}
      </Text>
    </Text>
  );
};
