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
import { useChange } from '../../../shared/hooks/use-command.ts';
import { refusedAt } from '../../../shared/refused-at.ts';
import {
  mailServerFields,
  mailServerOf,
  securities,
  valuesOf,
  type KeptMailServer,
  type MailServerValues,
} from './mail-server-form.ts';
import { TestMessage } from './TestMessage.tsx';

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
