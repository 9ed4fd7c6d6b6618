// The actions for all chosen agents together. Each says in plain words what will change before anything does.
import { Button, Group, Paper, Text } from '@mantine/core';
import { useState } from 'react';
import { counted } from '../../shared/format.ts';
import type { AgentSummary } from '../../stores/treasury.ts';
import { MoveToGroup } from './groups/MoveToGroup.tsx';
import { BulkPause } from './BulkPause.tsx';

interface BulkBarProps {
  /** The chosen ones. */
  agents: readonly AgentSummary[];
  onAll: () => void;
  onDone: () => void;
}

export const BulkBar = ({ agents, onAll, onDone }: BulkBarProps) => {
  const [dialog, setDialog] = useState<'pause' | 'move' | null>(null);
  const close = (): void => setDialog(null);
  return (
    <Paper withBorder p="sm" bg="var(--card)" component="section" aria-label="Selected agents">
      <Group gap="xs">
        <Text fw={600} role="status">
          {agents.length === 0 ? 'Select agents below' : `${counted(agents.length, 'agent')} selected`}
        </Text>
        <Button size="xs" variant="subtle" onClick={onAll}>
          Select all
        </Button>
        <Button
          size="xs"
          variant="default"
          disabled={agents.every(({ status }) => status === 'suspended')}
          onClick={() => setDialog('pause')}
          aria-haspopup="dialog"
        >
          Pause…
        </Button>
        <Button
          size="xs"
          variant="default"
          disabled={agents.length === 0}
          onClick={() => setDialog('move')}
          aria-haspopup="dialog"
        >
          Move to…
        </Button>
        <Button size="xs" variant="subtle" color="gray" onClick={onDone}>
          Done
        </Button>
      </Group>
      <BulkPause agents={agents} opened={dialog === 'pause'} onClose={close} />
      <MoveToGroup agents={agents} opened={dialog === 'move'} onClose={close} />
    </Paper>
  );
};
