// Sign-in with a wallet of this browser. The wallet signs a text that names this link, and moves no money.
import { Button, Image, Stack, Text } from '@mantine/core';
import type { Wallet } from '@wallet-standard/base';
import { useState, useSyncExternalStore } from 'react';
import { askLink } from '../../api/link.ts';
import { ErrorNote } from '../../shared/ErrorNote.tsx';
import { useWork } from '../../shared/use-work.ts';
import { allWallets, sign, subscribe, usableOf } from './wallets.ts';
import { whoOf, type Who } from './who.ts';

interface WalletSignInProps {
  token: string;
  onSignedIn: (who: Who) => void;
}

export const WalletSignIn = ({ token, onSignedIn }: WalletSignInProps) => {
  const wallets = usableOf(useSyncExternalStore(subscribe, allWallets));
  const [asked, setAsked] = useState<string | null>(null);
  const prove = useWork(async (wallet: Wallet) => {
    setAsked(wallet.name);
    const body = await sign(wallet, await askLink('askWallet', token));
    onSignedIn(whoOf(await askLink('proveWallet', token, { body })));
  });
  if (wallets.length === 0)
    return (
      <Text size="sm" role="status">
        This browser has no wallet for Solana. Unlock or add its extension, and it appears here; or choose
        another way.
      </Text>
    );
  return (
    <Stack gap="sm">
      <Text size="sm">Your wallet shows a text to sign. It moves no money and costs nothing.</Text>
      {wallets.map((wallet) => (
        <Button
          key={wallet.name}
          variant="default"
          justify="flex-start"
          leftSection={<Image src={wallet.icon} w={20} h={20} alt="" />}
          loading={prove.isBusy && asked === wallet.name}
          disabled={prove.isBusy && asked !== wallet.name}
          onClick={() => void prove.run(wallet)}
        >
          {wallet.name}
        </Button>
      ))}
      <ErrorNote error={prove.error} notDone="You are not signed in." />
    </Stack>
  );
};
