// A button for each wallet of this browser.
import { Button, Image } from '@mantine/core';
import type { Wallet } from '@wallet-standard/base';

interface WalletButtonsProps {
  wallets: readonly Wallet[];
  /** The name of the wallet that was asked and has not answered. */
  busy: string | null;
  /** Until this is true, none can be chosen. */
  isReady?: boolean;
  onChoose: (wallet: Wallet) => void;
}

export const WalletButtons = ({ wallets, busy, isReady = true, onChoose }: WalletButtonsProps) =>
  wallets.map((wallet) => (
    <Button
      key={wallet.name}
      variant="default"
      justify="flex-start"
      leftSection={<Image src={wallet.icon} w={20} h={20} alt="" />}
      loading={busy === wallet.name}
      disabled={!isReady || (busy !== null && busy !== wallet.name)}
      onClick={() => onChoose(wallet)}
    >
      {wallet.name}
    </Button>
  ));
