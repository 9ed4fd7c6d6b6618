// Adds a channel. A webhook's secret is made here, sent once, and never comes back.
import {
  Checkbox,
  Group,
  PasswordInput,
  SegmentedControl,
  Text,
  Textarea,
  TextInput,
  Title,
} from '@mantine/core';
import { useForm } from '@mantine/form';
import type { ReactNode } from 'react';
import {
  allFields,
  entryOf,
  placeField,
  type ChannelField,
  type ChannelKind,
} from '../../../../server/contract/notices/channels.ts';
import { ask } from '../../../api/owner.ts';
import { CopyButton } from '../../../shared/ui/CopyButton.tsx';
import { fieldErrors } from '../../../shared/field-errors.ts';
import { notifyDone } from '../../../shared/notify.ts';
import { Form, FormEnd } from '../../../shared/ui/Form.tsx';
import { useChange } from '../../../shared/hooks/use-command.ts';
import { changedBy } from '../../../stores/queries.ts';
import { bodyOf, choices, valuesFor, type Values } from './channel.ts';

interface AddChannelProps {
  hasMailServer: boolean;
  /** The kinds that are there. */
  present: readonly ChannelKind[];
}

export const AddChannel = ({ hasMailServer, present }: AddChannelProps) => {
  const form = useForm<Values>({
    initialValues: valuesFor(present.includes('desktop') ? 'webhook' : 'desktop'),
    validate: (values) => {
      const name = placeField(values.kind)?.name;
      const isMissing = name !== undefined && values.texts[name]?.trim() === '';
      return isMissing ? { [`texts.${name}`]: 'Enter its address.' } : {};
    },
  });
  const { kind } = form.values;
  const { label, withoutMailServer } = entryOf(kind);
  const add = useChange(changedBy.notices, async (values: Values) => {
    const added = await ask('addNoticeChannel', { body: bodyOf(values) });
    form.setValues(valuesFor(values.kind));
    notifyDone(`${added.name} is added. Send a test notice to see that it arrives.`);
  });
  const named = fieldErrors(
    add.error,
    allFields(kind).map(([name]) => name),
  );
  return (
    <Form gap="sm" onSubmit={form.onSubmit((values) => void add.run(values))}>
      <Title order={3} size="h6">
        Add a channel
      </Title>
      <SegmentedControl
        size="xs"
        aria-label="Kind of channel"
        data={choices.map((one) => ({
          ...one,
          disabled: entryOf(one.value).fixed !== undefined && present.includes(one.value),
        }))}
        value={kind}
        onChange={(chosen) => {
          add.reset();
          form.setValues(valuesFor(chosen as ChannelKind));
          form.clearErrors();
        }}
      />
      <Fields form={form} named={named} />
      {withoutMailServer !== undefined && !hasMailServer && <Text c="dimmed">{withoutMailServer}</Text>}
      <FormEnd
        of={named === null ? add : { ...add, error: null }}
        notDone="No channel was added."
        variant={present.length === 0 ? 'filled' : 'default'}
      >
        {kind === 'desktop' ? 'Turn on desktop notices' : `Add ${label.toLowerCase()}`}
      </FormEnd>
    </Form>
  );
};

interface FieldsProps {
  form: Pick<ReturnType<typeof useForm<Values>>, 'values' | 'errors' | 'getInputProps'>;
  named: Record<string, string> | null;
}

const Fields = ({ form, named }: FieldsProps) => {
  const { kind, texts } = form.values;
  const { fixed, mayBePrivate } = entryOf(kind);
  if (fixed !== undefined) return <Text>{fixed.note}</Text>;
  // The place comes first.
  const fields = allFields(kind).toSorted(([, one], [, other]) => Number(!one.asks) - Number(!other.asks));
  return (
    <>
      {fields.map(([name, field]) => (
        <FieldInput
          key={`${kind} ${name}`}
          field={field}
          {...form.getInputProps(`texts.${name}`)}
          value={texts[name] ?? ''}
          error={form.errors[`texts.${name}`] ?? named?.[name]}
        />
      ))}
      {mayBePrivate === true && (
        <Checkbox
          label="Allow local addresses and plain http"
          {...form.getInputProps('allowPrivate', { type: 'checkbox' })}
        />
      )}
    </>
  );
};

/** `input` is what the form gives its inputs. */
const FieldInput = ({ field, ...input }: { field: ChannelField; value: string; error: ReactNode }) => {
  const { value, label, usual, placeholder = usual } = field;
  if (value === 'token')
    return <PasswordInput label={label} placeholder="None" autoComplete="new-password" {...input} />;
  if (value !== 'secret')
    return (
      <TextInput
        label={label}
        placeholder={placeholder}
        autoCapitalize="none"
        spellCheck={false}
        {...input}
      />
    );
  return (
    <Group align="flex-end" gap="xs" wrap="nowrap">
      <Textarea
        autosize
        label={label}
        description="Your receiver needs it. It is shown only until you add the channel."
        readOnly
        flex={1}
        {...input}
      />
      <CopyButton text={input.value} what={label.toLowerCase()} secret />
    </Group>
  );
};
