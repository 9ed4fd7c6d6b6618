// One click freezes everything without confirmation; unfreezing asks for it.
import { Button, Text } from '@mantine/core';
import { IconHandStop, IconPlayerPlay } from '@tabler/icons-react';
import { ask } from '../api/owner.ts';
import { useCommand } from '../shared/hooks/use-command.ts';
import { notifyDone, notifyFailure } from '../shared/notify.ts';
import { notifyStopped } from '../shared/notify-stopped.tsx';
import { useStoppedRequests } from '../shared/hooks/use-stopped-requests.ts';
import { confirmFirst } from '../shared/ui/confirm-first.tsx';
import { isDesktop } from '../stores/connection.ts';
import { useTreasury } from '../stores/treasury.ts';

/** Stops everything at once, or asks before it lets agents pay again. */
export const useFreeze = (): { isFrozen: boolean; isBusy: boolean; run: () => void } => {
  const isFrozen = useTreasury(({ snapshot }) => snapshot?.frozen ?? false);
  const since = useTreasury(({ snapshot }) => snapshot?.freeze.since ?? null);
  const declined = useStoppedRequests(since).length;
  const freeze = useCommand(() =>
    ask('freeze').then(
      ({ ended }) => notifyStopped({ did: 'All payments are stopped.', ended }),
      notifyFailure('Nothing was stopped'),
    ),
  );
  const unfreeze = useCommand(() =>
    ask('unfreeze').then(
      () => notifyDone(`Your agents can pay again.${declined > 0 ? ` ${staysDeclined(declined)}` : ''}`),
      notifyFailure('Everything stays stopped'),
    ),
  );
  const askFirst = (): void =>
    confirmFirst({
      title: 'Let your agents pay again?',
      means: `Every agent that you have not paused can pay again, within its limits. Payments stopped by the freeze won’t be sent later.${declined > 0 ? ` ${staysDeclined(declined)}` : ''}`,
      confirm: 'Unfreeze',
      cancel: 'Keep everything stopped',
      run: unfreeze.run,
    });
  return {
    isFrozen,
    isBusy: freeze.isBusy || unfreeze.isBusy,
    run() {
      if (!isFrozen) void freeze.run();
      // The desktop itself asks, where none of a page's scripts can answer.
      else if (isDesktop) void unfreeze.run();
      else askFirst();
    },
  };
};

export const FreezeButton = () => {
  const { isFrozen, isBusy, run } = useFreeze();
  const Icon = isFrozen ? IconPlayerPlay : IconHandStop;
  return (
    <Button
      {...(isFrozen ? { variant: 'default' } : { color: 'red' })}
      flex="none"
      leftSection={<Icon size={18} aria-hidden />}
      loading={isBusy}
      aria-label={isFrozen ? 'Unfreeze' : 'Freeze everything'}
      onClick={run}
    >
      {isFrozen ? 'Unfreeze' : 'Freeze'}
      {/* A narrow phone has room for one word. */}
      {!isFrozen && (
        <Text span inherit visibleFrom="xs" style={{ whiteSpace: 'pre' }}>
          {' everything'}
        </Text>
      )}
    </Button>
  );
};

const staysDeclined = (count: number): string =>
  count === 1
    ? 'The request that it declined stays declined; the agent can ask again.'
    : `The ${count} requests that it declined stay declined; agents can ask again.`;
