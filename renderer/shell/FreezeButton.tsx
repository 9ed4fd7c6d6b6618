// One click freezes everything without confirmation; unfreezing asks for it.
import { Button, Text } from '@mantine/core';
import { modals } from '@mantine/modals';
import { IconHandStop, IconPlayerPlay } from '@tabler/icons-react';
import { ask } from '../api/owner.ts';
import { useCommand } from '../shared/use-command.ts';
import { notifyFailure } from '../shared/notify.ts';
import { isDesktop } from '../stores/connection.ts';
import { useTreasury } from '../stores/treasury.ts';

export const FreezeButton = () => {
  const frozen = useTreasury(({ snapshot }) => snapshot?.frozen ?? false);
  const freeze = useCommand(() => ask('freeze').catch(notifyFailure('Nothing was stopped')));
  const unfreeze = useCommand(() => ask('unfreeze').catch(notifyFailure('Everything stays stopped')));
  if (frozen)
    return (
      <Button
        variant="default"
        flex="none"
        leftSection={<IconPlayerPlay size={18} aria-hidden />}
        loading={unfreeze.isBusy}
        // The desktop itself asks, where none of a page's scripts can answer.
        onClick={() => (isDesktop ? void unfreeze.run() : confirmUnfreeze(() => void unfreeze.run()))}
      >
        Unfreeze
      </Button>
    );
  return (
    <Button
      color="red"
      flex="none"
      leftSection={<IconHandStop size={18} aria-hidden />}
      loading={freeze.isBusy}
      onClick={() => void freeze.run()}
    >
      Freeze everything
    </Button>
  );
};

const confirmUnfreeze = (onConfirm: () => void): void => {
  modals.openConfirmModal({
    title: 'Let your agents pay again?',
    children: (
      <Text size="sm">
        Every agent that is not paused may pay again within its policy. Payments that the freeze caught before
        they were sent stay unsent for ever.
      </Text>
    ),
    labels: { confirm: 'Unfreeze', cancel: 'Keep everything stopped' },
    onConfirm,
  });
};
