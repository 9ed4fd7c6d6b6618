// The words from which everything can be restored: shown after two confirmations, and only in the desktop's own window.
import { Button, Group, Modal, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconKey } from '@tabler/icons-react';
import { Panel } from '../../shared/ui/Panel.tsx';
import { PhraseInTerminal } from '../../shared/phrase/PhraseInTerminal.tsx';
import { RecoveryPhrase } from '../../shared/phrase/RecoveryPhrase.tsx';
import { isDesktop } from '../../stores/connection.ts';
import { dayAndTimeOf } from '../../shared/time.ts';
import { useOwner } from '../../stores/queries.ts';

export const RecoveryWords = () => (
  <Panel title="Recovery phrase" note="24 words that restore the treasury and every agent’s wallet.">
    {isDesktop ? <InDialog /> : <PhraseInTerminal />}
    <Text mt="sm">
      In any wallet app the words open the treasury at m/44'/501'/0'/0', and agents at m/44'/501'/1'/0' and so
      on.
    </Text>
    <Searched />
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

/** What the search of the chain covered, where these records were read back from it. */
const Searched = () => {
  const { data: about } = useOwner('about');
  if (about === undefined || about.restored === null) return null;
  const { at, searchedWallets } = about.restored;
  return (
    <Text mt="sm">
      These records were read from {about.network} on {dayAndTimeOf(at)}. Wallets 1 to {searchedWallets} were
      searched for agents. Other networks have their own keys and words.
    </Text>
  );
};
