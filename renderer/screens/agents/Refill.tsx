// The refill of an agent's wallet: a line that says what is in force, and the dialog that changes or ends it.
import { Anchor, Button, Text } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useDisclosure } from '@mantine/hooks';
import type { Reply } from '../../../server/contract/schemas.ts';
import { ask } from '../../api/owner.ts';
import { amountRule } from '../../shared/amount-rule.ts';
import { useChange } from '../../shared/hooks/use-command.ts';
import { notifyDone } from '../../shared/notify.ts';
import { refusedAt } from '../../shared/refused-at.ts';
import { Amount } from '../../shared/ui/Amount.tsx';
import { Form, FormEnd } from '../../shared/ui/Form.tsx';
import { formDialog, type Done } from '../../shared/ui/form-dialog.tsx';
import { MoneyInput } from '../../shared/ui/MoneyInput.tsx';
import { QueryState } from '../../shared/ui/Screen.tsx';
import { useOwner } from '../../stores/queries.ts';
import type { AgentSummary } from '../../stores/treasury.ts';

interface OfAgent {
  agent: AgentSummary;
}

export const RefillLine = ({ agent }: OfAgent) => {
  const { data } = useOwner('getRefill', { params: { agentId: agent.agentId } });
  const [isOpen, { open, close }] = useDisclosure();
  if (data?.refill == null) return null;
  const { refill, refilled } = data;
  return (
    <div>
      Refilled below <Amount value={refill.below} />, up to <Amount value={refill.to} />:{' '}
      <Amount value={refilled} currency="" /> of <Amount value={refill.perDay} /> in 24 hours.{' '}
      <Anchor component="button" type="button" inherit underline="always" onClick={open}>
        Change
      </Anchor>
      <RefillDialog agent={agent} opened={isOpen} onClose={close} />
    </div>
  );
};

export const RefillDialog = formDialog(({ agent }) => `Refill ${agent.displayName} automatically`, Refill);

function Refill({ agent, onDone }: OfAgent & Done) {
  const read = useOwner('getRefill', { params: { agentId: agent.agentId } });
  if (read.data === undefined) return <QueryState of={read} />;
  return <RefillForm agent={agent} refill={read.data.refill} onDone={onDone} />;
}

const fields = ['below', 'to', 'perDay'] as const;
type Fields = NonNullable<Reply<'getRefill'>['refill']>;

const RefillForm = ({
  agent: { agentId, displayName },
  refill,
  onDone,
}: OfAgent & Done & { refill: Fields | null }) => {
  const form = useForm<Fields>({
    initialValues: refill ?? { below: '', to: '', perDay: '' },
    validate: {
      below: (text) => amountRule(text),
      to: (text) => amountRule(text),
      perDay: (text) => amountRule(text),
    },
  });
  const change = useChange(['getRefill'], async (wanted: Fields | null) => {
    await ask('setRefill', { params: { agentId }, body: { refill: wanted } });
    notifyDone(
      wanted === null ? `${displayName} is no longer refilled.` : `${displayName} is refilled from now on.`,
    );
    onDone();
  });
  const { inputOf, command } = refusedAt(fields, form, change, 'refill.');
  return (
    <Form
      onSubmit={form.onSubmit(
        ({ below, to, perDay }) =>
          void change.run({ below: below.trim(), to: to.trim(), perDay: perDay.trim() }),
      )}
    >
      <MoneyInput label="When it holds less than" data-autofocus {...inputOf('below')} />
      <MoneyInput label="Fill its wallet up to" {...inputOf('to')} />
      <MoneyInput label="At most in 24 hours" {...inputOf('perDay')} />
      <Text c="dimmed">
        The treasury moves the money automatically. The agent’s spending limits don’t change.
      </Text>
      <FormEnd of={command} notDone="Nothing was changed." onCancel={onDone}>
        {refill === null ? 'Start refilling' : 'Save'}
      </FormEnd>
      {refill !== null && (
        <Button variant="subtle" color="red" loading={change.isBusy} onClick={() => void change.run(null)}>
          Stop refilling
        </Button>
      )}
    </Form>
  );
};
