// Removes a service that the owner added, after confirmation.
import { ask } from '../../api/owner.ts';
import { AskFirst } from '../../shared/AskFirst.tsx';
import type { Ruled } from './use-catalog.ts';

export const RemoveService = ({ ruled: { serviceId, name, limits } }: { ruled: Ruled }) => (
  <AskFirst
    label={`Remove ${name}`}
    means={`Agents can no longer pay it by this name. Lists of allowed services that name it stay as they are, and you can add it again.${limits.length === 0 ? '' : limitsEnd}`}
    confirm="Remove"
    run={async () => {
      await ask('removeService', { params: { serviceId } });
    }}
    done={`${name} is no longer in the catalog.`}
  >
    Remove
  </AskFirst>
);

const limitsEnd =
  ' Its limits, listed on this page, no longer hold: payments to its address count as those of the address. Set limits at the address instead, or block it.';
