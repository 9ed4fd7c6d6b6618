// Unlocks the treasury: loads the signing keys into memory again.
import { Button, Group, PasswordInput } from '@mantine/core';
import { useState } from 'react';
import { ask } from '../api/owner.ts';
import { ErrorNote } from '../shared/ui/ErrorNote.tsx';
import { useCommand } from '../shared/hooks/use-command.ts';
import { Form } from '../shared/ui/Form.tsx';

export const Unlock = ({ needsPassphrase }: { needsPassphrase: boolean }) => {
  const [passphrase, setPassphrase] = useState('');
  const unlock = useCommand(async () => {
    await ask('unlock', { body: needsPassphrase ? { passphrase } : {} });
    setPassphrase('');
  });
  return (
    <Form
      gap="xs"

      onSubmit={() => void unlock.run()}
    >
      No agent can pay until you unlock it.
      <Group gap="xs">
        {needsPassphrase && (
          <PasswordInput
            aria-label="Passphrase"
            placeholder="Passphrase"
            w={260}
            value={passphrase}
            onChange={(event) => setPassphrase(event.currentTarget.value)}
          />
        )}
        <Button type="submit" variant="default" loading={unlock.isBusy}>
          Unlock
        </Button>
      </Group>
      <ErrorNote error={unlock.error} notDone="It stays locked." />
    </Form>
  );
};
