// The actions on a group as a whole.
import { ActionIcon, Menu } from '@mantine/core';
import { IconArchive, IconDots, IconPencil } from '@tabler/icons-react';
import { useState } from 'react';
import { ask } from '../../../api/owner.ts';
import { RenameDialog } from '../../../shared/ui/RenameDialog.tsx';
import { reread } from '../../../stores/queries.ts';
import { ArchiveGroup } from './ArchiveGroup.tsx';
import { StopGroup } from './StopGroup.tsx';
import type { AgentGroup } from './use-groups.ts';

export const GroupActions = ({ group }: { group: AgentGroup }) => {
  const [dialog, setDialog] = useState<'rename' | 'archive' | null>(null);
  const close = (): void => setDialog(null);
  const { groupId, name } = group;
  const rename = (next: string): Promise<void> =>
    ask('renameGroup', { params: { groupId }, body: { name: next } }).then(() => reread('listGroups'));
  return (
    <>
      <StopGroup group={group} />
      <Menu position="bottom-end" withinPortal>
        <Menu.Target>
          <ActionIcon variant="default" size={36} aria-label={`More for the group ${name}`}>
            <IconDots size={18} aria-hidden />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item leftSection={<IconPencil size={16} aria-hidden />} onClick={() => setDialog('rename')}>
            Rename
          </Menu.Item>
          <Menu.Divider />
          <Menu.Item
            color="red"
            leftSection={<IconArchive size={16} aria-hidden />}
            onClick={() => setDialog('archive')}
          >
            Archive
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
      <RenameDialog name={name} field="name" rename={rename} opened={dialog === 'rename'} onClose={close} />
      <ArchiveGroup group={group} opened={dialog === 'archive'} onClose={close} />
    </>
  );
};
