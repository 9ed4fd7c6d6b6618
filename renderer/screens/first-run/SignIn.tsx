// A browser without a session: where to find a login, and a field for the owner's token.
import { Button, Code, List, PasswordInput, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { ErrorNote } from '../../shared/ErrorNote.tsx';
import { signIn, useConnection } from '../../stores/connection.ts';
import { Front } from './Front.tsx';

export default function SignIn() {
  const refused = useConnection((state) => state.refused);
  const [token, setToken] = useState('');
  const [isBusy, setBusy] = useState(false);
  const submit = async (): Promise<void> => {
    if (token.trim() === '') return;
    setBusy(true);
    await signIn(token.trim());
    setBusy(false);
  };
  return (
    <Front title="Sign in">
      <Stack gap="xs">
        <Text size="sm">
          At each start the treasury prints an address with a login to its terminal. It works once; open that
          address in this browser.
        </Text>
        <Text size="sm">If it was used already:</Text>
        <List size="sm" spacing={4}>
          <List.Item>start the treasury again and open the new address, or</List.Item>
          <List.Item>
            paste an owner token here. On the sandbox it is the content of <Code>owner.cookie</Code> in the
            data folder.
          </List.Item>
        </List>
      </Stack>
      <ErrorNote error={refused} notDone="You are not signed in." />
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void submit();
        }}
      >
        <Stack gap="md" align="flex-start">
          <PasswordInput
            label="Owner token"
            description="It is kept for this tab only, and only to sign in."
            w="100%"
            autoComplete="off"
            value={token}
            onChange={(event) => setToken(event.currentTarget.value)}
          />
          <Button type="submit" loading={isBusy}>
            Sign in
          </Button>
        </Stack>
      </form>
    </Front>
  );
}
