// Draws an amount of money; every screen uses it. Figures are short: the whole amount is shown on hover, and copied.
import { Text, type TextProps } from '@mantine/core';
import type { ClipboardEvent } from 'react';
import { formatUsdc, parseUsdc } from '../../../server/money.ts';
import { figureOf, groupDigits } from '../format.ts';
import { flowOf, signOf, type Flow, type Shown } from '../status.ts';

export interface AmountProps extends TextProps {
  /** A decimal string, as the treasury sends it. */
  value: string;
  currency?: string;
  /** Shows all decimals, as where the owner decides. */
  whole?: boolean;
  /** So many decimals, as in a column. */
  places?: number;
}

export const Amount = ({ value, currency = 'USDC', whole = false, places, ...text }: AmountProps) => {
  const units = parseUsdc(value);
  const exact = units === null ? value : formatUsdc(units);
  const decimal = groupDigits(exact);
  const end = exact.indexOf('.') + 1 + (places ?? 0);
  const inColumn = groupDigits(exact.slice(0, end).padEnd(end, '0'));
  const shown = whole ? decimal : places === undefined ? figureOf(exact) : inColumn;
  return (
    <Text
      span
      inherit
      className="amount"
      {...(Number(exact) === Number(shown.replaceAll(',', '').replace('−', '-'))
        ? {}
        : { title: `${decimal} ${currency}`.trim(), onCopy: copies(exact) })}
      {...text}
    >
      {shown}
      {currency !== '' && (
        <Text span inherit c="dimmed" fz="0.8em" fw={500}>
          {` ${currency}`}
        </Text>
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

interface SignedAmountProps extends Pick<AmountProps, 'places'> {
  of: Pick<Shown, 'kind' | 'status'> & { amount: string; currency: string };
}

/** A transfer's, in a list: with its sign, and struck through where nothing was paid. */
export const SignedAmount = ({ of: transfer, places }: SignedAmountProps) => (
  <Text span inherit {...looks[flowOf(transfer)]}>
    {signOf(transfer)}
    <Amount
      value={transfer.amount}
      currency={transfer.currency}
      {...(places !== undefined && transfer.currency === 'USDC' && { places })}
    />
  </Text>
);

const dimmed = { c: 'dimmed' } as const;
const struck = { c: 'dimmed', td: 'line-through' } as const;
/** Of the amount. Its sign says the same without color. */
const looks: Record<Flow, TextProps> = {
  in: { c: 'light-dark(var(--mantine-color-teal-9), var(--mantine-color-teal-4))', fw: 600 },
  out: { fw: 600 },
  own: dimmed,
  waiting: dimmed,
  refused: struck,
  failed: struck,
};
