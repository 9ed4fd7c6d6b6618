// Where to send USDC; the sandbox has some already, and a faucet.
import { Anchor, Button, Group, Stack, Text } from '@mantine/core';
import { IconArrowRight, IconServer2, IconSnowflake } from '@tabler/icons-react';
import { Link } from 'wouter';
import { formatUsdc } from '../../../server/money.ts';
import { Amount } from '../../shared/ui/Amount.tsx';
import { Fold } from '../../shared/ui/Fold.tsx';
import { Notice } from '../../shared/ui/Notice.tsx';
import { Panel } from '../../shared/ui/Panel.tsx';
import { useTreasuryBalance } from '../../shared/hooks/use-treasury-balance.ts';
import { isDesktop } from '../../stores/connection.ts';
import { useOwner } from '../../stores/queries.ts';
import { useTreasury } from '../../stores/treasury.ts';
import { ColdTreasury } from '../treasury/ColdTreasury.tsx';
import { Faucet } from '../treasury/Faucet.tsx';
import { DepositAddress } from '../treasury/Receive.tsx';

export const DepositStep = ({ onNext }: { onNext: () => void }) => {
  const snapshot = useTreasury((state) => state.snapshot);
  const balance = useTreasuryBalance();
  if (snapshot === null) return null;
  const { walletAddress, sol } = snapshot.treasury;
  const isSandbox = snapshot.network === 'sandbox';
  const address = <DepositAddress address={walletAddress} />;
  const deposit = (
    <Panel
      title={isSandbox ? 'Your treasury is filled with test money' : 'Send USDC to your treasury'}
      note={
        isSandbox
          ? 'The sandbox gave it 1,000 test USDC and the SOL that pays network fees. You can continue right away.'
          : `On Solana ${snapshot.network}: USDC for payments, and a little SOL (0.05 is plenty) for network fees.`
      }
    >
      {!isSandbox && address}
      <div role="status">
        <Text c="dimmed">Received so far</Text>
        <Text fz="h3" fw={650} size="md">
          <Amount value={formatUsdc(balance)} />
        </Text>
        <Text c="dimmed">
          <Amount value={sol} currency="SOL" /> for fees
        </Text>
      </div>
      <Group>
        <Button rightSection={<IconArrowRight size={16} aria-hidden />} onClick={onNext}>
          {balance === 0n ? 'Continue without funds' : 'Next: your first agent'}
        </Button>
      </Group>
      {isSandbox ? (
        <>
          <Fold label="Get more test USDC">
            <Faucet />
          </Fold>
          <Fold label="Deposit address">{address}</Fold>
        </>
      ) : (
        <Anchor component={Link} href="/treasury/get">
          How to buy USDC and send it here
        </Anchor>
      )}
    </Panel>
  );
  return (
    <Stack gap="lg">
      {snapshot.network === 'mainnet' && <Recommendation />}
      {snapshot.network !== 'sandbox' && <SecondRpc />}
      {deposit}
      {snapshot.network === 'mainnet' && <ColdTreasury />}
    </Stack>
  );
};

const SecondRpc = () => {
  const { data: about } = useOwner('about');
  return about?.secondRpcHost === null ? (
    <Notice
      color="blue"
      icon={<IconServer2 aria-hidden />}
      title="Recommended: a second Solana RPC from another provider"
    >
      Payments continue if {about.rpcHost} goes down, and reserved money is released only when both agree.{' '}
      {isDesktop ? (
        'Set it under Treasury, Network.'
      ) : (
        <>
          Start the treasury with <code>--second-rpc URL</code>.
        </>
      )}
    </Notice>
  ) : null;
};

/** Real money: what this machine does not hold, it cannot lose. */
const Recommendation = () => (
  <Notice
    color="blue"
    icon={<IconSnowflake aria-hidden />}
    title="Recommended: keep most of it in a cold wallet"
  >
    Send only what your agents need for a few days. The rest can stay in a Ledger or a phone wallet that
    allows this treasury to draw a set amount: set that up below, or later under Treasury.
  </Notice>
);
