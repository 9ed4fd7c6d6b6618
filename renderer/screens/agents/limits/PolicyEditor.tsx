// An agent's policy, to read and to change. Before it is saved, the editor says what it means and which past payments
// it would have refused.
import { SimpleGrid, Stack, Text } from '@mantine/core';
import { ask } from '../../../api/owner.ts';
import { useAgentName } from '../../../shared/agent-names.ts';
import { BoostLine, type BoostInForce } from '../../../shared/ui/Gauge.tsx';
import { QueryState } from '../../../shared/ui/Screen.tsx';
import { Panel } from '../../../shared/ui/Panel.tsx';
import { useOwner, reread } from '../../../stores/queries.ts';
import { LimitGauges } from './LimitGauges.tsx';
import { PolicyFields } from './PolicyFields.tsx';
import { PolicyPreview } from './PolicyPreview.tsx';
import { SaveOrDiscard } from './SaveOrDiscard.tsx';
import { policyForm } from './policy-form.ts';
import { policySentence, type Policy } from './policy-sentence.ts';
import { useRulesForm } from './use-policy-form.ts';
import { useServices } from './use-services.ts';

export const PolicyEditor = ({ agentId }: { agentId: string }) => {
  const name = useAgentName(agentId);
  const read = useOwner('getPolicy', { params: { agentId } });
  // The form stays mounted when reading the policy again fails, so that no input is lost.
  return (
    <Stack gap="lg">
      <QueryState of={read} />
      {read.data !== undefined && <PolicyForm {...read.data} agentId={agentId} name={name} />}
    </Stack>
  );
};

interface PolicyFormProps {
  agentId: string;
  name: string;
  policy: Policy;
  boost: BoostInForce;
}

const PolicyForm = ({ agentId, name, policy, boost }: PolicyFormProps) => {
  const { form, wanted, changes, onSubmit, end } = useRulesForm({
    kind: policyForm,
    rules: policy,
    what: 'policy',
    of: name,
    save: (body) => ask('setPolicy', { params: { agentId }, body }).then(() => reread('getPolicy')),
  });
  const { names } = useServices();
  return (
    <form onSubmit={onSubmit} noValidate>
      <SimpleGrid cols={{ base: 1, md: 2 }} spacing="lg">
        <Panel title="Policy" note="The treasury enforces it. The agent can tighten it, never loosen it.">
          <PolicyFields form={form} fields={policyForm.fields} />
        </Panel>
        <Stack gap="lg">
          <LimitGauges agentId={agentId} name={name} />
          <Panel title={end.isChanged ? 'What it would mean' : 'What it means'}>
            <Text aria-live="polite" className="break-anywhere" size="md">
              {wanted === null ? 'A field is not right yet.' : policySentence(wanted, names)}
            </Text>
            <BoostLine boost={boost} />
          </Panel>
          <Panel title="The last 30 days under this policy">
            {wanted === null ? (
              <Text size="sm" c="dimmed">
                A field is not right yet.
              </Text>
            ) : (
              <PolicyPreview agentId={agentId} changes={changes} />
            )}
          </Panel>
          <SaveOrDiscard {...end} />
        </Stack>
      </SimpleGrid>
    </form>
  );
};
