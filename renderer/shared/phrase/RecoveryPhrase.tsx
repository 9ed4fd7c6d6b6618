// The recovery phrase: hidden until the owner asks, then shown, then proven to be written down. It is held only in this
// component's state.
import { Stack } from '@mantine/core';
import { useState } from 'react';
import { PhraseCheck } from './PhraseCheck.tsx';
import { PhraseReveal } from './PhraseReveal.tsx';
import { PhraseWords } from './PhraseWords.tsx';

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
