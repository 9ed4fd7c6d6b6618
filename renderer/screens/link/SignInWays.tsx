// The ways to sign in that the treasury offers; one is open at a time.
import { Accordion, Anchor, Text, Button, Group, PasswordInput, Stack } from '@mantine/core';
import {
  IconBuildingBank,
  IconLock,
  IconMail,
  IconUserCircle,
  IconWallet,
  type Icon,
  IconExternalLink,
} from '@tabler/icons-react';
import { type ReactNode, useState } from 'react';
import type { Reply } from '../../../server/contract/schemas.ts';
import { EmailSignIn } from './EmailSignIn.tsx';
import { WalletSignIn } from './WalletSignIn.tsx';
import { type Who, provePassphrase } from './who.ts';
import { ErrorNote } from '../../shared/ui/ErrorNote.tsx';
import { useWork } from '../../shared/hooks/use-work.ts';
import { askLink } from '../../api/link.ts';
import { leaveFor } from './journey.ts';
import { wrapping } from '../../shared/wrapping.ts';
import { Form, FormEnd } from '../../shared/ui/Form.tsx';

interface SignInWaysProps {
  token: string;
  methods: Reply<'signInMethods'>;
  onSignedIn: (who: Who) => void;
}

interface Way {
  id: string;
  label: string;
  icon: Icon;
  panel: ReactNode;
}

export const SignInWays = ({ token, methods, onSignedIn }: SignInWaysProps) => {
  const { passphrase, wallet, email, provider } = methods;
  const own = { token, onSignedIn };
  const ways: Way[] = [
    { id: 'treasury', label: 'In the dashboard', icon: IconBuildingBank, panel: <InTheTreasury /> },
    ...(passphrase
      ? [
          {
            id: 'passphrase',
            label: 'With the passphrase',
            icon: IconLock,
            panel: <PassphraseSignIn {...own} />,
          },
        ]
      : []),
    ...(wallet
      ? [{ id: 'wallet', label: 'With a wallet', icon: IconWallet, panel: <WalletSignIn {...own} /> }]
      : []),
    ...(email ? [{ id: 'email', label: 'By e-mail', icon: IconMail, panel: <EmailSignIn {...own} /> }] : []),
    ...(provider === null
      ? []
      : [
          {
            id: 'provider',
            label: `With ${provider.name}`,
            icon: IconUserCircle,
            panel: <ProviderSignIn token={token} name={provider.name} />,
          },
        ]),
  ];
  return (
    <Accordion variant="contained" order={3} defaultValue="treasury" keepMounted={false}>
      {ways.map(({ id, label, icon: WayIcon, panel }) => (
        <Accordion.Item key={id} value={id} bg="var(--card)">
          <Accordion.Control icon={<WayIcon size={20} aria-hidden />}>{label}</Accordion.Control>
          <Accordion.Panel>{panel}</Accordion.Panel>
        </Accordion.Item>
      ))}
    </Accordion>
  );
};

const InTheTreasury = () => (
  <Text>
    Open Approvals in the desktop application or in{' '}
    <Anchor href="/#/approvals" target="_blank" rel="noopener" inherit underline="always">
      the dashboard
    </Anchor>
    , compare the code there, and press Link. This page then continues on its own.
  </Text>
);

/** Sign-in as the owner, with the treasury's passphrase. */
const PassphraseSignIn = ({ onSignedIn }: { onSignedIn: (who: Who) => void }) => {
  const [passphrase, setPassphrase] = useState('');
  const prove = useWork(async () => onSignedIn(await provePassphrase(passphrase)));
  return (
    <Form
      gap="sm"
      onSubmit={() => {
        if (passphrase !== '') void prove.run();
      }}
    >
      <PasswordInput
        label="Passphrase"
        description="The passphrase that protects the treasury’s keys. It is not stored."
        autoComplete="off"
        value={passphrase}
        onChange={(event) => setPassphrase(event.currentTarget.value)}
      />
      <FormEnd of={prove} notDone="You are not signed in." variant="default">
        Sign in
      </FormEnd>
    </Form>
  );
};

/** Sends the browser to the identity provider, which sends it back to this page. */
const ProviderSignIn = ({ token, name }: { token: string; name: string }) => {
  const leave = useWork(async () => leaveFor(token, await askLink('askProvider', token)));
  return (
    <Stack gap="sm">
      <Text>It returns you here once you have signed in.</Text>
      <ErrorNote error={leave.error} notDone="You are not signed in." />
      <Group>
        <Button
          {...wrapping}
          mih={36}
          variant="default"
          leftSection={<IconExternalLink size={18} aria-hidden />}
          loading={leave.isBusy}
          onClick={() => void leave.run()}
        >
          Continue with {name}
        </Button>
      </Group>
    </Stack>
  );
};
