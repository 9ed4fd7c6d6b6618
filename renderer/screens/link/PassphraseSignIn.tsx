// Sign-in as the owner, with the treasury's passphrase.
import { Button, Group, PasswordInput, Stack } from '@mantine/core';
import { useState } from 'react';
import { ErrorNote } from '../../shared/ErrorNote.tsx';
import { useWork } from '../../shared/use-work.ts';
import { provePassphrase, type Who } from './who.ts';

export const PassphraseSignIn = ({ onSignedIn }: { onSignedIn: (who: Who) => void }) => {
  const [passphrase, setPassphrase] = useState('');
  const prove = useWork(async () => onSignedIn(await provePassphrase(passphrase)));
  return (
    <Stack
      component="form"
      gap="sm"
      onSubmit={(event: React.FormEvent) => {
        event.preventDefault();
        if (passphrase !== '') void prove.run();
      }}
    >
      <PasswordInput
        label="Passphrase"
        description="The one that protects the treasury’s keys. It is kept nowhere."
        autoComplete="off"
        value={passphrase}
        onChange={(event) => setPassphrase(event.currentTarget.value)}
      />
      <ErrorNote error={prove.error} notDone="You are not signed in." />
      <Group>
        <Button type="submit" variant="default" loading={prove.isBusy}>
          Sign in
        </Button>
      </Group>
    </Stack>
  );
};
