// An amount's field with its currency: text, since money is never a number.
import { Text, TextInput, type TextInputProps } from '@mantine/core';

interface MoneyInputProps extends TextInputProps {
  currency?: string;
}

export const MoneyInput = ({ currency = 'USDC', ...input }: MoneyInputProps) => (
  <TextInput
    inputMode="decimal"
    autoComplete="off"
    rightSection={
      <Text size="xs" c="dimmed" aria-hidden>
        {currency}
      </Text>
    }
    rightSectionWidth={56}
    rightSectionPointerEvents="none"
    styles={{ input: { fontVariantNumeric: 'tabular-nums' } }}
    {...input}
  />
);
