// Ends this browser's sessions.
import { Button, Group } from '@mantine/core';
import { IconLogout } from '@tabler/icons-react';
import { SessionOver } from '../../api/proof.ts';
import { ErrorNote } from '../../shared/ui/ErrorNote.tsx';
import { Panel } from '../../shared/ui/Panel.tsx';
import { useCommand } from '../../shared/hooks/use-command.ts';
import { inBrowser, signOut } from '../../stores/connection.ts';

const until =
  'You stay signed in, in all tabs of this browser, for twelve hours. Locking the treasury, changing its passphrase or restoring its records signs you out sooner, and so does a restart on a real network.';

export const Session = () => {
  const end = useCommand(async () => {
    await inBrowser()?.endSession().catch(unlessOver);
    signOut();
  });
  return (
    <Panel title="This browser" note={until}>
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
