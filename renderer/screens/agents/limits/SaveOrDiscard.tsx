// The end of a form: saves its changes, or discards them.
import { Button, Group, Text } from '@mantine/core';
import { useId } from '@mantine/hooks';

interface SaveOrDiscardProps {
  /** `policy`, for the button. */
  what: string;
  isChanged: boolean;
  isBusy: boolean;
  onDiscard: () => void;
}

export const SaveOrDiscard = ({ what, isChanged, isBusy, onDiscard }: SaveOrDiscardProps) => {
  const id = useId();
  return (
    <Group gap="sm">
      <Button type="submit" disabled={!isChanged} loading={isBusy} aria-describedby={id}>
        Save {what}
      </Button>
      <Button variant="default" onClick={onDiscard} disabled={!isChanged} aria-describedby={id}>
        Discard changes
      </Button>
      <Text id={id} size="sm" c="dimmed">
        {isChanged ? 'Not saved yet.' : 'Nothing is changed.'}
      </Text>
    </Group>
  );
};
