// A Solana Pay request to scan, or to open where the wallet is on this device.
import { Anchor, Group, Stack } from '@mantine/core';
import { CopyButton } from './CopyButton.tsx';
import { QrCode } from './QrCode.tsx';

export const PayCode = ({ request, title }: { request: string; title: string }) => (
  <Stack gap="xs" align="flex-start">
    <QrCode value={request} title={title} size={220} />
    <Group gap="xs" wrap="nowrap">
      <Anchor href={request}>Open in a wallet on this device</Anchor>
      <CopyButton text={request} what="link" />
    </Group>
  </Stack>
);
