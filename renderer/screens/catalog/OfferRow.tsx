// One row of what agents may use: a provider or a model, its switch, and its buttons.
import { Anchor, Button, Group, Stack, Switch, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { useCommand } from '../../shared/hooks/use-command.ts';
import { notifyFailure } from '../../shared/notify.ts';
import { Dot } from '../../shared/ui/StatusBadge.tsx';

interface OfferRowProps {
  name: string;
  /** Without it there is no switch. */
  enabled?: boolean;
  /** The words of its switch where that is on and the row not ready. */
  on?: string | undefined;
  /** Turns it on or off, and reads it again. */
  onTurn?: (isOn: boolean) => Promise<unknown>;
  /** The word of the button that opens its form, where that is not Edit. */
  edit?: string;
  onEdit: () => void;
  actions?: ReactNode;
  children: ReactNode;
}

export const OfferRow = ({ name, enabled, on, onTurn, edit, onEdit, actions, children }: OfferRowProps) => {
  const turn = useCommand(async (isOn: boolean) => {
    await onTurn?.(isOn).catch(notifyFailure(`${name} was not changed`));
  });
  return (
    <Group component="li" className="divided" justify="space-between" py="sm" gap="sm" aria-label={name}>
      <Stack gap={2} miw={0} flex={enabled === undefined ? '1 1 160px' : '1 1 260px'}>
        {children}
      </Stack>
      <Group gap="xs">
        {enabled !== undefined && (
          <Switch
            miw={{ md: 175 }}
            label={enabled ? (on ?? 'On') : 'Off'}
            {...(on !== undefined && { color: 'gray.6' })}
            aria-label={`On: ${name}`}
            checked={enabled}
            disabled={turn.isBusy}
            onChange={({ currentTarget }) => void turn.run(currentTarget.checked)}
          />
        )}
        {actions}
        <Button
          size="xs"
          variant="default"
          onClick={onEdit}
          aria-haspopup="dialog"
          aria-label={edit === undefined ? `Edit ${name}` : `${edit}: ${name}`}
        >
          {edit ?? 'Edit'}
        </Button>
      </Group>
    </Group>
  );
};

interface KeyedNameProps {
  name: string;
  hasKey: boolean;
  /** Where its keys are made; null: it may need none. */
  keysUrl: string | null;
}

/** The name of a provider, and whether it has the owner's key. */
export const KeyedName = ({ name, hasKey, keysUrl }: KeyedNameProps) => (
  <Group gap="xs">
    <Text fw={600} size="md" className="break-anywhere">
      {name}
    </Text>
    {hasKey && <Dot color="teal">Key saved</Dot>}
    {!hasKey && keysUrl !== null && (
      <Anchor href={keysUrl} target="_blank" rel="noreferrer noopener" title={keysUrl} size="sm">
        Get a key
      </Anchor>
    )}
  </Group>
);
