// Gives an address a label, or changes or removes it.
import { ActionIcon } from '@mantine/core';
import { IconTag } from '@tabler/icons-react';
import { useState } from 'react';
import { ask } from '../api/owner.ts';
import { shorten } from './format.ts';
import { useLabel } from './hooks/use-label.ts';
import { RenameDialog } from './ui/RenameDialog.tsx';

export default function LabelButton({ address }: { address: string }) {
  const label = useLabel(address);
  const [isOpen, setOpen] = useState(false);
  const words = label === undefined ? 'Give it a label' : 'Change its label';
  return (
    <>
      <ActionIcon
        variant="subtle"
        color="gray"
        title={words}
        aria-label={words}
        onClick={() => setOpen(true)}
      >
        <IconTag size={16} aria-hidden />
      </ActionIcon>
      <RenameDialog
        title={`Label of ${shorten(address)}`}
        name={label ?? ''}
        note="It stands beside the address, for you alone: agents never see it. Leave it empty to remove it."
        field="label"
        rename={(name) => ask('setLabel', { body: { address, label: name || null } })}
        opened={isOpen}
        onClose={() => setOpen(false)}
      />
    </>
  );
}
