// An error: what failed, and what was not done because of it.
import { Alert, Button, Group, Text } from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';

interface ErrorNoteProps {
  error: Error | null | undefined;
  /** The action that was not carried out, such as "The policy was not changed." */
  notDone?: string;
  onRetry?: () => void;
}

export const ErrorNote = ({ error, notDone, onRetry }: ErrorNoteProps) => {
  if (error == null) return null;
  return (
    <Alert color="red" variant="light" icon={<IconAlertTriangle aria-hidden />} role="alert">
      <Group justify="space-between" gap="sm">
        <Text c="var(--mantine-color-text)" className="break-anywhere">
          {error.message} {notDone}
        </Text>
        {onRetry !== undefined && (
          <Button size="xs" variant="default" onClick={onRetry}>
            Try again
          </Button>
        )}
      </Group>
    </Alert>
  );
};
