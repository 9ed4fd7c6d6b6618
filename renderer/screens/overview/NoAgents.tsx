// Replaces the budgets while there are no agents.
import { Button } from '@mantine/core';
import { IconRobot } from '@tabler/icons-react';
import { Link } from 'wouter';
import { EmptyState } from '../../shared/EmptyState.tsx';
import { Panel } from '../../shared/Panel.tsx';

export const NoAgents = () => (
  <Panel title="Budgets">
    <EmptyState
      icon={<IconRobot size={32} />}
      title="No agents"
      action={
        <Button component={Link} href="/welcome">
          Create your first agent
        </Button>
      }
    >
      It takes less than a minute.
    </EmptyState>
  </Panel>
);
