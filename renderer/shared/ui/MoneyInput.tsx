// An amount's field with its currency: text, since money is never a number.
import { Button, Text, TextInput, type TextInputProps } from '@mantine/core';
import { useRef } from 'react';
import { probablyMeant } from '../comma.ts';

interface MoneyInputProps extends TextInputProps {
  currency?: string;
}

export const MoneyInput = ({ currency = 'USDC', ...input }: MoneyInputProps) => {
  const field = useRef<HTMLInputElement>(null);
  const meant = typeof input.value === 'string' ? probablyMeant(input.value) : null;
  return (
    <TextInput
      ref={field}
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
      inputContainer={(children) => (
        <>
          {children}
          <div role="status">
            {meant !== null && (
              <Button size="compact-sm" variant="light" mt={4} onClick={() => type(field.current, meant)}>
                Did you mean {meant} {currency}?
              </Button>
            )}
          </div>
        </>
      )}
      {...input}
    />
  );
};

/** As if the owner had typed it, for whatever listens to the field. */
const type = (field: HTMLInputElement | null, text: string): void => {
  if (field === null) return;
  Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value')?.set?.call(field, text);
  field.dispatchEvent(new Event('input', { bubbles: true }));
  field.focus();
};
