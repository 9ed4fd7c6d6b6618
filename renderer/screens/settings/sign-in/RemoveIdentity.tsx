// Removes an identity, which may then no longer link machines.
import { Button } from '@mantine/core';
import { ask } from '../../../api/owner.ts';
import { notifyFailure } from '../../../shared/notify.ts';
import { confirmFirst } from '../../../shared/ui/confirm-first.tsx';
import { useChange } from '../../../shared/hooks/use-command.ts';
import type { Identity } from './identity-kinds.ts';

export const RemoveIdentity = ({ identity: { identityId, label } }: { identity: Identity }) => {
  const remove = useChange(['getSignIn'], () =>
    ask('removeIdentity', { params: { identityId } }).catch(notifyFailure('It was not removed')),
  );
  return (
    <Button
      size="xs"
      variant="outline"
      color="red"
      flex="none"
      loading={remove.isBusy}
      aria-label={`Remove ${label}`}
      onClick={() =>
        confirmFirst({ title: `Remove “${label}”?`, means, confirm: 'Remove', isRed: true, run: remove.run })
      }
    >
      Remove
    </Button>
  );
};

const means =
  'It can no longer link machines, even where it has already signed in. Machines that it linked keep their keys.';
