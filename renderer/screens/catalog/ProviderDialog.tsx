// The owner's API key at a provider, the provider's address, and its limit of concurrent pictures.
import { PasswordInput, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { ask } from '../../api/owner.ts';
import { notifyDone } from '../../shared/notify.ts';
import { useCommand } from '../../shared/hooks/use-command.ts';
import { Form, FormEnd } from '../../shared/ui/Form.tsx';
import { formDialog, type Done } from '../../shared/ui/form-dialog.tsx';
import { refusedAt } from '../../shared/refused-at.ts';
import { changesOf, providerFields, valuesOf, type Provider } from './provider-form.ts';
import { rereadModels } from './reread.ts';

const ProviderForm = ({ provider, onDone }: { provider: Provider } & Done) => {
  const { providerId, name, hasKey } = provider;
  const form = useForm({ initialValues: valuesOf(provider) });
  const changes = changesOf(provider, form.values);
  const save = useCommand(async () => {
    await ask('setImageProvider', { params: { providerId }, body: changes });
    await rereadModels();
    notifyDone(`${name} is saved.`);
    onDone();
  });
  const { inputOf, command } = refusedAt(providerFields, form, save);
  return (
    <Form onSubmit={form.onSubmit(() => void save.run())}>
      <PasswordInput
        label="API key"
        description={
          hasKey
            ? 'A key is stored. Leave this empty to keep it, or enter another.'
            : 'It is encrypted, used for pictures alone, and not shown again.'
        }
        placeholder={hasKey ? 'Kept' : ''}
        autoComplete="off"
        spellCheck={false}
        data-autofocus
        {...inputOf('apiKey')}
      />
      <TextInput
        label="Base URL"
        description="Leave this empty to use the provider’s own. If you change it, enter the key again: it is never sent to a new address without you."
        placeholder="The provider’s own"
        inputMode="url"
        autoComplete="off"
        spellCheck={false}
        {...inputOf('baseUrl')}
      />
      <TextInput
        label="Pictures at once"
        description="How many pictures it makes at the same time; others wait in the queue."
        inputMode="numeric"
        autoComplete="off"
        {...inputOf('atOnce')}
      />
      <FormEnd
        of={command}
        notDone="Nothing was changed."
        onCancel={onDone}
        disabled={Object.keys(changes).length === 0}
      >
        Save
      </FormEnd>
    </Form>
  );
};

export const ProviderDialog = formDialog<{ provider: Provider }>(
  ({ provider }) => provider.name,
  ProviderForm,
);
