// Creates an agent with the policy of another: with a key of its own, and without money.
import { Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { ask } from '../../../api/owner.ts';
import { ErrorNote } from '../../../shared/ui/ErrorNote.tsx';
import { Loading } from '../../../shared/ui/Screen.tsx';
import { useCommand } from '../../../shared/hooks/use-command.ts';
import { AgentIdInput } from '../AgentIdInput.tsx';
import { Form, FormEnd } from '../../../shared/ui/Form.tsx';
import type { DialogProps } from '../../../shared/ui/form-dialog.tsx';
import { useOwner } from '../../../stores/queries.ts';
import type { AgentSummary } from '../../../stores/treasury.ts';
import { AgentDialog } from '../AgentDialog.tsx';
import { agentIdRule, followingId, nameRule, proposeAgentId } from '../agent-id.ts';
import type { CreatedAgent } from './new-agent.ts';
import { policySentences, type Policy } from '../limits/policy-sentence.ts';
import { useServices } from '../limits/use-services.ts';

interface DuplicateAgentProps extends DialogProps {
  agent: AgentSummary;
}

export const DuplicateAgent = ({ agent, ...dialog }: DuplicateAgentProps) => (
  <AgentDialog
    title={`Duplicate ${agent.displayName}`}
    {...dialog}
    form={(onCreated) => <DuplicateForm agent={agent} onCreated={onCreated} />}
  />
);

/** The new agent has no money yet, so that nothing can be paid before its policy is set. */
const duplicate = async (
  { name, agentId }: { name: string; agentId: string },
  policy: Policy,
  tags: readonly string[],
): Promise<CreatedAgent> => {
  const { dailyBudget, maxPerPayment, ...rest } = policy;
  const displayName = name.trim();
  const body = { agentId, displayName, dailyBudget, maxPerPayment };
  const { mcpConfig, warning } = await ask('deploy', { body });
  const params = { agentId };
  const problems = warning === undefined ? [] : [warning];
  const said = (what: string) => (error: unknown) => {
    problems.push(`${what} ${error instanceof Error ? error.message : String(error)}`);
  };
  await ask('setPolicy', { params, body: rest }).catch(
    said('Only its two amounts are set; set the rest of its policy.'),
  );
  if (tags.length > 0)
    await ask('markAgent', { params, body: { tags: [...tags] } }).catch(said('Its tags are not set.'));
  return { agentId, name: displayName, mcpConfig, problems };
};

interface DuplicateFormProps {
  agent: AgentSummary;
  onCreated: (created: CreatedAgent) => void;
}

const DuplicateForm = ({ agent, onCreated }: DuplicateFormProps) => {
  const { data, error } = useOwner('getPolicy', { params: { agentId: agent.agentId } });
  const { names } = useServices();
  const first = `${agent.displayName} 2`;
  const form = useForm({
    initialValues: { name: first, agentId: proposeAgentId(first) },
    validate: { name: nameRule, agentId: agentIdRule },
  });
  const create = useCommand(async (policy: Policy) =>
    onCreated(await duplicate(form.getValues(), policy, agent.tags)),
  );
  if (data === undefined) return error === null ? <Loading /> : <ErrorNote error={error} />;
  return (
    <Form onSubmit={form.onSubmit(() => void create.run(data.policy))}>
      <Text>The new agent gets the same policy and tags, its own key, and no money.</Text>
      <Text c="dimmed" className="break-anywhere">
        {policySentences(data.policy, names).join(' ')}
      </Text>
      <TextInput
        label="Name"
        maxLength={80}
        data-autofocus
        {...form.getInputProps('name')}
        onChange={({ currentTarget: { value } }) => {
          form.setFieldValue('agentId', followingId(form.values, value));
          form.setFieldValue('name', value);
        }}
      />
      <AgentIdInput {...form.getInputProps('agentId')} />
      <FormEnd of={create} notDone="No agent was created.">
        Create agent
      </FormEnd>
    </Form>
  );
};
