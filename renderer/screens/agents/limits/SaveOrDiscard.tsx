// The end of the form of rules: saves its changes, or discards them.
import { Button, Group, Text } from '@mantine/core';
import { useId } from '@mantine/hooks';
import { ErrorNote } from '../../../shared/ui/ErrorNote.tsx';
import type { RulesFormEnd } from './use-policy-form.ts';

export const SaveOrDiscard = ({ what, isChanged, isBusy, error, onDiscard }: RulesFormEnd) => {
  const id = useId();
  return (
    <>
      <ErrorNote error={error} notDone={`The ${what} ${what === 'limits' ? 'were' : 'was'} not changed.`} />
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
    </>
  );
};
