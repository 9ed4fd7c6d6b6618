// The ways to sign in that the treasury offers; one is open at a time.
import { Accordion, Anchor, Text } from '@mantine/core';
import {
  IconBuildingBank,
  IconLock,
  IconMail,
  IconUserCircle,
  IconWallet,
  type Icon,
} from '@tabler/icons-react';
import type { ReactNode } from 'react';
import type { Reply } from '../../../server/contract/schemas.ts';
import { EmailSignIn } from './EmailSignIn.tsx';
import { PassphraseSignIn } from './PassphraseSignIn.tsx';
import { ProviderSignIn } from './ProviderSignIn.tsx';
import { WalletSignIn } from './WalletSignIn.tsx';
import type { Who } from './who.ts';

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
    { id: 'treasury', label: 'In the treasury', icon: IconBuildingBank, panel: <InTheTreasury /> },
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
  <Text size="sm">
    Open Approvals in the desktop application or in{' '}
    <Anchor href="/#/approvals" target="_blank" rel="noopener" inherit underline="always">
      the dashboard
    </Anchor>
    , compare the code there, and press Link. This page notices.
  </Text>
);
