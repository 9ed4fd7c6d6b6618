// The use of language models by agents in the last 30 days, the newest day first.
import { Text } from '@mantine/core';
import { Amount } from '../../../shared/ui/Amount.tsx';
import { Panel } from '../../../shared/ui/Panel.tsx';
import { QueryState } from '../../../shared/ui/Screen.tsx';
import { useOwner } from '../../../stores/queries.ts';
import { known, UsageTable } from './UsageTable.tsx';

export const ModelUsage = () => {
  const answer = useOwner('allModelUsage');
  const { days = [], total = '0.00', held = '0.00' } = answer.data ?? {};
  return (
    <Panel
      title="Usage in the last 30 days"
      note="As each provider counted it. A request that was cut off is estimated; one with an unknown end counts at the most it could cost."
    >
      <QueryState of={answer} />
      {answer.data !== undefined && days.length === 0 && (
        <Text c="dimmed">No agent used a language model.</Text>
      )}
      {days.length > 0 && (
        <>
          <Text size="sm">
            <Amount value={total} /> in all, and <Amount value={held} /> held for requests under way.
          </Text>
          <UsageTable
            label="Use of language models"
            heads={['Day (UTC)', 'Agent', 'Model', 'Requests', 'Tokens in', 'Tokens out', 'Amount']}
            rows={days.toReversed().map((one) => [
              `${one.day} ${one.agentId} ${one.supplierId} ${one.modelId} ${one.mark}`,
              one.day,
              one.agentId,
              `${one.supplierId}/${one.modelId}`,
              one.requests.toLocaleString('en'),
              one.inputTokens.toLocaleString('en'),
              one.outputTokens.toLocaleString('en'),
              <>
                <Amount value={one.amount} /> {known[one.mark]}
              </>,
            ])}
          />
        </>
      )}
    </Panel>
  );
};
