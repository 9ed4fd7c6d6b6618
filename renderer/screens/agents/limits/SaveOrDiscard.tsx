// The end of the form of rules: saves its changes, or discards them. It is there, and stays in view, while there are some.
import { Button, Card, Group, Text } from '@mantine/core';
import { useId } from '@mantine/hooks';
import { counted } from '../../../shared/format.ts';
import { ErrorNote } from '../../../shared/ui/ErrorNote.tsx';
import type { RulesFormEnd } from './use-policy-form.ts';

export const SaveOrDiscard = ({ what, isChanged, count, isBusy, error, onDiscard }: RulesFormEnd) => {
  const id = useId();
  if (!isChanged) return null;
  return (
    <Card withBorder p="sm" pos="sticky" bottom="var(--app-shell-footer-offset, 0px)" style={{ zIndex: 2 }}>
      <ErrorNote error={error} notDone={`The ${what} ${what === 'limits' ? 'were' : 'was'} not changed.`} />
      <Group gap="sm">
        <Button type="submit" loading={isBusy} aria-describedby={id}>
          Save {what}
        </Button>
        <Button variant="default" onClick={onDiscard} aria-describedby={id}>
          Discard changes
        </Button>
        <Text id={id} c="dimmed" role="status">
          {count === 0 ? 'A field needs your attention.' : counted(count, 'unsaved change')}
        </Text>
      </Group>
    </Card>
  );
};
