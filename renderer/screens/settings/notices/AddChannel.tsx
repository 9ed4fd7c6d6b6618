// Adds a channel. A webhook's secret is made here, sent once, and never comes back.
import {
  Checkbox,
  Group,
  PasswordInput,
  SegmentedControl,
  Stack,
  Text,
  Textarea,
  TextInput,
  Title,
} from '@mantine/core';
import { useForm } from '@mantine/form';
import { channelKinds, type ChannelKind } from '../../../../server/contract/notices/notices.ts';
import { ask } from '../../../api/owner.ts';
import { CopyButton } from '../../../shared/ui/CopyButton.tsx';
import { fieldErrors } from '../../../shared/field-errors.ts';
import { notifyDone } from '../../../shared/notify.ts';
import { Form, FormEnd } from '../../../shared/ui/Form.tsx';
import { useChange } from '../../../shared/hooks/use-command.ts';
import { changedBy } from '../../../stores/queries.ts';
import { bodyOf, choices, fieldOf, newSecret, type Values } from './channel.ts';

interface AddChannelProps {
  hasMailServer: boolean;
  hasDesktop: boolean;
}

const valuesFor = (kind: ChannelKind): Values => ({
  kind,
  place: '',
  server: '',
  secret: kind === 'webhook' ? newSecret() : '',
  allowPrivate: false,
});

const places: Record<ChannelKind, { label: string; placeholder: string }> = {
  webhook: { label: 'URL', placeholder: 'https://hooks.example.com/treasury' },
  email: { label: 'E-mail address', placeholder: 'you@example.com' },
  ntfy: { label: 'Topic', placeholder: 'a-name-that-nobody-guesses' },
  desktop: { label: '', placeholder: '' },
};

export const AddChannel = ({ hasMailServer, hasDesktop }: AddChannelProps) => {
  const form = useForm<Values>({
    initialValues: valuesFor('webhook'),
    validate: {
      place: (text, { kind }) => (kind !== 'desktop' && text.trim() === '' ? 'Write where it leads.' : null),
    },
  });
  const { kind } = form.values;
  const add = useChange(changedBy.notices, async (values: Values) => {
    const added = await ask('addNoticeChannel', { body: bodyOf(values) });
    form.setValues(valuesFor(values.kind));
    notifyDone(`${added.name} is added. Send a test notice to see that it arrives.`);
  });
  const named = fieldErrors(add.error, [fieldOf[kind], 'server', 'secret', 'token']);
  return (
    <Stack gap="sm" component="section" aria-label="Add a channel">
      <Title order={3} size="h5">
        Add a channel
      </Title>
      <Form gap="sm" onSubmit={form.onSubmit((values) => void add.run(values))}>
        <SegmentedControl
          size="xs"
          aria-label="Kind of channel"
          data={choices.map((one) => ({ ...one, disabled: one.value === 'desktop' && hasDesktop }))}
          value={kind}
          onChange={(chosen) => {
            add.reset();
            form.setValues(valuesFor(chosen as ChannelKind));
            form.clearErrors();
          }}
        />
        {kind === 'desktop' ? (
          <Text size="sm">Notices are shown by the desktop application, as long as it runs.</Text>
        ) : (
          <TextInput
            label={places[kind].label}
            placeholder={places[kind].placeholder}
            autoCapitalize="none"
            spellCheck={false}
            {...form.getInputProps('place')}
            error={form.errors['place'] ?? named?.[fieldOf[kind]]}
          />
        )}
        {kind === 'email' && !hasMailServer && (
          <Text size="sm" c="dimmed">
            E-mail goes through your own mail server. Set it below, in “Let other people link”.
          </Text>
        )}
        <Secrets form={form} named={named} />
        <FormEnd
          of={named === null ? add : { ...add, error: null }}
          notDone="No channel was added."
          variant="default"
        >
          Add {channelKinds[kind]}
        </FormEnd>
      </Form>
    </Stack>
  );
};

interface SecretsProps {
  form: Pick<ReturnType<typeof useForm<Values>>, 'values' | 'getInputProps'>;
  named: Record<string, string> | null;
}

const Secrets = ({ form, named }: SecretsProps) => {
  const { kind, secret } = form.values;
  if (kind !== 'webhook' && kind !== 'ntfy') return null;
  return (
    <>
      {kind === 'webhook' ? (
        <Group align="flex-end" gap="xs" wrap="nowrap">
          <Textarea
            autosize
            label="Signing secret"
            description="The receiver needs it. It is shown only here, until you add the channel."
            readOnly
            flex={1}
            value={secret}
            error={named?.['secret']}
          />
          <CopyButton text={secret} what="signing secret" secret />
        </Group>
      ) : (
        <>
          <TextInput
            label="Server"
            placeholder="https://ntfy.sh/"
            {...form.getInputProps('server')}
            error={named?.['server']}
          />
          <PasswordInput
            label="Access token"
            placeholder="None"
            autoComplete="new-password"
            {...form.getInputProps('secret')}
            error={named?.['token']}
          />
        </>
      )}
      <Checkbox
        label="Allow local addresses and plain http"
        {...form.getInputProps('allowPrivate', { type: 'checkbox' })}
      />
    </>
  );
};
