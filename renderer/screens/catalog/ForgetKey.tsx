// Deletes the owner's API key at a provider, after confirmation.
import { ask } from '../../api/owner.ts';
import { AskFirst } from '../../shared/AskFirst.tsx';
import type { Provider } from './provider-form.ts';
import { rereadModels } from './reread-models.ts';

export const ForgetKey = ({ provider: { providerId, name } }: { provider: Provider }) => (
  <AskFirst
    label={`Forget key of ${name}`}
    means={`Its models make no pictures until you enter a key again. The key itself stays valid at ${name}: if somebody else may know it, end it there.`}
    confirm="Forget it"
    run={async () => {
      await ask('setImageProvider', { params: { providerId }, body: { apiKey: null } });
      await rereadModels();
    }}
    done={`The key of ${name} is forgotten.`}
  >
    Forget key
  </AskFirst>
);
