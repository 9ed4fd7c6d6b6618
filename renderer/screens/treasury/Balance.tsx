// The treasury's balance: USDC for the agents, SOL for network fees.
import { Group, Stack, Text } from '@mantine/core';
import { formatUsdc, usdc } from '../../../server/money.ts';
import { Amount } from '../../shared/ui/Amount.tsx';
import { feesLeft } from '../../../server/contract/treasury/treasury.ts';
import { Panel } from '../../shared/ui/Panel.tsx';
import type { Snapshot } from '../../stores/treasury.ts';

/** The snapshot's amount is in micro-USDC. */
export const balanceOf = ({ amount }: Pick<Snapshot['treasury'], 'amount'>): string =>
  formatUsdc(usdc(BigInt(amount)));

export const Balance = ({ treasury }: { treasury: Snapshot['treasury'] }) => (
  <Panel>
    <Group gap="xl" align="flex-start" className="may-wrap">
      <Stack gap={2} miw={0}>
        <Text c="dimmed">Available in the treasury</Text>
        <Amount value={balanceOf(treasury)} fz={34} fw={650} lh={1.2} />
      </Stack>
      <Stack gap={2} flex="1 1 320px">
        <Text c="dimmed">For network fees</Text>
        <Text size="md">
          <Amount value={treasury.spendableSol} currency="SOL" fw={600} />
          <Text span c="dimmed">
            {` · ${feesLeft(treasury.transfersLeft)}`}
          </Text>
        </Text>
        <Text size="xs" c="dimmed">
          Each new agent, and each payee without a USDC account, costs 0.002 SOL once. 0.0009 SOL always stays
          in the treasury’s account.
        </Text>
      </Stack>
    </Group>
  </Panel>
);
