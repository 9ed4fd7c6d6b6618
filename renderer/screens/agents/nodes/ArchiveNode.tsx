// Archives an agent or a group for good, after confirmation.
import { Stack } from '@mantine/core';
import { useId } from '@mantine/hooks';
import type { ReactNode } from 'react';
import { useLocation } from 'wouter';
import { notifyDone } from '../../../shared/notify.ts';
import { useCommand } from '../../../shared/hooks/use-command.ts';
import { useTransferKey } from '../../../shared/hooks/use-transfer-key.ts';
import { FormEnd } from '../../../shared/ui/Form.tsx';
import { formDialog, type Done } from '../../../shared/ui/form-dialog.tsx';

interface ArchiveProps {
  /** `the group Research`. */
  of: string;
  /** Resolves to the sentence about what was done. */
  archive: (key: string) => Promise<string>;
  notDone: string;
  cancel?: string;
  disabled?: boolean;
  /** What it means, or why it is not possible. */
  children: ReactNode;
}

export const ArchiveNode = formDialog(({ of }) => `Archive ${of}?`, Archive);

function Archive({
  archive,
  notDone,
  cancel = 'Cancel',
  disabled = false,
  children,
  onDone,
}: ArchiveProps & Done) {
  const [, go] = useLocation();
  const { carryOut } = useTransferKey();
  const id = useId();
  const command = useCommand(() =>
    carryOut(async (key) => {
      notifyDone(await archive(key));
      go('/agents');
    }),
  );
  return (
    <Stack gap="md">
      <div id={id}>{children}</div>
      <FormEnd
        of={command}
        notDone={notDone}
        onCancel={onDone}
        cancel={cancel}
        color="red"
        disabled={disabled}
        aria-describedby={id}
        onClick={() => void command.run()}
      >
        Archive
      </FormEnd>
    </Stack>
  );
}
