// The words from which everything can be restored: shown after two confirmations, and only in the desktop's own window.
import { Button, Code, Group, Modal, Stack, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconKey } from '@tabler/icons-react';
import { Panel } from '../../shared/Panel.tsx';
import { RecoveryPhrase } from '../../shared/RecoveryPhrase.tsx';
import { isDesktop } from '../../stores/connection.ts';
import { useOwner } from '../../stores/queries.ts';
import type { Snapshot } from '../../stores/treasury.ts';

export const RecoveryWords = ({ network }: { network: Snapshot['network'] }) => (
  <Panel title="Recovery phrase" note="24 words that restore the treasury and every agent’s wallet.">
    {isDesktop ? <InDialog /> : <InTerminal network={network} />}
  </Panel>
);

const InDialog = () => {
  const [isOpen, { open, close }] = useDisclosure(false);
  return (
    <>
      <Group>
        <Button variant="default" leftSection={<IconKey size={18} aria-hidden />} onClick={open}>
          Show recovery phrase
        </Button>
      </Group>
      <Modal opened={isOpen} onClose={close} title="Recovery phrase" size="lg">
        <RecoveryPhrase onConfirmed={close} />
      </Modal>
    </>
  );
};

const InTerminal = ({ network }: { network: Snapshot['network'] }) => {
  const { data: about } = useOwner('about');
  const command = [
    'npm run headless --',
    `--network ${network}`,
    network === 'sandbox' ? '' : '--rpc URL',
    about === undefined ? '' : `--data ${about.dataFolder}`,
    '--export-phrase',
  ].filter((part) => part !== '');
  return (
    <Stack gap="xs">
      <Text size="sm">
        They are never shown in a browser. You see them in the desktop application’s window, or in a terminal:
      </Text>
      <Code block tabIndex={0} className="break-anywhere" style={{ whiteSpace: 'pre-wrap' }}>
        {command.join(' ')}
      </Code>
    </Stack>
  );
};
