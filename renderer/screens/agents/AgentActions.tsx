// The actions on an agent as a whole.
import { ActionIcon, Button, Menu } from '@mantine/core';
import {
  IconArchive,
  IconArrowBackUp,
  IconCopy,
  IconDots,
  IconFolderSymlink,
  IconPalette,
  IconPencil,
  IconPlus,
} from '@tabler/icons-react';
import { useState } from 'react';
import type { AgentSummary } from '../../stores/treasury.ts';
import { MoveToGroup } from './groups/MoveToGroup.tsx';
import { ArchiveAgent } from './ArchiveAgent.tsx';
import { DuplicateAgent } from './new/DuplicateAgent.tsx';
import { MarkAgent } from './MarkAgent.tsx';
import { MoveMoney } from './MoveMoney.tsx';
import { PauseButton } from './PauseButton.tsx';
import { ask } from '../../api/owner.ts';
import { RenameDialog } from '../../shared/ui/RenameDialog.tsx';
import type { DialogProps } from '../../shared/ui/form-dialog.tsx';

type Dialog = 'allocate' | 'recall' | 'rename' | 'mark' | 'duplicate' | 'move' | 'archive';

export const AgentActions = ({ agent }: { agent: AgentSummary }) => {
  const [dialog, setDialog] = useState<Dialog | null>(null);
  const close = (): void => setDialog(null);
  return (
    <>
      <Button
        leftSection={<IconPlus size={16} aria-hidden />}
        onClick={() => setDialog('allocate')}
        aria-haspopup="dialog"
      >
        Add funds
      </Button>
      <PauseButton agent={agent} />
      <Menu position="bottom-end" withinPortal>
        <Menu.Target>
          <ActionIcon variant="default" size={36} aria-label={`More for ${agent.displayName}`}>
            <IconDots size={18} aria-hidden />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item
            leftSection={<IconArrowBackUp size={16} aria-hidden />}
            onClick={() => setDialog('recall')}
          >
            Take funds back
          </Menu.Item>
          <Menu.Item leftSection={<IconPencil size={16} aria-hidden />} onClick={() => setDialog('rename')}>
            Rename
          </Menu.Item>
          <Menu.Item leftSection={<IconPalette size={16} aria-hidden />} onClick={() => setDialog('mark')}>
            Colour and tags
          </Menu.Item>
          <Menu.Item
            leftSection={<IconFolderSymlink size={16} aria-hidden />}
            onClick={() => setDialog('move')}
          >
            Move to…
          </Menu.Item>
          <Menu.Item leftSection={<IconCopy size={16} aria-hidden />} onClick={() => setDialog('duplicate')}>
            Duplicate
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
      <MoveMoney
        agent={agent}
        way={dialog === 'allocate' || dialog === 'recall' ? dialog : null}
        onClose={close}
      />
      <RenameAgent agent={agent} opened={dialog === 'rename'} onClose={close} />
      <MarkAgent agent={agent} opened={dialog === 'mark'} onClose={close} />
      <MoveToGroup agents={[agent]} opened={dialog === 'move'} onClose={close} />
      <DuplicateAgent agent={agent} opened={dialog === 'duplicate'} onClose={close} />
      <ArchiveAgent agent={agent} opened={dialog === 'archive'} onClose={close} />
    </>
  );
};

/** Changes an agent's display name; its id stays. */
interface RenameAgentProps extends DialogProps {
  agent: AgentSummary;
}

const RenameAgent = ({ agent: { agentId, displayName }, ...dialog }: RenameAgentProps) => (
  <RenameDialog
    name={displayName}
    note={`Its ID, ${agentId}, stays the same.`}
    field="displayName"
    rename={(name) => ask('rename', { params: { agentId }, body: { displayName: name } })}
    {...dialog}
  />
);
