// The treasury's own money and signing keys: balance, deposits, withdrawals, and protection.
import { SimpleGrid, Stack, Group, Text } from '@mantine/core';
import { Screen } from '../../shared/ui/Screen.tsx';
import { useTreasury, type Snapshot } from '../../stores/treasury.ts';
import { Balance } from './Balance.tsx';
import { ColdTreasury } from './ColdTreasury.tsx';
import { Deposits } from './Deposits.tsx';
import { Locking } from './Locking.tsx';
import { Network } from './Network.tsx';
import { Passphrase } from './Passphrase.tsx';
import { RecoveryWords } from './RecoveryWords.tsx';
import { Withdraw } from './Withdraw.tsx';
import { Address } from '../../shared/ui/Address.tsx';
import { Panel } from '../../shared/ui/Panel.tsx';
import { QrCode } from '../../shared/ui/QrCode.tsx';
import { Faucet } from './Faucet.tsx';

export default function Treasury() {
  const snapshot = useTreasury((state) => state.snapshot);
  if (snapshot === null) return null;
  const { treasury, network, locked, needsPassphrase } = snapshot;
  return (
    <Screen title="Treasury">
      <Balance treasury={treasury} />
      <SimpleGrid cols={{ base: 1, md: 2 }} spacing="lg">
        <Receive address={treasury.walletAddress} network={network} />
        <Withdraw treasury={treasury} />
      </SimpleGrid>
      <ColdTreasury />
      <Deposits />
      <SimpleGrid cols={{ base: 1, md: 2 }} spacing="lg">
        <Stack gap="lg">
          <RecoveryWords />
          <Network />
        </Stack>
        <Stack gap="lg">
          <Locking isLocked={locked} needsPassphrase={needsPassphrase} />
          <Passphrase />
        </Stack>
      </SimpleGrid>
    </Screen>
  );
}

/** The deposit address, to copy or to scan; on the sandbox, a faucet. */
interface ReceiveProps {
  address: string;
  network: Snapshot['network'];
}

const notes: Record<Snapshot['network'], string> = {
  sandbox: 'Test money only: nothing here is worth anything.',
  devnet: 'Devnet: send only its test USDC, and test SOL for fees.',
  mainnet: 'Send only USDC on Solana, and a little SOL for fees.',
};

const Receive = ({ address, network }: ReceiveProps) => (
  <Panel title="Deposit" note={notes[network]}>
    <Group align="flex-start" gap="lg">
      <QrCode value={address} title="Deposit address as a QR code" />
      <Stack gap="md" flex="1 1 200px">
        <div>
          <Text size="sm" c="dimmed" mb={4}>
            Deposit address
          </Text>
          <Address value={address} what="deposit address" whole />
        </div>
        {network === 'sandbox' && <Faucet />}
      </Stack>
    </Group>
  </Panel>
);
