// An agent's policy, to read and to change. Before it is saved, the editor says what it means and which past payments
// it would have refused.
import { SimpleGrid, Stack, Text } from '@mantine/core';
import { ask } from '../../../api/owner.ts';
import { useAgentName } from '../../../shared/agent-names.ts';
import { ErrorNote } from '../../../shared/ui/ErrorNote.tsx';
import { notifyDone } from '../../../shared/notify.ts';
import { Panel } from '../../../shared/ui/Panel.tsx';
import { confirmRaises } from '../../../shared/ui/confirm-raises.tsx';
import { Loading } from '../../../shared/ui/Screen.tsx';
import { useUnsaved } from '../../../shared/unsaved.tsx';
import { useCommand } from '../../../shared/hooks/use-command.ts';
import { useOwner, reread } from '../../../stores/queries.ts';
import { LimitGauges } from './LimitGauges.tsx';
import { PolicyFields } from './PolicyFields.tsx';
import { PolicyPreview } from './PolicyPreview.tsx';
import { SaveOrDiscard } from './SaveOrDiscard.tsx';
import { policyForm } from './policy-form.ts';
import { policySentence, type Policy } from './policy-sentence.ts';
import { changesOf, raisesOf } from './rule-changes.ts';
import { usePolicyForm } from './use-policy-form.ts';
import { useServices } from './use-services.ts';

export const PolicyEditor = ({ agentId }: { agentId: string }) => {
  const name = useAgentName(agentId);
  const { data, error, refetch } = useOwner('getPolicy', { params: { agentId } });
  // The form stays mounted when reading the policy again fails, so that no input is lost.
  return (
    <Stack gap="lg">
      <ErrorNote error={error} onRetry={() => void refetch()} />
      {data === undefined ? (
        error === null && <Loading />
      ) : (
        <PolicyForm agentId={agentId} name={name} policy={data.policy} />
      )}
    </Stack>
  );
};

interface PolicyFormProps {
  agentId: string;
  name: string;
  policy: Policy;
}

const PolicyForm = ({ agentId, name, policy }: PolicyFormProps) => {
  const { form, showRefusal } = usePolicyForm(policyForm, policy);
  const { names } = useServices();
  const wanted = policyForm.toldOf(form.values);
  const changes = wanted === null ? {} : changesOf(policy, wanted);
  const isChanged = wanted === null || Object.keys(changes).length > 0;
  useUnsaved(isChanged ? `the policy of ${name}` : null);
  const save = useCommand(async () => {
    try {
      await ask('setPolicy', { params: { agentId }, body: changes });
      await reread('getPolicy');
      notifyDone(`The policy of ${name} is saved.`);
    } catch (error) {
      showRefusal(error);
    }
  });
  return (
    <form
      onSubmit={form.onSubmit(() => confirmRaises(raisesOf(policy, changes), () => void save.run()))}
      noValidate
    >
      <SimpleGrid cols={{ base: 1, md: 2 }} spacing="lg">
        <Panel title="Policy" note="The treasury enforces it. The agent can tighten it, never loosen it.">
          <PolicyFields form={form} fields={policyForm.fields} />
        </Panel>
        <Stack gap="lg">
          <LimitGauges agentId={agentId} name={name} />
          <Panel title={isChanged ? 'What it would mean' : 'What it means'}>
            <Text aria-live="polite" className="break-anywhere">
              {wanted === null ? 'A field is not right yet.' : policySentence(wanted, names)}
            </Text>
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
          <ErrorNote error={save.error} notDone="The policy was not changed." />
          <SaveOrDiscard what="policy" isChanged={isChanged} isBusy={save.isBusy} onDiscard={form.reset} />
        </Stack>
      </SimpleGrid>
    </form>
  );
};
