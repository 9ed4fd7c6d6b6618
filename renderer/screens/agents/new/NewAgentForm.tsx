// The form for a new agent's name and limits; everything but the name has a default.
import { SimpleGrid, Text, TextInput } from '@mantine/core';
import { Amount } from '../../../shared/ui/Amount.tsx';
import { MoneyInput } from '../../../shared/ui/MoneyInput.tsx';
import { AgentIdInput } from '../AgentIdInput.tsx';
import { Form, FormEnd } from '../../../shared/ui/Form.tsx';
import { formatUsdc } from '../../../../server/money.ts';
import type { CreatedAgent } from './new-agent.ts';
import { Safeguards } from './Safeguards.tsx';
import { useNewAgent } from './use-new-agent.ts';

interface NewAgentFormProps {
  /** Called once the agent exists, since its API key is shown only once. */
  onCreated: (created: CreatedAgent) => void;
  name?: string;
}

export const NewAgentForm = ({ onCreated, name = '' }: NewAgentFormProps) => {
  const { form, treasury, create, step, rename } = useNewAgent(name, onCreated);
  return (
    <Form onSubmit={form.onSubmit((values) => void create.run(values))}>
      <SimpleGrid cols={{ base: 1, sm: 2 }}>
        <TextInput
          label="Name"
          description="You can change it later"
          placeholder="Research assistant"
          maxLength={80}
          data-autofocus
          {...form.getInputProps('name')}
          onChange={(event) => rename(event.currentTarget.value)}
        />
        <AgentIdInput {...form.getInputProps('agentId')} />
        <MoneyInput
          label="Daily budget"
          description="The most it can spend in any 24 hours"
          {...form.getInputProps('dailyBudget')}
        />
        <MoneyInput
          label="Maximum per payment"
          description="A larger payment is refused"
          {...form.getInputProps('maxPerPayment')}
        />
      </SimpleGrid>
      <MoneyInput
        label="Starting funds"
        description={
          <>
            From your treasury, which holds <Amount whole value={formatUsdc(treasury)} />. You can take it
            back.
          </>
        }
        {...form.getInputProps('allocation')}
      />
      <Safeguards
        value={form.values.askBefore}
        onChange={(askBefore) => form.setFieldValue('askBefore', askBefore)}
      />
      <FormEnd of={create} notDone="No agent was created.">
        Create agent
      </FormEnd>
      {create.isBusy && (
        <Text c="dimmed" role="status">
          {step}…
        </Text>
      )}
    </Form>
  );
};
