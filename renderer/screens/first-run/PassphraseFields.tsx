// The passphrase that protects the keys: entered twice for a new treasury, once for an existing one.
import { PasswordInput, Progress, SimpleGrid, Stack, Text } from '@mantine/core';
import { passphraseStrength, shortestPassphrase, type Strength } from './passphrase-strength.ts';

interface PassphraseFieldsProps {
  isNew: boolean;
  isRequired: boolean;
  passphrase: { value?: string };
  again: object;
}

const hints: Record<Strength, { share: number; color: string; text: string }> = {
  short: { share: 15, color: 'red', text: `At least ${shortestPassphrase} characters.` },
  weak: {
    share: 35,
    color: 'red',
    text: 'Easy to guess. Add a few words that have nothing to do with each other.',
  },
  fair: { share: 70, color: 'yellow', text: 'Fair. One more word makes it strong.' },
  strong: { share: 100, color: 'teal', text: 'Strong.' },
};

export const PassphraseFields = ({ isNew, isRequired, passphrase, again }: PassphraseFieldsProps) => {
  const text = passphrase.value ?? '';
  const { share, color, text: hint } = hints[passphraseStrength(text)];
  if (!isNew)
    return (
      <PasswordInput
        label="Passphrase"
        description="If this treasury has one. Without it, the treasury starts locked."
        {...passphrase}
      />
    );
  return (
    <Stack gap="xs">
      <SimpleGrid cols={{ base: 1, xs: 2 }}>
        <PasswordInput
          label="Passphrase"
          description={isRequired ? 'Asked at each start' : 'Only needed where there is no keychain'}
          autoComplete="new-password"
          {...passphrase}
        />
        <PasswordInput
          label="The same again"
          description="Nobody can recover it"
          autoComplete="new-password"
          {...again}
        />
      </SimpleGrid>
      {text !== '' && (
        <Stack gap={4} aria-live="polite">
          <Progress value={share} color={color} size="sm" aria-hidden />
          <Text size="xs" c="dimmed">
            {hint}
          </Text>
        </Stack>
      )}
    </Stack>
  );
};
