// The recovery phrase: hidden until the owner asks, then shown, then proven to be written down. It is held only in this
// component's state.
import { Button, Group, List, Paper, PasswordInput, SimpleGrid, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { PhraseCheck } from './PhraseCheck.tsx';
import { IconEye } from '@tabler/icons-react';
import { askDesktop } from '../../api/desktop.ts';
import { ErrorNote } from '../ui/ErrorNote.tsx';
import { useCommand } from '../hooks/use-command.ts';
import { useNeedsPassphrase } from '../hooks/use-needs-passphrase.ts';
import { Form } from '../ui/Form.tsx';

interface RecoveryPhraseProps {
  /** The owner has entered the words that were asked for. */
  onConfirmed?: () => void;
}

interface Revealed {
  words: string[];
  /** The passphrase that revealed the words, which the check needs again. */
  passphrase?: string;
}

export const RecoveryPhrase = ({ onConfirmed }: RecoveryPhraseProps) => {
  const [revealed, setRevealed] = useState<Revealed | null>(null);
  const [isChecking, setChecking] = useState(false);
  if (revealed === null) return <PhraseReveal onRevealed={setRevealed} />;
  const { words, ...proof } = revealed;
  return (
    <Stack gap="md">
      {isChecking ? (
        <PhraseCheck
          {...proof}
          onBack={() => setChecking(false)}
          onConfirmed={() => {
            setRevealed(null);
            setChecking(false);
            onConfirmed?.();
          }}
        />
      ) : (
        <PhraseWords words={words} onHide={() => setRevealed(null)} onWritten={() => setChecking(true)} />
      )}
    </Stack>
  );
};

interface PhraseWordsProps {
  words: readonly string[];
  onHide: () => void;
  onWritten: () => void;
}

/** The 24 words, numbered. */
const PhraseWords = ({ words, onHide, onWritten }: PhraseWordsProps) => (
  <>
    <SimpleGrid
      component="ol"
      cols={{ base: 2, xs: 3, md: 4 }}
      spacing="xs"
      m={0}
      p={0}
      aria-label="Recovery phrase"
    >
      {words.map((word, index) => (
        // A word can occur twice, so its position is the key.
        // oxlint-disable-next-line react/no-array-index-key
        <Paper key={index} component="li" withBorder px="sm" py={6} display="flex">
          <Text span c="dimmed" w={28} className="amount">
            {index + 1}
          </Text>
          <Text span ff="monospace" fw={600} translate="no">
            {word}
          </Text>
        </Paper>
      ))}
    </SimpleGrid>
    <Group>
      <Button onClick={onWritten}>I have written them down</Button>
      <Button variant="default" onClick={onHide}>
        Hide
      </Button>
    </Group>
  </>
);

interface PhraseRevealProps {
  onRevealed: (revealed: { words: string[]; passphrase?: string }) => void;
}

/** Asks for confirmation before the recovery phrase is shown, and for the passphrase where there is one. */
const PhraseReveal = ({ onRevealed }: PhraseRevealProps) => {
  const [passphrase, setPassphrase] = useState('');
  const needsPassphrase = useNeedsPassphrase();
  const proof = needsPassphrase ? { passphrase } : {};
  const reveal = useCommand(async () => {
    const { phrase } = await askDesktop('revealPhrase', proof);
    onRevealed({ words: phrase.split(' '), ...proof });
  });
  return (
    <Form align="flex-start" onSubmit={() => void reveal.run()}>
      <List size="sm" spacing={4}>
        <List.Item>Anyone who has these 24 words can take all your money. It can’t be recovered.</List.Item>
        <List.Item>Without them, your money is lost if this machine is.</List.Item>
        <List.Item>Write them on paper. Don’t photograph them or type them into any other program.</List.Item>
      </List>
      {needsPassphrase && (
        <PasswordInput
          label="Passphrase"
          w="100%"
          maw={360}
          value={passphrase}
          onChange={(event) => setPassphrase(event.currentTarget.value)}
        />
      )}
      <Button type="submit" leftSection={<IconEye size={18} aria-hidden />} loading={reveal.isBusy}>
        Show the words
      </Button>
      <ErrorNote error={reveal.error} notDone="The words stay hidden." />
    </Form>
  );
};
