// Asks for confirmation before the recovery phrase is shown, and for the passphrase where there is one.
import { Button, List, PasswordInput } from '@mantine/core';
import { IconEye } from '@tabler/icons-react';
import { useState } from 'react';
import { askDesktop } from '../../api/desktop.ts';
import { ErrorNote } from '../ui/ErrorNote.tsx';
import { useCommand } from '../hooks/use-command.ts';
import { useNeedsPassphrase } from '../hooks/use-needs-passphrase.ts';
import { Form } from '../ui/Form.tsx';

interface PhraseRevealProps {
  onRevealed: (revealed: { words: string[]; passphrase?: string }) => void;
}

export const PhraseReveal = ({ onRevealed }: PhraseRevealProps) => {
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
