// The ways to sign in that the treasury offers; one is open at a time.
import { Accordion, Anchor, Button, Group, PasswordInput, Stack, Text } from '@mantine/core';
import {
  IconBuildingBank,
  IconLock,
  IconMail,
  IconUserCircle,
  IconWallet,
  type Icon,
  IconExternalLink,
} from '@tabler/icons-react';
import { type ReactNode, useState, useSyncExternalStore } from 'react';
import type { Reply } from '../../../server/contract/schemas.ts';
import { EmailSignIn } from './EmailSignIn.tsx';
import { provePassphrase, type Who, whoOf } from './who.ts';
import { ErrorNote } from '../../shared/ui/ErrorNote.tsx';
import { useWork } from '../../shared/hooks/use-work.ts';
import { askLink } from '../../api/link.ts';
import { leaveFor } from './journey.ts';
import { wrapping } from '../../shared/wrapping.ts';
import { Form, FormEnd } from '../../shared/ui/Form.tsx';
import type { Wallet } from '@wallet-standard/base';
import { WalletButtons } from '../../shared/ui/WalletButtons.tsx';
import { allWallets, subscribe } from '../../shared/wallets.ts';
import { sign, usableOf } from './wallets.ts';

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

interface WalletSignInProps {
  token: string;
  onSignedIn: (who: Who) => void;
}

/** Sign-in with a wallet of this browser. The wallet signs a text that names this link, and moves no money. */
const WalletSignIn = ({ token, onSignedIn }: WalletSignInProps) => {
  const wallets = usableOf(useSyncExternalStore(subscribe, allWallets));
  const [asked, setAsked] = useState<string | null>(null);
  const prove = useWork(async (wallet: Wallet) => {
    setAsked(wallet.name);
    const body = await sign(wallet, await askLink('askWallet', token));
    onSignedIn(whoOf(await askLink('proveWallet', token, { body })));
  });
  if (wallets.length === 0)
    return (
      <Text role="status">
        This browser has no wallet for Solana. Unlock or add its extension, and it appears here; or choose
        another way.
      </Text>
    );
  return (
    <Stack gap="sm">
      <Text>Your wallet asks you to sign a message. It moves no money and costs nothing.</Text>
      <WalletButtons
        wallets={wallets}
        busy={prove.isBusy ? asked : null}
        onChoose={(wallet) => void prove.run(wallet)}
      />
      <ErrorNote error={prove.error} notDone="You are not signed in." />
    </Stack>
  );
};
