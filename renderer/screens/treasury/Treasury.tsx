// The treasury's own money and signing keys: balance, deposits, withdrawals, and protection.
import { Anchor, SimpleGrid, Stack } from '@mantine/core';
import { Link } from 'wouter';
import { Fold } from '../../shared/ui/Fold.tsx';
import { Screen } from '../../shared/ui/Screen.tsx';
import { useTreasury } from '../../stores/treasury.ts';
import { Balance } from './Balance.tsx';
import { ColdTreasury } from './ColdTreasury.tsx';
import { Deposits } from './Deposits.tsx';
import { Locking } from './Locking.tsx';
import { Network } from './Network.tsx';
import { Passphrase } from './Passphrase.tsx';
import { RecoveryWords } from './RecoveryWords.tsx';
import { Withdraw } from './Withdraw.tsx';
import { Receive } from './Receive.tsx';
import { Withdrawals } from './Withdrawals.tsx';

export default function Treasury() {
  const snapshot = useTreasury((state) => state.snapshot);
  if (snapshot === null) return null;
  const { treasury, network, locked, needsPassphrase, phraseKept, outage, rpcFaults } = snapshot;
  // A banner led here.
  const isWanted = locked || !phraseKept || outage !== null || rpcFaults.length > 0;
  return (
    <Screen title="Treasury">
      <Balance treasury={treasury} />
      <SimpleGrid cols={{ base: 1, md: 2 }} spacing="lg">
        <Receive
          address={treasury.walletAddress}
          network={network}
          actions={
            <Anchor component={Link} href="/treasury/get" size="sm">
              Get money
            </Anchor>
          }
        />
        <Withdraw treasury={treasury} locked={locked} />
      </SimpleGrid>
      <ColdTreasury />
      <Deposits />
      <Withdrawals />
      <Fold label="Recovery phrase, lock, network and key protection" isOpen={isWanted}>
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
      </Fold>
    </Screen>
  );
}
