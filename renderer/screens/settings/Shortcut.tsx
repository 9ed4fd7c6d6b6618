// The system-wide shortcut that freezes everything, recorded as it is pressed.
import { Button, Group, Kbd, Stack, Text } from '@mantine/core';
import { IconKeyboardOff } from '@tabler/icons-react';
import { useState, type KeyboardEvent } from 'react';
import type { DesktopState } from '../../../electron/ipc/ipc.ts';
import { Notice } from '../../shared/ui/Notice.tsx';
import { useConnection } from '../../stores/connection.ts';
import { acceleratorOf, inWords } from './accelerator.ts';

interface ShortcutProps {
  shortcut: DesktopState['shortcut'];
  isBusy: boolean;
  /** An empty string removes it. */
  onChange: (accelerator: string) => void;
}

export const Shortcut = ({
  shortcut: { accelerator, registered, reason },
  isBusy,
  onChange,
}: ShortcutProps) => {
  const [isRecording, setRecording] = useState(false);
  const platform = useConnection(({ desktop }) => desktop?.platform ?? '');
  const record = (event: KeyboardEvent): void => {
    if (!isRecording || event.key === 'Tab') return;
    event.preventDefault();
    if (event.key === 'Escape') return setRecording(false);
    const pressed = acceleratorOf(event);
    if (pressed === null) return;
    setRecording(false);
    onChange(pressed);
  };
  return (
    <Stack gap={6}>
      <Text fw={500}>Freeze everything from any program</Text>
      <Group gap="xs">
        {accelerator === '' ? <Text>No keys</Text> : <Kbd>{inWords(accelerator, platform)}</Kbd>}
        <Button
          size="compact-sm"
          variant="default"
          loading={isBusy}
          onClick={() => setRecording(true)}
          onBlur={() => setRecording(false)}
          onKeyDown={record}
        >
          {isRecording ? 'Press the keys…' : 'Change'}
        </Button>
        {accelerator !== '' && (
          <Button
            size="compact-sm"
            variant="subtle"
            color="gray"
            disabled={isBusy}
            onClick={() => onChange('')}
          >
            Remove
          </Button>
        )}
      </Group>
      <Text size="xs" c="dimmed" role="status">
        {isRecording && 'Press Ctrl, Alt or Command together with another key. Escape keeps it as it is.'}
      </Text>
      {!registered && reason !== null && (
        <Notice color="yellow" icon={<IconKeyboardOff aria-hidden />} title="These keys do not work">
          {reason}
        </Notice>
      )}
    </Stack>
  );
};
