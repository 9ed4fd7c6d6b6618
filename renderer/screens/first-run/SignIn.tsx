// A browser without a session: where to find a login URL, and the other ways to prove to be the owner.
import { Button, Code, List, PasswordInput, SegmentedControl, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { ErrorNote } from '../../shared/ErrorNote.tsx';
import type { Proof } from '../../api/http.ts';
import { signIn, useConnection } from '../../stores/connection.ts';
import { Front } from './Front.tsx';

type Way = 'token' | 'passphrase';

const ways: Record<Way, { label: string; description: string; proofOf(text: string): Proof }> = {
  token: {
    label: 'Owner token',
    description: 'It is kept for this tab only, and only to sign in.',
    proofOf: (text) => ({ token: text.trim() }),
  },
  passphrase: {
    label: 'Passphrase',
    description: 'The one of the vault, on a real network.',
    proofOf: (text) => ({ passphrase: text }),
  },
};

export default function SignIn() {
  const refused = useConnection((state) => state.refused);
  const [way, setWay] = useState<Way>('token');
  const [text, setText] = useState('');
  const [isBusy, setBusy] = useState(false);
  const submit = async (): Promise<void> => {
    if (text.trim() === '') return;
    setBusy(true);
    await signIn(ways[way].proofOf(text));
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
          <List.Item>
            press Enter in that terminal, or start the treasury again, and open the new address;
          </List.Item>
          <List.Item>
            or paste an owner token here. On the sandbox it is the content of <Code>owner.cookie</Code> in the
            data folder;
          </List.Item>
          <List.Item>or give the passphrase, where the treasury has one.</List.Item>
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
          <SegmentedControl
            aria-label="How to sign in"
            data={Object.entries(ways).map(([value, { label }]) => ({ value, label }))}
            value={way}
            onChange={(chosen) => {
              setWay(chosen as Way);
              setText('');
            }}
          />
          <PasswordInput
            label={ways[way].label}
            description={ways[way].description}
            w="100%"
            autoComplete="off"
            value={text}
            onChange={(event) => setText(event.currentTarget.value)}
          />
          <Button type="submit" loading={isBusy}>
            Sign in
          </Button>
        </Stack>
      </form>
    </Front>
  );
}
