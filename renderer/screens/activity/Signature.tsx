// A transaction's signature, with a link to a block explorer.
import { Anchor, Button, Group, Text } from '@mantine/core';
import { IconExternalLink } from '@tabler/icons-react';
import { askDesktop } from '../../api/desktop.ts';
import { Address } from '../../shared/ui/Address.tsx';
import { notifyFailure } from '../../shared/notify.ts';
import { isDesktop } from '../../stores/connection.ts';
import { useTreasury } from '../../stores/treasury.ts';
import { explorerUrl } from './explorer.ts';

export const Signature = ({ signature }: { signature: string }) => {
  const network = useTreasury(({ snapshot }) => snapshot?.network ?? 'sandbox');
  const url = explorerUrl(network, signature);
  return (
    <div>
      <Group gap="sm">
        <Address value={signature} what="signature" />
        {url !== null && <Look url={url} signature={signature} />}
      </Group>
      {network === 'sandbox' && (
        <Text size="xs" c="dimmed">
          The sandbox’s chain exists only on this machine, so no explorer shows it.
        </Text>
      )}
    </div>
  );
};

const Look = ({ url, signature }: { url: string; signature: string }) => {
  const icon = <IconExternalLink size={16} aria-hidden />;
  if (isDesktop)
    return (
      <Button
        size="compact-sm"
        variant="default"
        rightSection={icon}
        onClick={() => {
          askDesktop('openExplorer', { signature }).catch(notifyFailure('The explorer was not opened'));
        }}
      >
        Open in the explorer
      </Button>
    );
  return (
    <Anchor href={url} target="_blank" rel="noreferrer noopener">
      <Group gap={4} component="span" display="inline-flex">
        Open in the explorer {icon}
      </Group>
    </Anchor>
  );
};
