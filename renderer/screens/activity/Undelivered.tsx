// The owner's options after a payment whose seller did not deliver.
import { Button, Group } from '@mantine/core';
import { IconBan } from '@tabler/icons-react';
import { useState } from 'react';
import { CopyButton } from '../../shared/CopyButton.tsx';
import { BlockService } from './BlockService.tsx';
import { evidenceOf } from './evidence.ts';
import type { Transfer } from './steps.ts';

export const Undelivered = ({ transfer }: { transfer: Transfer }) => {
  const [isBlocking, setBlocking] = useState(false);
  const { agentId, serviceId, service } = transfer;
  return (
    <Group gap="xs">
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
  );
};
