// The control of a field, by its kind.
import { Checkbox, Group, Input, NativeSelect, TagsInput, TextInput } from '@mantine/core';
import { useId } from '@mantine/hooks';
import type { ComponentType } from 'react';
import type { FieldKind } from '../../../../server/contract/limits/policy-fields.ts';
import { dayNames } from '../../../../server/contract/limits/hours.ts';
import { MoneyInput } from '../../../shared/ui/MoneyInput.tsx';
import { ServiceLimitsInput } from './ServiceLimitsInput.tsx';
import { ServicePicker } from './ServicePicker.tsx';
import { waitUnits } from './field-drafts.ts';
import type { ControlProps } from './use-policy-form.ts';

const named = ({ field: { label, form } }: ControlProps) => ({
  label: form.label ?? label,
  ...(form.note === undefined ? {} : { description: form.note }),
});

const Amount = (props: ControlProps) => (
  <MoneyInput {...named(props)} {...props.form.getInputProps(props.path)} />
);

const Count = (props: ControlProps) => (
  <MoneyInput
    inputMode="numeric"
    currency={props.field.kind === 'count' ? props.field.short : ''}
    rightSectionWidth={84}
    {...named(props)}
    {...props.form.getInputProps(props.path)}
  />
);

const Services = (props: ControlProps) => (
  <ServicePicker {...named(props)} {...props.form.getInputProps(props.path)} />
);

const Models = (props: ControlProps) => (
  <TagsInput {...named(props)} {...props.form.getInputProps(props.path)} />
);

const Choice = (props: ControlProps) => (
  <Checkbox {...named(props)} {...props.form.getInputProps(props.path, { type: 'checkbox' })} />
);

/** A number and its unit under one label. */
const Wait = (props: ControlProps) => {
  const { form, path } = props;
  const id = useId();
  const { error, ...input } = form.getInputProps(`${path}.count`);
  return (
    <Input.Wrapper
      id={id}
      {...named(props)}
      error={error}
      inputWrapperOrder={['label', 'description', 'input', 'error']}
    >
      <Group gap="xs" wrap="nowrap" mb={4}>
        <Input id={id} inputMode="numeric" autoComplete="off" flex={1} error={error} {...input} />
        <NativeSelect
          aria-label="Unit of the wait"
          w={112}
          data={Object.keys(waitUnits)}
          {...form.getInputProps(`${path}.unit`)}
        />
      </Group>
    </Input.Wrapper>
  );
};

const Time = (props: ControlProps) => (
  <TextInput type="datetime-local" {...named(props)} {...props.form.getInputProps(props.path)} />
);

const WeekHours = (props: ControlProps) => {
  const { form, path } = props;
  const { error, ...days } = form.getInputProps(`${path}.days`);
  return (
    <Checkbox.Group {...named(props)} error={error ?? form.errors[path]} {...days}>
      <Group gap="sm" mt="xs">
        {dayNames.map((name, index) => (
          <Checkbox key={name} value={String(index + 1)} label={name} />
        ))}
      </Group>
      <Group gap="xs" my="xs" grow>
        <TextInput type="time" label="From" {...form.getInputProps(`${path}.from`)} />
        <TextInput type="time" label="To" {...form.getInputProps(`${path}.to`)} />
      </Group>
    </Checkbox.Group>
  );
};

export const controls: Record<FieldKind, ComponentType<ControlProps>> = {
  amount: Amount,
  seconds: Wait,
  count: Count,
  services: Services,
  models: Models,
  choice: Choice,
  time: Time,
  hours: WeekHours,
  serviceLimits: ServiceLimitsInput,
};
