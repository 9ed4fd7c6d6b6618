// The actions on a group as a whole.
import { Text } from '@mantine/core';
import { IconArchive, IconPencil } from '@tabler/icons-react';
import { ask } from '../../../api/owner.ts';
import { counted } from '../../../shared/format.ts';
import type { DialogProps } from '../../../shared/ui/form-dialog.tsx';
import { RenameDialog } from '../../../shared/ui/RenameDialog.tsx';
import { outdate, reread } from '../../../stores/queries.ts';
import { ArchiveNode } from '../nodes/ArchiveNode.tsx';
import { NodeActions, type ActionsOn } from '../nodes/NodeActions.tsx';
import { StopGroup } from '../nodes/StopNode.tsx';
import type { AgentGroup } from './use-groups.ts';

interface OfGroup {
  group: AgentGroup;
}

export const GroupActions = ({ group }: OfGroup) => (
  <>
    <StopGroup group={group} />
    <NodeActions of={`the group ${group.name}`} node={{ group }} actions={actions} />
  </>
);

const RenameGroup = ({ group: { groupId, name }, ...dialog }: OfGroup & DialogProps) => (
  <RenameDialog
    name={name}
    field="name"
    rename={async (next) => {
      await ask('renameGroup', { params: { groupId }, body: { name: next } });
      await reread('listGroups');
    }}
    {...dialog}
  />
);

/** Says why not while the group has agents. */
const ArchiveGroup = ({ group: { groupId, name, agents }, ...dialog }: OfGroup & DialogProps) => {
  const isFull = agents.length > 0;
  return (
    <ArchiveNode
      of={`the group ${name}`}
      archive={async () => {
        await ask('archiveGroup', { params: { groupId } });
        outdate(['listGroups']);
        return `The group ${name} is archived.`;
      }}
      notDone="The group is not archived."
      cancel="Keep it"
      disabled={isFull}
      {...dialog}
    >
      <Text>
        {isFull
          ? `It still has ${counted(agents.length, 'agent')}. Move ${agents.length === 1 ? 'it' : 'them'} out of the group first.`
          : 'The group and its limits are hidden. The spending of its agents stays in the activity. This can’t be undone.'}
      </Text>
    </ArchiveNode>
  );
};

const actions: ActionsOn<OfGroup> = [
  ['Rename', IconPencil, RenameGroup],
  ['Archive', IconArchive, ArchiveGroup],
];
