// The deposit address, to copy or to scan; on the sandbox, a faucet.
import { Group, Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { Address } from '../../shared/ui/Address.tsx';
import { Panel } from '../../shared/ui/Panel.tsx';
import { QrCode } from '../../shared/ui/QrCode.tsx';
import type { Snapshot } from '../../stores/treasury.ts';
import { Faucet } from './Faucet.tsx';

interface ReceiveProps {
  address: string;
  network: Snapshot['network'];
  actions?: ReactNode;
}

const notes: Record<Snapshot['network'], string> = {
  sandbox: 'Test money only. It has no value.',
  devnet: 'Devnet: send only its test USDC, and test SOL for fees.',
  mainnet: 'Send only USDC on Solana, and a little SOL for fees.',
};

export const Receive = ({ address, network, actions }: ReceiveProps) => (
  <Panel title="Deposit" note={notes[network]} actions={actions}>
    <DepositAddress address={address}>{network === 'sandbox' && <Faucet />}</DepositAddress>
  </Panel>
);

/** @param children stand below the address */
export const DepositAddress = ({ address, children }: { address: string; children?: ReactNode }) => (
  <Group align="flex-start" gap="lg">
    <QrCode value={address} title="Deposit address as a QR code" />
    <Stack gap="md" flex="1 1 200px" miw={0}>
      <div>
        <Text c="dimmed" mb={4}>
          Deposit address
        </Text>
        <Address value={address} what="deposit address" whole />
      </div>
      {children}
    </Stack>
  </Group>
);
