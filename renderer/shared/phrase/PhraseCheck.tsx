// Asks for three words of the recovery phrase, as proof that it was written down.
import { Button, Group, SimpleGrid, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import { askDesktop } from '../../api/desktop.ts';
import { ErrorNote } from '../ui/ErrorNote.tsx';
import { ordinal, randomPlaces } from './random-places.ts';
import { useCommand } from '../hooks/use-command.ts';
import { Form } from '../ui/Form.tsx';

interface PhraseCheckProps {
  passphrase?: string;
  onBack: () => void;
  onConfirmed: () => void;
}

const random = (): number => (crypto.getRandomValues(new Uint32Array(1))[0] ?? 0) / 2 ** 32;

export const PhraseCheck = ({ passphrase, onBack, onConfirmed }: PhraseCheckProps) => {
  const [places] = useState(() => randomPlaces(3, 24, random));
  const [given, setGiven] = useState<Record<number, string>>({});
  const check = useCommand(async () => {
    const words = places.map((place) => ({ place, word: (given[place] ?? '').trim().toLowerCase() }));
    const { confirmed } = await askDesktop('confirmPhrase', {
      words,
      ...(passphrase === undefined ? {} : { passphrase }),
    });
    if (!confirmed) throw new Error('At least one word is wrong. Check your paper again.');
    onConfirmed();
  });
  return (
    <Form onSubmit={() => void check.run()}>
      <Text>Now read these three from your paper.</Text>
      <SimpleGrid cols={{ base: 1, xs: 3 }}>
        {places.map((place, index) => (
          <TextInput
            key={place}
            label={`The ${ordinal(place)} word`}
            required
            withAsterisk={false}
            autoComplete="off"
            autoCapitalize="none"
            spellCheck={false}
            data-autofocus={index === 0 ? true : undefined}
            value={given[place] ?? ''}
            onChange={({ currentTarget: { value } }) => setGiven((before) => ({ ...before, [place]: value }))}
          />
        ))}
      </SimpleGrid>
      <ErrorNote error={check.error} />
      <Group>
        <Button type="submit" loading={check.isBusy}>
          Check
        </Button>
        <Button variant="default" onClick={onBack}>
          Show the words again
        </Button>
      </Group>
    </Form>
  );
};
