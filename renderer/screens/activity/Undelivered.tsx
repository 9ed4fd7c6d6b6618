// The owner's options after a payment whose seller did not deliver.
import { Button, Group, Stack, Text } from '@mantine/core';
import { IconBan } from '@tabler/icons-react';
import { useState } from 'react';
import { useAgentName } from '../../shared/agent-names.ts';
import { CopyButton } from '../../shared/ui/CopyButton.tsx';
import { askAgain } from './ask-again.ts';
import { BlockService } from './BlockService.tsx';
import { evidenceOf } from './evidence.ts';
import type { Transfer } from '../../../server/contract/payments/steps.ts';

export const Undelivered = ({ transfer }: { transfer: Transfer }) => {
  const [isBlocking, setBlocking] = useState(false);
  const { agentId, serviceId, service } = transfer;
  const agent = useAgentName(agentId ?? '');
  return (
    <Stack gap="xs">
      {agentId !== null && (
        <Text>
          Asking again costs nothing: {agent} repeats its call, and the seller is shown the same payment.
        </Text>
      )}
      <Group gap="xs">
        {agentId !== null && (
          <CopyButton text={askAgain(transfer)} what="request" label="Copy request to ask again" />
        )}
        <CopyButton text={evidenceOf(transfer)} what="evidence" label="Copy evidence" />
        {agentId !== null && serviceId !== null && (
          <>
            <Button
              variant="default"
              leftSection={<IconBan size={16} aria-hidden />}
              onClick={() => setBlocking(true)}
              aria-haspopup="dialog"
            >
              Block this service
            </Button>
            <BlockService
              opened={isBlocking}
              onClose={() => setBlocking(false)}
              agentId={agentId}
              service={{ id: serviceId, name: service }}
            />
          </>
        )}
      </Group>
    </Stack>
  );
};
