// Ends this browser's sessions.
import { Button, Group } from '@mantine/core';
import { IconLogout } from '@tabler/icons-react';
import { SessionOver } from '../../api/proof.ts';
import { ErrorNote } from '../../shared/ui/ErrorNote.tsx';
import { Panel } from '../../shared/ui/Panel.tsx';
import { useCommand } from '../../shared/hooks/use-command.ts';
import { inBrowser, signOut } from '../../stores/connection.ts';
import { useTreasury } from '../../stores/treasury.ts';

const Until = () => {
  const isSandbox = useTreasury(({ snapshot }) => snapshot?.network === 'sandbox');
  return (
    <>
      You are signed in in all tabs of this browser, for twelve hours from your sign-in. Locking the treasury,
      changing its passphrase or restoring its records ends that sooner
      {isSandbox ? '; on the sandbox, a restart does not.' : ', and so does a restart of the treasury.'}
    </>
  );
};

export const Session = () => {
  const end = useCommand(async () => {
    await inBrowser()?.endSession().catch(unlessOver);
    signOut();
  });
  return (
    <Panel title="This browser" note={<Until />}>
      <Group>
        <Button
          variant="default"
          leftSection={<IconLogout size={18} aria-hidden />}
          loading={end.isBusy}
          onClick={() => void end.run()}
        >
          Sign out
        </Button>
      </Group>
      <ErrorNote error={end.error} notDone="You are still signed in." />
    </Panel>
  );
};

const unlessOver = (error: unknown): void => {
  if (!(error instanceof SessionOver)) throw error;
};
