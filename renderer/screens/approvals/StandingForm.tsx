// Approves this payment, and further ones by the agent to the same service, up to an amount and an expiry.
import { Button, Group, Select, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { IconChecks } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { amountRule } from '../../shared/amount-rule.ts';
import { Payees } from './Payees.tsx';
import { MoneyInput } from '../../shared/ui/MoneyInput.tsx';
import { Form } from '../../shared/ui/Form.tsx';
import { ArmedButton } from './ArmedButton.tsx';
import { spans, untilOf, type Span } from './until.ts';

export interface Standing {
  upTo: string;
  until: string;
}

interface StandingFormProps {
  serviceName: string;
  payees: readonly string[];
  isArmed: boolean;
  isBusy: boolean;
  onApprove: (standing: Standing) => void;
  onCancel: () => void;
  /** The default answer, which is always within reach. */
  deny: ReactNode;
}

export const StandingForm = (props: StandingFormProps) => {
  const { serviceName, payees, isArmed, isBusy, onApprove, onCancel, deny } = props;
  const form = useForm<{ upTo: string; span: Span; date: string }>({
    initialValues: { upTo: '', span: '24', date: '' },
    validate: {
      upTo: (text) => amountRule(text),
      date: (date, { span }) =>
        untilOf(span, date, Date.now()) === null ? 'Choose a day in the future.' : null,
    },
  });
  const approve = form.onSubmit(({ upTo, span, date }) => {
    const until = untilOf(span, date, Date.now());
    if (until !== null) onApprove({ upTo: upTo.trim(), until });
  });
  return (
    // Enter in a field must not approve.
    <Form gap="sm">
      <Text>
        This payment is made now. Further payments to <strong>{serviceName}</strong> won’t ask you until the
        amount is used up or the time is over. The agent’s limits still apply. It covers only
        {payees.length === 1 ? ' this payee' : ` these ${payees.length} payees`}:
      </Text>
      <Payees payees={payees} />
      <Group align="flex-start" gap="sm">
        <MoneyInput label="Up to" placeholder="5.00" w={220} autoFocus {...form.getInputProps('upTo')} />
        <Select label="For" data={spans} allowDeselect={false} w={130} {...form.getInputProps('span')} />
        {form.values.span === 'date' && (
          <TextInput label="Until the end of" type="date" {...form.getInputProps('date')} />
        )}
      </Group>
      <Group gap="xs">
        {deny}
        <ArmedButton
          variant="filled"
          at="a"
          isArmed={isArmed}
          loading={isBusy}
          icon={<IconChecks size={16} aria-hidden />}
          onClick={() => approve()}
        >
          Approve and allow
        </ArmedButton>
        <Button variant="subtle" color="gray" onClick={onCancel}>
          Back
        </Button>
      </Group>
    </Form>
  );
};
