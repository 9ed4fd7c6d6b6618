// Makes the treasury forget the owner's key at a provider, after asking.
import { Button, Text } from '@mantine/core';
import { modals } from '@mantine/modals';
import { ask } from '../../api/owner.ts';
import { notifyDone, notifyFailure } from '../../shared/notify.ts';
import { useCommand } from '../../shared/use-command.ts';
import type { Provider } from './provider-form.ts';
import { rereadModels } from './reread-models.ts';

export const ForgetKey = ({ provider: { providerId, name } }: { provider: Provider }) => {
  const forget = useCommand(async () => {
    const changed = await ask('setImageProvider', { params: { providerId }, body: { apiKey: null } }).catch(
      notifyFailure(`The key of ${name} was not forgotten`),
    );
    if (changed === undefined) return;
    notifyDone(`The key of ${name} is forgotten.`);
    await rereadModels();
  });
  const confirm = (): void =>
    void modals.openConfirmModal({
      title: `Forget the key of ${name}?`,
      children: (
        <Text size="sm">
          Its models make no pictures until you enter a key again. The key itself stays valid at {name}: if
          somebody else may know it, end it there.
        </Text>
      ),
      labels: { confirm: 'Forget it', cancel: 'Cancel' },
      confirmProps: { color: 'red' },
      onConfirm: () => void forget.run(),
    });
  return (
    <Button
      size="xs"
      variant="subtle"
      color="red"
      loading={forget.isBusy}
      onClick={confirm}
      aria-label={`Forget key of ${name}`}
    >
      Forget key
    </Button>
  );
};
