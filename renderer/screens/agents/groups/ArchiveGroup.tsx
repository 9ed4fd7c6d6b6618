// Archives a group that has no agents; says why not while it has some.
import { Stack, Text } from '@mantine/core';
import { useLocation } from 'wouter';
import { ask } from '../../../api/owner.ts';
import { counted } from '../../../shared/format.ts';
import { notifyDone } from '../../../shared/notify.ts';
import { useChange } from '../../../shared/hooks/use-command.ts';
import { FormEnd } from '../../../shared/ui/Form.tsx';
import { formDialog, type Done } from '../../../shared/ui/form-dialog.tsx';
import type { AgentGroup } from './use-groups.ts';

interface ArchiveProps {
  group: AgentGroup;
}

export const ArchiveGroup = formDialog(({ group }) => `Archive the group ${group.name}?`, Archive);

function Archive({ group: { groupId, name, agents }, onDone }: ArchiveProps & Done) {
  const [, go] = useLocation();
  const archive = useChange(['listGroups'], async () => {
    await ask('archiveGroup', { params: { groupId } });
    notifyDone(`The group ${name} is archived.`);
    go('/agents');
  });
  const isFull = agents.length > 0;
  return (
    <Stack gap="md">
      <Text size="sm" id="archive-group">
        {isFull
          ? `It still has ${counted(agents.length, 'agent')}. Move ${agents.length === 1 ? 'it' : 'them'} out of the group first.`
          : 'The group and its limits are hidden. What its agents spent stays in the activity. This can’t be undone.'}
      </Text>
      <FormEnd
        of={archive}
        notDone="The group is not archived."
        onCancel={onDone}
        cancel="Keep it"
        color="red"
        disabled={isFull}
        aria-describedby="archive-group"
        onClick={() => void archive.run()}
      >
        Archive
      </FormEnd>
    </Stack>
  );
}
