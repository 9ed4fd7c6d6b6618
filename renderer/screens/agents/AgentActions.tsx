// The actions on an agent as a whole.
import { Button, List } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import {
  IconArchive,
  IconArrowBackUp,
  IconCopy,
  IconFolderSymlink,
  IconPalette,
  IconPencil,
  IconPlus,
  IconRepeat,
} from '@tabler/icons-react';
import type { AgentSummary } from '../../stores/treasury.ts';
import { MoveToGroup } from './groups/MoveToGroup.tsx';
import { DuplicateAgent } from './new/DuplicateAgent.tsx';
import { ArchiveNode } from './nodes/ArchiveNode.tsx';
import { NodeActions, type ActionsOn } from './nodes/NodeActions.tsx';
import { PauseAgent } from './nodes/StopNode.tsx';
import { MarkAgent } from './MarkAgent.tsx';
import { MoveMoney } from './MoveMoney.tsx';
import { RefillDialog } from './Refill.tsx';
import { ask } from '../../api/owner.ts';
import { Amount } from '../../shared/ui/Amount.tsx';
import { RenameDialog } from '../../shared/ui/RenameDialog.tsx';
import type { DialogProps } from '../../shared/ui/form-dialog.tsx';

interface OfAgent {
  agent: AgentSummary;
}

export const AgentActions = ({ agent }: OfAgent) => {
  const [isFunding, { open, close }] = useDisclosure();
  return (
    <>
      <Button leftSection={<IconPlus size={16} aria-hidden />} onClick={open} aria-haspopup="dialog">
        Add funds
      </Button>
      <MoveMoney agent={agent} way="allocate" opened={isFunding} onClose={close} />
      <PauseAgent agent={agent} />
      <NodeActions of={agent.displayName} node={{ agent }} actions={actions} />
    </>
  );
};

/** Changes its display name; its id stays. */
const RenameAgent = ({ agent: { agentId, displayName }, ...dialog }: OfAgent & DialogProps) => (
  <RenameDialog
    name={displayName}
    note={`Its ID, ${agentId}, stays the same.`}
    field="displayName"
    rename={(name) => ask('rename', { params: { agentId }, body: { displayName: name } })}
    {...dialog}
  />
);

const ArchiveAgent = ({ agent: { agentId, displayName, balance }, ...dialog }: OfAgent & DialogProps) => (
  <ArchiveNode
    of={displayName}
    archive={async (key) => {
      const { recalled } = await ask('archive', { params: { agentId }, key });
      return `${displayName} is archived. ${recalled} USDC went back to the treasury.`;
    }}
    notDone="It is not archived; it may be paused already."
    {...dialog}
  >
    <List size="sm" spacing={4}>
      <List.Item>
        Its <Amount whole value={balance} /> goes back to the treasury.
      </List.Item>
      <List.Item>All its keys stop working at once.</List.Item>
      <List.Item>It is hidden; its payments stay in the activity. This can’t be undone.</List.Item>
    </List>
  </ArchiveNode>
);

const actions: ActionsOn<OfAgent> = [
  ['Take funds back', IconArrowBackUp, (props) => <MoveMoney way="recall" {...props} />],
  ['Refill automatically', IconRepeat, RefillDialog],
  ['Rename', IconPencil, RenameAgent],
  ['Color and tags', IconPalette, MarkAgent],
  ['Move to…', IconFolderSymlink, ({ agent, ...props }) => <MoveToGroup agents={[agent]} {...props} />],
  ['Duplicate', IconCopy, DuplicateAgent],
  ['Archive', IconArchive, ArchiveAgent],
];
