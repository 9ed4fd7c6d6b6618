// Each agent's use of its budget, the highest first.
import { Anchor, Stack, Text } from '@mantine/core';
import { Link } from 'wouter';
import { AgentName } from '../../shared/ui/AgentName.tsx';
import { BudgetGauge } from '../../shared/ui/Gauge.tsx';
import { Panel } from '../../shared/ui/Panel.tsx';
import { shareOf } from '../../shared/share.ts';
import { whenOf } from '../../shared/time.ts';
import type { AgentSummary } from '../../stores/treasury.ts';

const mostShown = 6;

const shareSpent = ({ spentToday, inForce }: AgentSummary): number =>
  shareOf(spentToday, inForce.dailyBudget);

export const Budgets = ({ agents }: { agents: readonly AgentSummary[] }) => {
  const shown = [...agents].toSorted((a, b) => shareSpent(b) - shareSpent(a)).slice(0, mostShown);
  return (
    <Panel
      title="Budgets"
      note="Last 24 hours"
      actions={
        <Anchor component={Link} href="/agents" size="sm">
          {agents.length > mostShown ? `All ${agents.length} agents` : 'All agents'}
        </Anchor>
      }
    >
      <Stack gap="md">
        {shown.map((agent) => (
          <Stack key={agent.agentId} gap={4}>
            <AgentName agentId={agent.agentId} />
            <BudgetGauge spent={agent.spentToday} budget={agent.inForce} of={agent.displayName} />
            {agent.budgetEndsAt !== null && (
              <Text size="xs">Runs out around {whenOf(agent.budgetEndsAt)} at this rate.</Text>
            )}
          </Stack>
        ))}
      </Stack>
    </Panel>
  );
};
