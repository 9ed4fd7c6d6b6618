// Removes an identity, which may then no longer link machines.
import { Button, Text } from '@mantine/core';
import { modals } from '@mantine/modals';
import { ask } from '../../../api/owner.ts';
import { notifyFailure } from '../../../shared/notify.ts';
import type { Identity } from './identity-kinds.ts';
import { useSetting } from './use-setting.ts';

export const RemoveIdentity = ({ identity: { identityId, label } }: { identity: Identity }) => {
  const remove = useSetting(() =>
    ask('removeIdentity', { params: { identityId } }).catch(notifyFailure('It was not removed')),
  );
  return (
    <Button
      size="xs"
      variant="outline"
      color="red"
      flex="none"
      loading={remove.isBusy}
      aria-label={`Remove ${label}`}
      onClick={() => confirmRemoval(label, () => void remove.run())}
    >
      Remove
    </Button>
  );
};

const confirmRemoval = (label: string, onConfirm: () => void): void => {
  modals.openConfirmModal({
    title: `Remove “${label}”?`,
    children: (
      <Text size="sm">
        It can no longer link machines, also where it has signed in already. Machines that it linked keep
        their keys.
      </Text>
    ),
    labels: { confirm: 'Remove', cancel: 'Cancel' },
    confirmProps: { color: 'red' },
    onConfirm,
  });
};
