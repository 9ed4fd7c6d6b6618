// Integration with the system: start at login, notifications, shortcut, port.
import { Stack, Switch, Text } from '@mantine/core';
import type { DesktopInput, DesktopState } from '../../../electron/ipc/ipc.ts';
import { askDesktop } from '../../api/desktop.ts';
import { ErrorNote } from '../../shared/ui/ErrorNote.tsx';
import { Panel } from '../../shared/ui/Panel.tsx';
import { useCommand } from '../../shared/hooks/use-command.ts';
import { Shortcut } from './Shortcut.tsx';

export const System = ({ desktop }: { desktop: DesktopState }) => {
  const { startAtLogin, notifications, shortcut, tray, port } = desktop;
  const change = useCommand((settings: DesktopInput<'changeSettings'>) =>
    askDesktop('changeSettings', settings),
  );
  return (
    <Panel title="This computer">
      <Stack gap="md">
        <Switch
          label="Start at login"
          description={startAtLogin.supported ? undefined : 'This system does not offer it.'}
          checked={startAtLogin.enabled}
          disabled={!startAtLogin.supported || change.isBusy}
          onChange={({ currentTarget }) => void change.run({ startAtLogin: currentTarget.checked })}
        />
        <Switch
          label="Notifications"
          description="They appear when something waits for you, is refused, arrives, or stops."
          checked={notifications}
          disabled={change.isBusy}
          onChange={({ currentTarget }) => void change.run({ notifications: currentTarget.checked })}
        />
        <Shortcut
          key={shortcut.accelerator}
          shortcut={shortcut}
          isBusy={change.isBusy}
          onChange={(accelerator) => void change.run({ shortcut: accelerator })}
        />
        <ErrorNote error={change.error} notDone="Nothing was changed." />
        <Text c="dimmed">
          Agents reach the treasury on port {port} of this machine.
          {!tray.shown && tray.reason !== null && ` There is no tray icon: ${tray.reason}`}
        </Text>
      </Stack>
    </Panel>
  );
};
