// A browser without a session: where to find a login URL, and the other ways to prove to be the owner.
import { Button, Code, List, PasswordInput, SegmentedControl, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { ErrorNote } from '../../shared/ui/ErrorNote.tsx';
import { Form } from '../../shared/ui/Form.tsx';
import type { Proof } from '../../api/http.ts';
import { signIn, useConnection, type Over } from '../../stores/connection.ts';
import { Front } from './Front.tsx';

/** Why somebody who was signed in sees this screen. */
const endings: Record<Over, { title: string; why: string }> = {
  signed_out: { title: 'Signed out', why: 'You signed out in another tab of this browser.' },
  expired: { title: 'Sign in again', why: 'Twelve hours have passed since you signed in.' },
  locked: {
    title: 'The treasury is locked',
    why: 'Locking it signed out every browser. No agent can pay until you sign in and unlock it.',
  },
  passphrase: {
    title: 'Sign in again',
    why: 'The passphrase was changed, which signed out every browser. Use the new one from now on.',
  },
  older_copy: {
    title: 'Sign in again',
    why: 'The treasury’s records were replaced by an older copy, which signed out every browser.',
  },
  not_here: {
    title: 'Signed out',
    why: 'Signing in at this address was turned off in Settings, on the treasury’s own machine.',
  },
  restarted: {
    title: 'Sign in again',
    why: 'The treasury has restarted since you signed in. Sign in again.',
  },
  unproven: {
    title: 'You are signed out',
    why: 'Either the treasury restarted, or another program answers at its address. This tab has sent your sign-in to neither, and sends nothing more.',
  },
};

type Way = 'token' | 'passphrase';

const ways: Record<Way, { label: string; description: string; proofOf(text: string): Proof }> = {
  token: {
    label: 'Owner token',
    description: 'It is used to sign in, and is not stored.',
    proofOf: (text) => ({ token: text.trim() }),
  },
  passphrase: {
    label: 'Passphrase',
    description: 'The passphrase of the vault, on a real network.',
    proofOf: (text) => ({ passphrase: text }),
  },
};

export default function SignIn() {
  const over = useConnection((state) => state.over);
  const { title, why } = over === null ? { title: 'Sign in', why: null } : endings[over];
  return (
    <Front title={title}>
      {why !== null && <Text>{why}</Text>}
      {over === 'unproven' ? <LoadAgain /> : <Ways />}
    </Front>
  );
}

/** This tab sends nothing any more: another program may have the treasury's address. */
const LoadAgain = () => (
  <Stack gap="md" align="flex-start">
    <Text>
      If you started it again, open the new address that it printed, or load this page again to sign in
      another way.
    </Text>
    <Button onClick={() => location.reload()}>Load the page again</Button>
  </Stack>
);

/** This machine's own address is never https. */
const isAtPublicAddress = location.protocol === 'https:';

const FromAfar = () => (
  <Text>
    This is the treasury’s public address. Give the passphrase of the vault, or an owner token that a terminal
    got here. The login that the treasury prints at its start works on its own machine alone.
  </Text>
);

const Here = () => (
  <Stack gap="xs">
    <Text>
      At each start the treasury prints an address with a login to its terminal. It works once; open that
      address in this browser, or paste it into this page’s address.
    </Text>
    <Text>If it was used already:</Text>
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
);

const Ways = () => {
  const refused = useConnection((state) => state.refused);
  const [way, setWay] = useState<Way>(isAtPublicAddress ? 'passphrase' : 'token');
  const [text, setText] = useState('');
  const [isBusy, setBusy] = useState(false);
  const submit = async (): Promise<void> => {
    if (text.trim() === '') return;
    setBusy(true);
    await signIn(ways[way].proofOf(text));
    setBusy(false);
  };
  return (
    <>
      {isAtPublicAddress ? <FromAfar /> : <Here />}
      <ErrorNote error={refused} notDone="You are not signed in." />
      <Form
        align="flex-start"
        onSubmit={() => {
          void submit();
        }}
      >
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
      </Form>
    </>
  );
};
