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
}

export const Amount = ({ value, currency = 'USDC', whole = false, ...text }: AmountProps) => {
  const units = parseUsdc(value);
  const decimal = groupDigits(units === null ? value : formatUsdc(units));
  const shown = whole ? decimal : figureOf(units === null ? value : formatUsdc(units));
  return (
    <Text
      span
      inherit
      className="amount"
      {...(shown === decimal ? {} : { title: `${decimal} ${currency}`.trim(), onCopy: copies(decimal) })}
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
  (decimal: string) =>
  (event: ClipboardEvent<HTMLElement>): void => {
    const selection = getSelection();
    const isWithin = [selection?.anchorNode, selection?.focusNode].every(
      (node) => node != null && event.currentTarget.contains(node),
    );
    if (!isWithin) return;
    event.preventDefault();
    event.clipboardData.setData('text/plain', decimal.replaceAll(',', ''));
  };
