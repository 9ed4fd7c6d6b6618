// The SMTP server that sends the codes. Its password is sent and never comes back.
import {
  Button,
  Group,
  PasswordInput,
  Select,
  SimpleGrid,
  Stack,
  Text,
  TextInput,
  Title,
} from '@mantine/core';
import { useForm } from '@mantine/form';
import { ask } from '../../../api/owner.ts';
import { ErrorNote } from '../../../shared/ui/ErrorNote.tsx';
import { notifyDone } from '../../../shared/notify.ts';
import { Form } from '../../../shared/ui/Form.tsx';
import { useChange, useCommand } from '../../../shared/hooks/use-command.ts';
import { refusedAt } from '../../../shared/refused-at.ts';
import { useState } from 'react';
import { fieldErrors } from '../../../shared/field-errors.ts';
import type { Input, Reply } from '../../../../server/contract/schemas.ts';

export const MailServer = ({ kept }: { kept: KeptMailServer }) => {
  const form = useForm<MailServerValues>({
    initialValues: valuesOf(kept),
    validate: { port: (text) => (/^\d{1,5}$/.test(text) ? null : 'Enter a number from 1 to 65535.') },
  });
  const set = useChange(['getSignIn'], async (values: MailServerValues | null) => {
    await ask('setMailServer', { body: { mailServer: values === null ? null : mailServerOf(values) } });
    form.setFieldValue('password', '');
    notifyDone(values === null ? 'The mail server is removed.' : 'The mail server is saved.');
  });
  const { inputOf, command } = refusedAt(mailServerFields, form, set, 'mailServer.');
  return (
    <Stack gap="sm" component="section" aria-label="Mail server">
      <div>
        <Title order={3} size="h5">
          Mail server
        </Title>
        <Text c="dimmed">
          Sends sign-in codes by e-mail. Your mail provider’s help pages call these its SMTP settings.
        </Text>
      </div>
      <Form gap="sm" onSubmit={form.onSubmit((values) => void set.run(values))}>
        <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="sm">
          <TextInput label="Host" placeholder="smtp.example.com" {...inputOf('host')} />
          <TextInput label="Port" inputMode="numeric" {...inputOf('port')} />
          <Select label="Encryption" data={securities} allowDeselect={false} {...inputOf('security')} />
          <TextInput label="Sender’s address" placeholder="treasury@example.com" {...inputOf('from')} />
          <TextInput label="User" placeholder="None" autoComplete="off" {...inputOf('user')} />
          <PasswordInput
            label="Password"
            placeholder={kept?.hasPassword === true ? 'Stored; type to replace it' : 'None'}
            autoComplete="new-password"
            {...inputOf('password')}
          />
        </SimpleGrid>
        <ErrorNote error={command.error} notDone="Nothing was changed." />
        <Group gap="xs">
          <Button type="submit" variant="default" loading={set.isBusy}>
            Save mail server
          </Button>
          {kept !== null && (
            <Button variant="subtle" color="gray" disabled={set.isBusy} onClick={() => void set.run(null)}>
              Send no e-mail
            </Button>
          )}
        </Group>
      </Form>
      {kept !== null && <TestMessage from={kept.from} />}
    </Stack>
  );
};

/** Sends a test message through the saved mail server. */
const TestMessage = ({ from }: { from: string }) => {
  const [to, setTo] = useState(from);
  const test = useCommand(async () => {
    await ask('testMailServer', { body: { to: to.trim() } });
    notifyDone(`The mail server accepted a message for ${to.trim()}.`);
  });
  const named = fieldErrors(test.error, ['to']);
  return (
    <Form gap="xs" onSubmit={() => void test.run()}>
      <Group align="flex-start" gap="xs">
        <TextInput
          label="Test message to"
          type="email"
          flex={1}
          miw={200}
          value={to}
          error={named?.['to']}
          onChange={(event) => setTo(event.currentTarget.value)}
        />
        <Button type="submit" variant="default" mt={{ base: 0, xs: 25 }} loading={test.isBusy}>
          Send a test message
        </Button>
      </Group>
      {named === null && <ErrorNote error={test.error} notDone="No message was sent." />}
    </Form>
  );
};

type KeptMailServer = Reply<'getSignIn'>['mailServer'];
type MailServer = NonNullable<NonNullable<Input<'setMailServer'>['body']>['mailServer']>;

interface MailServerValues {
  host: string;
  port: string;
  security: MailServer['security'];
  /** Empty for none. */
  user: string;
  /** Empty keeps the saved one. */
  password: string;
  from: string;
}

const securities = [
  { value: 'tls', label: 'TLS (465)' },
  { value: 'starttls', label: 'STARTTLS (587)' },
  { value: 'none', label: 'None: this machine only' },
];

const mailServerFields = ['host', 'port', 'security', 'user', 'password', 'from'] as const;

const valuesOf = (kept: KeptMailServer): MailServerValues => ({
  host: kept?.host ?? '',
  port: String(kept?.port ?? 587),
  security: kept?.security ?? 'starttls',
  user: kept?.user ?? '',
  password: '',
  from: kept?.from ?? '',
});

/** Converts the mail server to the values of its form, and back. */
const mailServerOf = ({ password, ...values }: MailServerValues): MailServer => ({
  host: values.host.trim(),
  port: Number(values.port),
  security: values.security,
  user: values.user.trim() === '' ? null : values.user.trim(),
  from: values.from.trim(),
  ...(password === '' ? {} : { password }),
});
