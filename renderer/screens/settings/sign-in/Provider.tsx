// The OpenID Connect provider. Its secret is sent and never comes back.
import { Button, Group, PasswordInput, SimpleGrid, Stack, Text, TextInput, Title } from '@mantine/core';
import { useForm } from '@mantine/form';
import type { Input, Reply } from '../../../../server/contract/schemas.ts';
import { ask } from '../../../api/owner.ts';
import { Command } from '../../../shared/ui/CopyButton.tsx';
import { ErrorNote } from '../../../shared/ui/ErrorNote.tsx';
import { notifyDone } from '../../../shared/notify.ts';
import { Form } from '../../../shared/ui/Form.tsx';
import { useChange } from '../../../shared/hooks/use-command.ts';
import { refusedAt } from '../../../shared/refused-at.ts';

interface ProviderProps {
  kept: Reply<'getSignIn'>['provider'];
  /** For each address of this treasury. */
  redirectUris: readonly string[];
}

interface Values {
  name: string;
  issuer: string;
  clientId: string;
  /** Empty keeps the saved one. */
  clientSecret: string;
}

const fields = ['name', 'issuer', 'clientId', 'clientSecret'] as const;

const providerOf = ({ clientSecret, ...typed }: Values): NonNullable<Input<'setProvider'>['body']> => ({
  provider: {
    name: typed.name.trim(),
    issuer: typed.issuer.trim(),
    clientId: typed.clientId.trim(),
    ...(clientSecret === '' ? {} : { clientSecret }),
  },
});

export const Provider = ({ kept, redirectUris }: ProviderProps) => {
  const form = useForm<Values>({
    initialValues: {
      name: kept?.name ?? '',
      issuer: kept?.issuer ?? '',
      clientId: kept?.clientId ?? '',
      clientSecret: '',
    },
  });
  const set = useChange(['getSignIn'], async (values: Values | null) => {
    await ask('setProvider', { body: values === null ? { provider: null } : providerOf(values) });
    form.setFieldValue('clientSecret', '');
    notifyDone(values === null ? 'The identity provider is removed.' : 'The identity provider is saved.');
  });
  const { inputOf, command } = refusedAt(fields, form, set, 'provider.');
  return (
    <Stack gap="sm" component="section" aria-label="Identity provider">
      <div>
        <Title order={3} size="h5">
          Identity provider
        </Title>
        <Text c="dimmed">
          Lets people sign in with an account elsewhere (OpenID Connect). Register there:
        </Text>
      </div>
      {redirectUris.map((one) => (
        <Command text={one} what={`redirect address ${one}`} />
      ))}
      <Form gap="sm" onSubmit={form.onSubmit((values) => void set.run(values))}>
        <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="sm">
          <TextInput
            label="Name"
            placeholder="The sign-in button shows it"
            maxLength={80}
            {...inputOf('name')}
          />
          <TextInput label="Address (issuer)" placeholder="https://id.example.com" {...inputOf('issuer')} />
          <TextInput label="Client ID" autoComplete="off" {...inputOf('clientId')} />
          <PasswordInput
            label="Client secret"
            placeholder={kept?.hasSecret === true ? 'Stored; type to replace it' : 'None'}
            autoComplete="new-password"
            {...inputOf('clientSecret')}
          />
        </SimpleGrid>
        {kept !== null && (
          <Text c="dimmed">
            Changing or removing the issuer removes the accounts above: they exist only there.
          </Text>
        )}
        <ErrorNote error={command.error} notDone="Nothing was changed." />
        <Group gap="xs">
          <Button type="submit" variant="default" loading={set.isBusy}>
            Save provider
          </Button>
          {kept !== null && (
            <Button variant="subtle" color="gray" disabled={set.isBusy} onClick={() => void set.run(null)}>
              Use no provider
            </Button>
          )}
        </Group>
      </Form>
    </Stack>
  );
};
