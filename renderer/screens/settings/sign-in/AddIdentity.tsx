// Adds an identity that may link machines.
import { Button, Group, SegmentedControl, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { ask } from '../../../api/owner.ts';
import { ErrorNote } from '../../../shared/ui/ErrorNote.tsx';
import { notifyDone } from '../../../shared/notify.ts';
import { Form } from '../../../shared/ui/Form.tsx';
import { useChange } from '../../../shared/hooks/use-command.ts';
import { refusedAt } from '../../../shared/refused-at.ts';
import { kinds, type IdentityKind } from './identity-kinds.ts';

interface Values {
  kind: IdentityKind;
  subject: string;
  label: string;
}

const choices = Object.entries(kinds).map(([value, { label }]) => ({ value, label }));

export const AddIdentity = ({ provider }: { provider: string | null }) => {
  const form = useForm<Values>({
    initialValues: { kind: 'wallet', subject: '', label: '' },
    validate: { subject: (text) => (text.trim() === '' ? 'Enter who it is.' : null) },
  });
  const { kind } = form.values;
  const add = useChange(['getSignIn'], async (values: Values) => {
    const label = values.label.trim();
    const body = { kind: values.kind, subject: values.subject.trim(), ...(label === '' ? {} : { label }) };
    const added = await ask('addIdentity', { body });
    form.setValues({ subject: '', label: '' });
    notifyDone(`${added.label} may link machines.`);
  });
  const { inputOf, command } = refusedAt(['subject', 'label'], form, add);
  return (
    <Form gap="sm" onSubmit={form.onSubmit((values) => void add.run(values))}>
      <Group align="flex-start" gap="sm">
        <SegmentedControl
          aria-label="Kind of identity"
          data={choices}
          mt={{ base: 0, xs: 25 }}
          value={kind}
          onChange={(chosen) => {
            add.reset();
            form.setFieldValue('kind', chosen as IdentityKind);
          }}
        />
        <TextInput
          label={kinds[kind].subject}
          placeholder={kinds[kind].placeholder}
          autoCapitalize="none"
          spellCheck={false}
          miw={240}
          flex={2}
          {...inputOf('subject')}
        />
        <TextInput
          label="Label"
          placeholder="Label"
          maxLength={80}
          miw={140}
          flex={1}
          {...inputOf('label')}
        />
        <Button type="submit" variant="default" mt={25} loading={add.isBusy}>
          Add
        </Button>
      </Group>
      {kind === 'provider' && provider === null && (
        <Text c="dimmed">It can be used once an identity provider is set below.</Text>
      )}
      <ErrorNote error={command.error} notDone="Nobody was added." />
    </Form>
  );
};
