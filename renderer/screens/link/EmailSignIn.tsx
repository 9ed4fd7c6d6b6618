// Sign-in with a code sent by e-mail. It never reveals whether the treasury knows an address.
import { Button, Group, Stack, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import { askLink } from '../../api/link.ts';
import { ErrorNote } from '../../shared/ui/ErrorNote.tsx';
import { fieldErrors } from '../../shared/field-errors.ts';
import { useNow } from '../../shared/hooks/use-now.ts';
import { useWork } from '../../shared/hooks/use-work.ts';
import { Form } from '../../shared/ui/Form.tsx';
import { whoOf, type Who } from './who.ts';

interface EmailSignInProps {
  token: string;
  onSignedIn: (who: Who) => void;
}

interface Sent {
  to: string;
  at: number;
}

const againAfterMs = 30_000;

export const EmailSignIn = ({ token, onSignedIn }: EmailSignInProps) => {
  const [email, setEmail] = useState('');
  const [sent, setSent] = useState<Sent | null>(null);
  const ask = useWork(async (to: string) => {
    await askLink('askEmail', token, { body: { email: to } });
    setSent({ to, at: Date.now() });
  });
  const named = fieldErrors(ask.error, ['email']);
  return (
    <Stack gap="md">
      <Form
        gap="sm"
        onSubmit={() => {
          if (email.trim() !== '') void ask.run(email.trim());
        }}
      >
        <TextInput
          label="Your e-mail address"
          type="email"
          autoComplete="email"
          inputMode="email"
          value={email}
          error={named?.['email']}
          onChange={(event) => {
            setEmail(event.currentTarget.value);
            setSent(null);
          }}
        />
        {sent === null && (
          <Group>
            <Button type="submit" variant="default" loading={ask.isBusy}>
              Send code
            </Button>
          </Group>
        )}
      </Form>
      {named === null && <ErrorNote error={ask.error} notDone="No code was sent." />}
      {sent !== null && (
        <>
          <Text role="status">
            If this address is one of the owner’s, a code is on its way. It may take a minute.
          </Text>
          <Code token={token} onSignedIn={onSignedIn} />
          <Again at={sent.at} isBusy={ask.isBusy} onAgain={() => void ask.run(sent.to)} />
        </>
      )}
    </Stack>
  );
};

const digits = 6;

const Code = ({ token, onSignedIn }: EmailSignInProps) => {
  const [typed, setTyped] = useState('');
  const prove = useWork(async (code: string) => {
    try {
      onSignedIn(whoOf(await askLink('proveEmail', token, { body: { code } })));
    } finally {
      setTyped('');
    }
  });
  return (
    <Stack gap="xs">
      <TextInput
        label="The six-digit code in the e-mail"
        inputMode="numeric"
        autoComplete="one-time-code"
        autoFocus
        w="12em"
        ff="monospace"
        readOnly={prove.isBusy}
        value={typed}
        onChange={(event) => {
          // Pasted codes may contain spaces.
          const code = event.currentTarget.value.replaceAll(/\D/g, '').slice(0, digits);
          setTyped(code);
          if (code.length === digits) void prove.run(code);
        }}
      />
      <ErrorNote error={prove.error} notDone="You are not signed in." />
    </Stack>
  );
};

const Again = ({ at, isBusy, onAgain }: { at: number; isBusy: boolean; onAgain: () => void }) => {
  const left = Math.ceil((at + againAfterMs - useNow()) / 1_000);
  return (
    <Group>
      <Button variant="subtle" size="compact-sm" disabled={left > 0} loading={isBusy} onClick={onAgain}>
        {left > 0 ? `Send it again in ${left} s` : 'Send it again'}
      </Button>
    </Group>
  );
};
