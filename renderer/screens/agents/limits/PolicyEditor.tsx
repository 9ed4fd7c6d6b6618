// An agent's policy, to read and to change. Before it is saved, the editor says what it means, and what it changes for
// payments such as those of the past.
import { List, SimpleGrid, Stack, Text } from '@mantine/core';
import type { Reply } from '../../../../server/contract/schemas.ts';
import { ask } from '../../../api/owner.ts';
import { useAgentName } from '../../../shared/agent-names.ts';
import { Form } from '../../../shared/ui/Form.tsx';
import { QueryState } from '../../../shared/ui/Screen.tsx';
import { Amount } from '../../../shared/ui/Amount.tsx';
import { Panel } from '../../../shared/ui/Panel.tsx';
import { useOwner, reread } from '../../../stores/queries.ts';
import { LimitTable } from './LimitTable.tsx';
import { PolicyPreview } from './PolicyPreview.tsx';
import { SaveOrDiscard } from './SaveOrDiscard.tsx';
import { policyForm } from './policy-form.ts';
import { policySentences } from './policy-sentence.ts';
import { useRulesForm } from './use-policy-form.ts';
import { useServices } from './use-services.ts';

export const PolicyEditor = ({ agentId }: { agentId: string }) => {
  const name = useAgentName(agentId);
  const read = useOwner('getPolicy', { params: { agentId } });
  // The form stays mounted when reading the policy again fails, so that no input is lost.
  return (
    <Stack gap="lg">
      <QueryState of={read} />
      {read.data !== undefined && <PolicyForm {...read.data} name={name} />}
    </Stack>
  );
};

const PolicyForm = ({ agentId, policy, name }: Reply<'getPolicy'> & { name: string }) => {
  const { rows, wanted, changes, onSubmit, end } = useRulesForm({
    kind: policyForm,
    rules: policy,
    what: 'policy',
    of: name,
    save: (body) => ask('setPolicy', { params: { agentId }, body }).then(() => reread('getPolicy')),
  });
  const { names } = useServices();
  const { data: limits } = useOwner('getLimits', { params: { agentId } });
  return (
    <Form gap="lg" onSubmit={onSubmit} noValidate>
      <Panel
        title="Policy"
        note="The treasury enforces these limits. The agent can lower them by itself. To raise one, it needs your approval."
      >
        <LimitTable rows={rows} used={limits} above={limits?.above ?? []} of={name} />
        {limits?.forecast.monthEnd != null && (
          <Text>
            <Amount value={limits.forecast.monthEnd.spent} /> spent this month so far, on track for about{' '}
            {Number(limits.forecast.monthEnd.amount).toFixed(2)} USDC, {limits.forecast.monthEnd.basis}.
          </Text>
        )}
      </Panel>
      <SimpleGrid cols={{ base: 1, md: 2 }} spacing="lg">
        <Panel title={end.isChanged ? 'What it would mean' : 'What it means'}>
          <List size="sm" spacing={4} aria-live="polite" className="break-anywhere">
            {(wanted === null ? [] : policySentences(wanted, names)).map((sentence) => (
              <List.Item key={sentence}>{sentence}</List.Item>
            ))}
          </List>
        </Panel>
        <Panel title="The last 30 days under this policy">
          {wanted !== null && <PolicyPreview agentId={agentId} changes={changes} />}
        </Panel>
      </SimpleGrid>
      <SaveOrDiscard {...end} />
    </Form>
  );
};
