// Sign-in with a wallet of this browser. The wallet signs a text that names this link, and moves no money.
import { Stack, Text } from '@mantine/core';
import type { Wallet } from '@wallet-standard/base';
import { useState, useSyncExternalStore } from 'react';
import { askLink } from '../../api/link.ts';
import { ErrorNote } from '../../shared/ui/ErrorNote.tsx';
import { useWork } from '../../shared/hooks/use-work.ts';
import { WalletButtons } from '../../shared/ui/WalletButtons.tsx';
import { allWallets, subscribe } from '../../shared/wallets.ts';
import { sign, usableOf } from './wallets.ts';
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
