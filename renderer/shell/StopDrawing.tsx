// One click beside Freeze: this treasury draws nothing, and the page opens on which the cold wallet revokes the allowance.
import { ActionIcon, Button } from '@mantine/core';
import { IconSnowflakeOff } from '@tabler/icons-react';
import { useLocation } from 'wouter';
import { ask } from '../api/owner.ts';
import { notifyFailure } from '../shared/notify.ts';
import { useCommand } from '../shared/hooks/use-command.ts';
import { useTreasury } from '../stores/treasury.ts';

const revokePath = '/treasury/allowance/revoke';

/** There while anything can be drawn: Freeze binds this treasury alone, and only revoking binds a thief. */
export const StopDrawing = () => {
  const canBeDrawn = useTreasury(({ snapshot }) => Number(snapshot?.exposure.cold ?? 0) > 0);
  const [location, go] = useLocation();
  const stop = useCommand(async () => {
    go(revokePath);
    await ask('stopDrawing').catch(notifyFailure('Drawing was not stopped'));
  });
  if (!canBeDrawn || location === revokePath) return null;
  const shared = {
    variant: 'default',
    'aria-label': 'Stop drawing',
    loading: stop.isBusy,
    onClick: () => void stop.run(),
  };
  return (
    <>
      <Button
        {...shared}
        visibleFrom="sm"
        flex="none"
        leftSection={<IconSnowflakeOff size={18} aria-hidden />}
      >
        Stop drawing
      </Button>
      <ActionIcon {...shared} hiddenFrom="sm" size={36} title="Stop drawing">
        <IconSnowflakeOff size={18} aria-hidden />
      </ActionIcon>
    </>
  );
};
