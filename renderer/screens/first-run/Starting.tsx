// Explains the wait, with the time that has passed.
import { Group, Loader, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { useNow } from '../../shared/use-now.ts';

const slowMs = 10_000;

export const Starting = ({ network }: { network: string | null }) => {
  const [since] = useState(Date.now);
  const isSlow = useNow() - since > slowMs;
  return (
    <Stack gap="xs" role="status">
      <Group gap="sm" wrap="nowrap">
        <Loader size="sm" />
        <Text size="sm">
          {network === null || network === 'sandbox'
            ? 'A Solana of your own starts on this machine, and 1,000 test USDC arrive.'
            : 'Opening your keys and reading the chain.'}
        </Text>
      </Group>
      {isSlow && (
        <Text size="sm" c="dimmed">
          This takes longer than usual. A slow RPC, or a treasury with a long past, can need a minute.
        </Text>
      )}
    </Stack>
  );
};
