// Transfers USDC between the treasury and an agent, either way.
import { Button, Group, Modal, Text } from '@mantine/core';
import { useForm } from '@mantine/form';
import { formatUsdc, parseUsdc, usdc, type Usdc } from '../../../server/money.ts';
import { wholeOf } from '../../shared/amounts.ts';
import { ask } from '../../api/owner.ts';
import { amountRule } from '../../shared/amount-rule.ts';
import { useAgentName } from '../../shared/agent-names.ts';
import { Amount } from '../../shared/ui/Amount.tsx';
import { ErrorNote } from '../../shared/ui/ErrorNote.tsx';
import { MoneyInput } from '../../shared/ui/MoneyInput.tsx';
import { notifyDone } from '../../shared/notify.ts';
import { useCommand } from '../../shared/hooks/use-command.ts';
import { useTransferKey } from '../../shared/hooks/use-transfer-key.ts';
import { useTreasuryBalance } from '../../shared/hooks/use-treasury-balance.ts';
import { Form } from '../../shared/ui/Form.tsx';
import type { DialogProps, Done } from '../../shared/ui/form-dialog.tsx';
import type { AgentSummary } from '../../stores/treasury.ts';

type Way = 'allocate' | 'recall';

interface MoveMoneyProps {
  agent: AgentSummary;
  way: Way;
}

const titles = { allocate: 'Add funds to', recall: 'Take funds back from' } satisfies Record<Way, string>;

export const MoveMoney = ({ agent, way, opened, onClose }: MoveMoneyProps & DialogProps) => {
  const name = useAgentName(agent.agentId);
  return (
    <Modal opened={opened} onClose={onClose} title={`${titles[way]} ${name}`}>
      {opened && <MoveForm agent={agent} way={way} onDone={onClose} />}
    </Modal>
  );
};

const sentence = (way: Way, amount: string, name: string, isOver: boolean): string => {
  const verb =
    way === 'allocate'
      ? `${wholeOf(amount)} USDC to ${name}`
      : `${wholeOf(amount)} USDC back to the treasury`;
  return isOver ? `Moved ${verb}.` : `Moving ${verb}. It is still settling.`;
};

const MoveForm = ({ agent, way, onDone }: MoveMoneyProps & Done) => {
  const { agentId } = agent;
  const name = useAgentName(agentId);
  const treasury = useTreasuryBalance();
  const available: Usdc = way === 'allocate' ? treasury : (parseUsdc(agent.balance) ?? usdc(0n));
  const { carryOut } = useTransferKey();
  const form = useForm({
    initialValues: { amount: '' },
    validate: {
      amount: (text) =>
        amountRule(text) ??
        ((parseUsdc(text.trim()) ?? 0n) > available
          ? `${way === 'allocate' ? 'The treasury' : 'The agent'} does not hold that much.`
          : null),
    },
  });
  const move = useCommand((text: string) =>
    carryOut(async (key) => {
      const { status } = await ask(way, { params: { agentId }, body: { amount: text }, key });
      notifyDone(sentence(way, text, name, status === 'confirmed'));
      onDone();
    }),
  );
  return (
    <Form onSubmit={form.onSubmit(({ amount }) => void move.run(amount.trim()))}>
      <MoneyInput
        label="Amount"
        description={
          <>
            {way === 'allocate' ? 'The treasury holds ' : 'The agent holds '}
            <Amount whole value={formatUsdc(available)} />
          </>
        }
        data-autofocus
        {...form.getInputProps('amount')}
      />
      <Text c="dimmed">
        {way === 'allocate'
          ? 'This adds funds. Its spending limits don’t change.'
          : 'Payments that are settling keep their funds.'}
      </Text>
      <ErrorNote error={move.error} />
      <Group justify="space-between">
        <Button
          variant="subtle"
          onClick={() => form.setFieldValue('amount', formatUsdc(available))}
          disabled={available === 0n}
        >
          All of it
        </Button>
        <Button type="submit" loading={move.isBusy}>
          {way === 'allocate' ? 'Add funds' : 'Take back'}
        </Button>
      </Group>
    </Form>
  );
};
