// All fields of a policy.
import { Checkbox, Group, Input, NativeSelect, SimpleGrid, Stack, TextInput } from '@mantine/core';
import { useId } from '@mantine/hooks';
import { MoneyInput } from '../../shared/MoneyInput.tsx';
import { ServicePicker } from './ServicePicker.tsx';
import { cooldownUnits } from './policy-form.ts';
import type { PolicyFormState } from './use-policy-form.ts';

export const PolicyFields = ({ form }: { form: PolicyFormState }) => (
  <Stack gap="lg">
    <SimpleGrid cols={{ base: 1, sm: 2 }}>
      <MoneyInput
        label="Daily budget"
        description="Most it may spend in any 24 hours"
        {...form.getInputProps('dailyBudget')}
      />
      <MoneyInput
        label="Most per payment"
        description="More than this at a time is refused"
        {...form.getInputProps('maxPerPayment')}
      />
      <Cooldown form={form} />
      <TextInput
        label="Time you have to answer"
        description="Minutes; then it is refused"
        inputMode="numeric"
        {...form.getInputProps('approvalMinutes')}
      />
    </SimpleGrid>
    <ServicePicker {...form.getInputProps('allowedServices')} />
    <Stack gap="sm">
      <Checkbox
        label="Ask me before it pays somebody for the first time"
        {...form.getInputProps('asksNewPayees', { type: 'checkbox' })}
      />
      <Checkbox
        label="Ask me before it pays more than a certain amount at a time"
        {...form.getInputProps('asksAbove', { type: 'checkbox' })}
      />
      {form.values.asksAbove && (
        <MoneyInput
          label="Ask me above"
          description="0 asks before each payment"
          maw={280}
          ml={32}
          {...form.getInputProps('approveAbove')}
        />
      )}
    </Stack>
  </Stack>
);

/** A number and its unit under one label. */
const Cooldown = ({ form }: { form: PolicyFormState }) => {
  const id = useId();
  const { error, ...input } = form.getInputProps('cooldown');
  return (
    <Input.Wrapper
      id={id}
      label="Wait between payments"
      description="0 for none; at most 30 days"
      error={error}
      inputWrapperOrder={['label', 'description', 'input', 'error']}
    >
      <Group gap="xs" wrap="nowrap" mb={4}>
        <Input id={id} inputMode="numeric" autoComplete="off" flex={1} error={error} {...input} />
        <NativeSelect
          aria-label="Unit of the wait"
          w={112}
          data={Object.keys(cooldownUnits)}
          {...form.getInputProps('cooldownUnit')}
        />
      </Group>
    </Input.Wrapper>
  );
};
