// Locks the treasury: drops the signing keys from memory, so that nobody can pay; and unlocks it.
import { Button, Group } from '@mantine/core';
import { IconLock } from '@tabler/icons-react';
import { ask } from '../../api/owner.ts';
import { ErrorNote } from '../../shared/ui/ErrorNote.tsx';
import { Panel } from '../../shared/ui/Panel.tsx';
import { useCommand } from '../../shared/hooks/use-command.ts';
import { confirmFirst } from '../../shared/ui/confirm-first.tsx';
import { Unlock } from '../../shell/Unlock.tsx';
import { isDesktop, signOut } from '../../stores/connection.ts';

interface LockingProps {
  isLocked: boolean;
  needsPassphrase: boolean;
}

export const Locking = ({ isLocked, needsPassphrase }: LockingProps) => {
  const lock = useCommand(async () => {
    await ask('lock');
    // Locking has ended every session.
    if (!isDesktop) signOut('locked');
  });
  // In a browser, locking also ends the session, so a stray click must not do it.
  const start = (): void => (isDesktop ? void lock.run() : confirmFirst({ ...locking, run: lock.run }));
  return (
    <Panel title="Lock" note="While locked, the keys are not in memory and no agent can pay.">
      {isLocked ? (
        <Unlock needsPassphrase={needsPassphrase} />
      ) : (
        <Group>
          <Button
            variant="default"
            leftSection={<IconLock size={18} aria-hidden />}
            loading={lock.isBusy}
            onClick={start}
          >
            Lock the treasury
          </Button>
        </Group>
      )}
      <ErrorNote error={lock.error} notDone="It was not locked." />
    </Panel>
  );
};

const locking = {
  title: 'Lock the treasury?',
  means:
    'No agent can pay until you unlock it. This also signs you out here: to come back, you need a login from the terminal where the treasury runs, or the passphrase.',
  confirm: 'Lock',
};
