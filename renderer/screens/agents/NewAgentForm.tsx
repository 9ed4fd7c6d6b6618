// The form for a new agent's name and limits; everything but the name has a default.
import { Button, Checkbox, Group, SimpleGrid, Stack, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useState } from 'react';
import { AppError } from '../../../server/errors.ts';
import { Amount } from '../../shared/Amount.tsx';
import { ErrorNote } from '../../shared/ErrorNote.tsx';
import { fieldErrors } from '../../shared/field-errors.ts';
import { MoneyInput } from '../../shared/MoneyInput.tsx';
import { useCommand } from '../../shared/use-command.ts';
import { useMovementKey } from '../../shared/use-movement-key.ts';
import { useTreasuryBalance } from '../../shared/use-treasury-balance.ts';
import { formatUsdc, usdc } from '../../../server/money.ts';
import { proposeAgentId } from './agent-id.ts';
import { createAgent, newAgentErrors, type CreatedAgent, type NewAgentValues } from './new-agent.ts';

interface NewAgentFormProps {
  /** Called once the agent exists, since its API key is shown only once. */
  onCreated: (created: CreatedAgent) => void;
  name?: string;
}

const firstAllocation = 10_000_000n;
const fields = ['agentId', 'dailyBudget', 'maxPerPayment'] as const;

const refusedFields = (error: unknown): Record<string, string> | null => {
  if (!(error instanceof AppError)) return null;
  if (error.code === 'conflict') return { agentId: 'You have an agent with this id already.' };
  const found = fieldErrors(error, [...fields, 'displayName']);
  if (found?.['displayName'] === undefined) return found;
  const { displayName, ...others } = found;
  return { ...others, name: displayName };
};

export const NewAgentForm = ({ onCreated, name = '' }: NewAgentFormProps) => {
  const treasury = useTreasuryBalance();
  const { key } = useMovementKey();
  const [step, setStep] = useState('');
  const form = useForm<NewAgentValues>({
    initialValues: {
      name,
      agentId: proposeAgentId(name),
      dailyBudget: '5.00',
      maxPerPayment: '1.00',
      allocation: formatUsdc(usdc(treasury < firstAllocation ? treasury : firstAllocation)),
      asksNewPayees: true,
    },
    validate: (values) => newAgentErrors(values, treasury),
  });
  const create = useCommand(async (values: NewAgentValues) => {
    try {
      onCreated(await createAgent(values, key, setStep));
    } catch (error) {
      const refused = refusedFields(error);
      if (refused === null) throw error;
      form.setErrors(refused);
    }
  });
  const rename = (next: string): void => {
    if (form.values.agentId === proposeAgentId(form.values.name))
      form.setFieldValue('agentId', proposeAgentId(next));
    form.setFieldValue('name', next);
  };
  return (
    <form onSubmit={form.onSubmit((values) => void create.run(values))} noValidate>
      <Stack gap="md">
        <SimpleGrid cols={{ base: 1, sm: 2 }}>
          <TextInput
            label="Name"
            description="As you know it"
            placeholder="Research assistant"
            maxLength={80}
            data-autofocus
            {...form.getInputProps('name')}
            onChange={(event) => rename(event.currentTarget.value)}
          />
          <TextInput
            label="Id"
            description="Stays for ever, also when you rename it"
            maxLength={64}
            autoCapitalize="none"
            spellCheck={false}
            {...form.getInputProps('agentId')}
          />
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
        </SimpleGrid>
        <MoneyInput
          label="Give it now"
          description={
            <>
              From the treasury, which holds <Amount value={formatUsdc(treasury)} />. You can take it back.
            </>
          }
          {...form.getInputProps('allocation')}
        />
        <Checkbox
          label="Ask me before it pays somebody for the first time"
          description="You can change this and more in its policy later"
          {...form.getInputProps('asksNewPayees', { type: 'checkbox' })}
        />
        <ErrorNote error={create.error} notDone="No agent was created." />
        <Group>
          <Button type="submit" loading={create.isBusy}>
            Create agent
          </Button>
          {create.isBusy && (
            <Text size="sm" c="dimmed" role="status">
              {step}…
            </Text>
          )}
        </Group>
      </Stack>
    </form>
  );
};
