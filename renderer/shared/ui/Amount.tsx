// Draws an amount of money; every screen uses it. Figures are short: the whole amount is shown on hover, and copied.
import { Text, type TextProps } from '@mantine/core';
import type { ClipboardEvent } from 'react';
import { formatUsdc, parseUsdc } from '../../../server/money.ts';
import { figureOf, groupDigits } from '../format.ts';

interface AmountProps extends TextProps {
  /** A decimal string, as the treasury sends it. */
  value: string;
  currency?: string;
  /** Shows all decimals, as where the owner decides. */
  whole?: boolean;
  /** Two decimals, as where amounts are compared. */
  cents?: boolean;
}

export const Amount = ({ value, currency = 'USDC', whole = false, cents = false, ...text }: AmountProps) => {
  const units = parseUsdc(value);
  const exact = units === null ? value : formatUsdc(units);
  const decimal = groupDigits(exact);
  const shown = whole ? decimal : figureOf(exact, cents ? 2 : undefined);
  return (
    <Text
      span
      inherit
      className="amount"
      {...(shown === decimal ? {} : { title: `${decimal} ${currency}`.trim(), onCopy: copies(exact) })}
      {...text}
    >
      {shown}
      {currency !== '' && (
        <>
          {' '}
          <Text span inherit c="dimmed" fz="0.8em" fw={500}>
            {currency}
          </Text>
        </>
      )}
    </Text>
  );
};

/** Copies the whole amount where nothing but the amount is selected. */
const copies =
  (exact: string) =>
  (event: ClipboardEvent<HTMLElement>): void => {
    const selection = getSelection();
    const isWithin = [selection?.anchorNode, selection?.focusNode].every(
      (node) => node != null && event.currentTarget.contains(node),
    );
    if (!isWithin) return;
    event.preventDefault();
    event.clipboardData.setData('text/plain', exact);
  };
