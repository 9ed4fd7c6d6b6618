// All fields of a policy, or of the limits of a group or the treasury, each with the control of its kind.
import {
  Box,
  Button,
  Checkbox,
  Collapse,
  Group,
  Input,
  NativeSelect,
  SimpleGrid,
  Stack,
  TextInput,
} from '@mantine/core';
import { useDisclosure, useId } from '@mantine/hooks';
import { IconChevronDown, IconChevronUp } from '@tabler/icons-react';
import type { ComponentType, ReactNode } from 'react';
import type { FieldEntry, FieldKind, PolicyField } from '../../../../server/contract/limits/policy-fields.ts';
import { dayNames } from '../../../../server/contract/limits/hours.ts';
import { MoneyInput } from '../../../shared/ui/MoneyInput.tsx';
import { ServiceLimitsInput } from './ServiceLimitsInput.tsx';
import { ServicePicker } from './ServicePicker.tsx';
import { waitUnits } from './field-drafts.ts';
import type { FieldsForm } from './policy-form.ts';
import type { ControlProps, PolicyFormState } from './use-policy-form.ts';

const named = ({ field: { form } }: ControlProps) => ({
  label: form.label,
  ...(form.note === undefined ? {} : { description: form.note }),
});

const Amount = (props: ControlProps) => (
  <MoneyInput {...named(props)} {...props.form.getInputProps(props.path)} />
);

const Count = (props: ControlProps) => (
  <TextInput inputMode="numeric" {...named(props)} {...props.form.getInputProps(props.path)} />
);

const Services = (props: ControlProps) => (
  <ServicePicker {...named(props)} {...props.form.getInputProps(props.path)} />
);

const Choice = ({ form, path, field }: ControlProps) => (
  <Checkbox label={field.form.label} {...form.getInputProps(path, { type: 'checkbox' })} />
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
  const { form, path, field } = props;
  const { error, ...days } = form.getInputProps(`${path}.days`);
  return (
    <Checkbox.Group
      label={field.form.label}
      description={field.form.note}
      error={error ?? form.errors[path]}
      {...days}
    >
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

const controls: Record<FieldKind, ComponentType<ControlProps>> = {
  amount: Amount,
  seconds: Wait,
  count: Count,
  services: Services,
  choice: Choice,
  time: Time,
  hours: WeekHours,
  serviceLimits: ServiceLimitsInput,
};

const isSet = (form: PolicyFormState, name: PolicyField): boolean => {
  const draft: unknown = (form.values as Record<string, unknown>)[name];
  return typeof draft === 'object' && draft !== null && 'isSet' in draft && draft.isSet === true;
};

const Field = ({ form, name, field }: { form: PolicyFormState; name: PolicyField; field: FieldEntry }) => {
  const Control = controls[field.kind];
  if (field.mayBeNone !== true) return <Control form={form} path={name} field={field} />;
  return (
    <>
      <Checkbox
        label={field.form.asks ?? field.form.label}
        {...form.getInputProps(`${name}.isSet`, { type: 'checkbox' })}
      />
      {isSet(form, name) && (
        <Box maw={field.kind === 'serviceLimits' ? undefined : 280} ml={32}>
          <Control form={form} path={`${name}.value`} field={field} />
        </Box>
      )}
    </>
  );
};

interface MoreLimitsProps {
  /** At first: one of them is set. */
  isOpen: boolean;
  children: ReactNode;
}

/** The limits that most owners leave out. */
const MoreLimits = ({ isOpen, children }: MoreLimitsProps) => {
  const [opened, { toggle }] = useDisclosure(isOpen);
  const id = useId();
  return (
    <div>
      <Button
        variant="subtle"
        size="compact-sm"
        aria-expanded={opened}
        aria-controls={id}
        rightSection={
          opened ? <IconChevronUp size={16} aria-hidden /> : <IconChevronDown size={16} aria-hidden />
        }
        onClick={toggle}
      >
        More limits
      </Button>
      <Collapse id={id} expanded={opened}>
        <Stack gap="sm" pt="sm">
          {children}
        </Stack>
      </Collapse>
    </div>
  );
};

interface PolicyFieldsProps {
  form: PolicyFormState;
  fields: FieldsForm<unknown, unknown>['fields'];
}

export const PolicyFields = ({ form, fields }: PolicyFieldsProps) => {
  const those = (isMeant: (field: FieldEntry) => boolean) =>
    fields
      .filter(([, field]) => isMeant(field))
      .map(([name, field]) => <Field key={name} form={form} name={name} field={field} />);
  const plain = those(({ kind, mayBeNone }) => mayBeNone !== true && !['services', 'choice'].includes(kind));
  return (
    <Stack gap="lg">
      {plain.length > 0 && <SimpleGrid cols={{ base: 1, sm: 2 }}>{plain}</SimpleGrid>}
      {those(({ kind, mayBeNone }) => mayBeNone !== true && kind === 'services')}
      <Stack gap="sm">
        {those(({ kind, mayBeNone }) => mayBeNone !== true && kind === 'choice')}
        {those(({ mayBeNone, form: { isMore } }) => mayBeNone === true && isMore !== true)}
      </Stack>
      <MoreLimits isOpen={fields.some(([name, field]) => field.form.isMore === true && isSet(form, name))}>
        {those(({ form: { isMore } }) => isMore === true)}
      </MoreLimits>
    </Stack>
  );
};
