// One click freezes everything without confirmation; unfreezing asks for it.
import { Button } from '@mantine/core';
import { IconHandStop, IconPlayerPlay } from '@tabler/icons-react';
import { ask } from '../api/owner.ts';
import { useCommand } from '../shared/hooks/use-command.ts';
import { notifyDone, notifyFailure } from '../shared/notify.ts';
import { notifyStopped } from '../shared/notify-stopped.tsx';
import { useStoppedRequests } from '../shared/hooks/use-stopped-requests.ts';
import { confirmFirst } from '../shared/ui/confirm-first.tsx';
import { isDesktop } from '../stores/connection.ts';
import { useTreasury } from '../stores/treasury.ts';

export const FreezeButton = () => {
  const frozen = useTreasury(({ snapshot }) => snapshot?.frozen ?? false);
  const since = useTreasury(({ snapshot }) => snapshot?.freeze.since ?? null);
  const cancelled = useStoppedRequests(since).length;
  const freeze = useCommand(() =>
    ask('freeze').then(
      ({ ended }) => notifyStopped({ did: 'All payments are stopped.', ended }),
      notifyFailure('Nothing was stopped'),
    ),
  );
  const unfreeze = useCommand(() =>
    ask('unfreeze').then(
      () => notifyDone(`Your agents can pay again.${cancelled > 0 ? ` ${staysCancelled(cancelled)}` : ''}`),
      notifyFailure('Everything stays stopped'),
    ),
  );
  if (frozen)
    return (
      <Button
        variant="default"
        flex="none"
        leftSection={<IconPlayerPlay size={18} aria-hidden />}
        loading={unfreeze.isBusy}
        // The desktop itself asks, where none of a page's scripts can answer.
        onClick={() =>
          isDesktop
            ? void unfreeze.run()
            : confirmFirst({
                title: 'Let your agents pay again?',
                means: `Every agent that you have not paused can pay again, within its limits. Payments stopped by the freeze won’t be sent later.${cancelled > 0 ? ` ${staysCancelled(cancelled)}` : ''}`,
                confirm: 'Unfreeze',
                cancel: 'Keep everything stopped',
                run: unfreeze.run,
              })
        }
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

const staysCancelled = (count: number): string =>
  count === 1
    ? 'The request that it cancelled stays cancelled; the agent can ask again.'
    : `The ${count} requests that it cancelled stay cancelled; agents can ask again.`;
