// Takes a service that the owner added out of the catalog, after asking.
import { Button, Text } from '@mantine/core';
import { modals } from '@mantine/modals';
import { IconTrash } from '@tabler/icons-react';
import { ask } from '../../api/owner.ts';
import { notifyDone, notifyFailure } from '../../shared/notify.ts';
import { useCommand } from '../../shared/use-command.ts';
import { queries } from '../../stores/queries.ts';

export const RemoveService = ({ id, name }: { id: string; name: string }) => {
  const remove = useCommand(async () => {
    const gone = await ask('removeService', { params: { serviceId: id } }).catch(
      notifyFailure(`${name} was not removed`),
    );
    if (gone === undefined) return;
    notifyDone(`${name} is no longer in the catalog.`);
    await queries.invalidateQueries({ queryKey: ['searchServices'] });
  });
  const confirm = (): void =>
    void modals.openConfirmModal({
      title: `Remove ${name}?`,
      children: (
        <Text size="sm">
          No agent can pay it any more. Lists of allowed services that name it stay as they are, and you can
          add it again.
        </Text>
      ),
      labels: { confirm: 'Remove', cancel: 'Cancel' },
      confirmProps: { color: 'red' },
      onConfirm: () => void remove.run(),
    });
  return (
    <Button
      size="xs"
      variant="subtle"
      color="red"
      leftSection={<IconTrash size={16} aria-hidden />}
      loading={remove.isBusy}
      onClick={confirm}
      aria-label={`Remove ${name}`}
    >
      Remove
    </Button>
  );
};
