// Ends this tab's session.
import { Button, Group } from '@mantine/core';
import { IconLogout } from '@tabler/icons-react';
import { AppError } from '../../../server/errors.ts';
import { endSession, keptSession } from '../../api/http.ts';
import { ErrorNote } from '../../shared/ErrorNote.tsx';
import { Panel } from '../../shared/Panel.tsx';
import { useCommand } from '../../shared/use-command.ts';
import { signOut } from '../../stores/connection.ts';

export const Session = () => {
  const end = useCommand(async () => {
    const session = keptSession();
    if (session !== null) await endSession(session).catch(unlessOver);
    signOut();
  });
  return (
    <Panel
      title="This browser"
      note="You are signed in here for twelve hours, or until the treasury is locked."
    >
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

/** A 401 means that the session is over already. */
const unlessOver = (error: unknown): void => {
  if (!(error instanceof AppError) || error.status !== 401) throw error;
};
