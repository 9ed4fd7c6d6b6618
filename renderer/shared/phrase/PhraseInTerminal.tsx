// How to see the recovery phrase from a browser, which is never shown it: by a command in a terminal. No word is asked for
// here either, so that nobody learns to type words into a page; the end of the address that the command prints above them
// shows that it was run, and for this treasury.
import { Code, Stack, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import { ask } from '../../api/owner.ts';
import { useOwner } from '../../stores/queries.ts';
import { lineOf } from '../shell.ts';
import { fieldErrors } from '../field-errors.ts';
import { useCommand } from '../hooks/use-command.ts';
import { useNeedsPhrase } from '../hooks/use-needs-phrase.ts';
import { Form, FormEnd } from '../ui/Form.tsx';

export const PhraseInTerminal = ({ onKept }: { onKept?: () => void }) => {
  const { data: about } = useOwner('about');
  const needsPhrase = useNeedsPhrase();
  return (
    <Stack gap="md">
      <Text>
        The 24 words are never shown in a browser. This command prints them, in a terminal on the treasury’s
        machine:
      </Text>
      <Code block tabIndex={0} className="break-anywhere" style={{ whiteSpace: 'pre-wrap' }}>
        {about === undefined ? '' : lineOf(about.exportPhrase, about.platform)}
      </Code>
      {needsPhrase && <Keeping {...(onKept === undefined ? {} : { onKept })} />}
    </Stack>
  );
};

const Keeping = ({ onKept }: { onKept?: () => void }) => {
  const [address, setAddress] = useState('');
  const keep = useCommand(async () => {
    await ask('keepPhrase', { body: { address: address.trim() } });
    onKept?.();
  });
  const named = fieldErrors(keep.error, ['address']);
  return (
    <Form onSubmit={() => void keep.run()}>
      <TextInput
        label="The last four characters of the address above the words"
        description="Write the words down on paper first. Do not type any of them here."
        required
        withAsterisk={false}
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
        value={address}
        onChange={(event) => setAddress(event.currentTarget.value)}
        error={named?.['address']}
      />
      <FormEnd of={named === null ? keep : { ...keep, error: null }}>I have the words on paper</FormEnd>
    </Form>
  );
};
