// Removes a service that the owner added, after confirmation.
import { ask } from '../../api/owner.ts';
import { AskFirst } from '../../shared/AskFirst.tsx';

export const RemoveService = ({ id, name }: { id: string; name: string }) => (
  <AskFirst
    label={`Remove ${name}`}
    means="Agents can no longer pay it. Lists of allowed services that name it stay as they are, and you can add it again."
    confirm="Remove"
    run={async () => {
      await ask('removeService', { params: { serviceId: id } });
    }}
    done={`${name} is no longer in the catalog.`}
  >
    Remove
  </AskFirst>
);
