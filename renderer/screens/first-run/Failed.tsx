// The treasury could not be started: the reason, and the next step.
import { Button, Group, Text, TextInput } from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';
import { useState } from 'react';
import type { DesktopState } from '../../../electron/ipc/ipc.ts';
import { askDesktop } from '../../api/desktop.ts';
import { ErrorNote } from '../../shared/ui/ErrorNote.tsx';
import { useCommand } from '../../shared/hooks/use-command.ts';
import { Form } from '../../shared/ui/Form.tsx';
import { Notice } from '../../shared/ui/Notice.tsx';
import { Front } from './Front.tsx';

interface FailedProps {
  desktop: DesktopState;
  /** Chooses another network, or other settings. */
  onOther: () => void;
}

export const Failed = ({ desktop: { failure, port }, onOther }: FailedProps) => {
  const isPortTaken = failure?.code === 'port_in_use';
  const [other, setOther] = useState(String(failure?.freePort ?? port + 1));
  const isPort = /^\d{1,5}$/.test(other) && Number(other) > 0 && Number(other) <= 65_535;
  const retry = useCommand((to?: number) => askDesktop('retry', to === undefined ? {} : { port: to }));
  return (
    <Front title="The treasury could not be started">
      <Notice color="red" icon={<IconAlertTriangle aria-hidden />} role="alert">
        <span className="break-anywhere">
          {failure?.message ?? 'The reason is not known.'} Nothing was paid, and your money is where it was.
        </span>
      </Notice>
      {isPortTaken && (
        <Form
          onSubmit={() => {
            if (isPort) void retry.run(Number(other));
          }}
        >
          <Text>
            Another program listens on port {port}, perhaps a treasury that is already running. Stop it and
            try again, or use another port; agents on this machine find the new one automatically.
          </Text>
          <TextInput
            label="Another port"
            inputMode="numeric"
            maw={200}
            value={other}
            error={isPort ? null : 'A whole number from 1 to 65535.'}
            onChange={(event) => setOther(event.currentTarget.value)}
          />
          <Group>
            <Button type="submit" loading={retry.isBusy}>
              Start at this port
            </Button>
          </Group>
        </Form>
      )}
      <ErrorNote error={retry.error} />
      <Group>
        <Button
          variant={isPortTaken ? 'default' : 'filled'}
          loading={retry.isBusy}
          onClick={() => void retry.run()}
        >
          Try again
        </Button>
        <Button variant="default" onClick={onOther}>
          Change network or RPC
        </Button>
        <Button variant="subtle" onClick={() => void askDesktop('openDataFolder', {})}>
          Open the data folder
        </Button>
      </Group>
    </Front>
  );
};
