// The providers of image models, and the models with the owner's prices.
import { Stack } from '@mantine/core';
import { useState } from 'react';
import { chunk } from '../../shared/chunk.tsx';
import { ErrorNote } from '../../shared/ui/ErrorNote.tsx';
import { QueryState } from '../../shared/ui/Screen.tsx';
import { Panel } from '../../shared/ui/Panel.tsx';
import { useOwner } from '../../stores/queries.ts';
import { ModelRow } from './ModelRow.tsx';
import { ProviderDialog } from './ProviderDialog.tsx';
import { ProviderRow } from './ProviderRow.tsx';

const LanguageModels = chunk(() => import('./language-models/LanguageModels.tsx'), {
  what: 'The list of language models',
});

export const Models = () => {
  const models = useOwner('listModelSettings');
  const providers = useOwner('listImageProviders');
  const [chosen, setChosen] = useState<string | null>(null);
  const all = providers.data?.providers ?? [];
  return (
    <Stack gap="lg">
      <Panel
        title="Image providers"
        note="Keys are encrypted like the treasury’s own, and never shown again. In the sandbox, a model without a key draws a labelled test picture."
      >
        <ErrorNote error={providers.error} onRetry={() => void providers.refetch()} />
        <Stack component="ul" gap={0} m={0} p={0} aria-label="Providers">
          {all.map((provider) => (
            <ProviderRow
              key={provider.providerId}
              provider={provider}
              onChange={() => setChosen(provider.providerId)}
            />
          ))}
        </Stack>
      </Panel>
      <Panel
        title="Image models"
        note="Agents pay your price for each picture, by resolution. You pay the provider through your own key."
      >
        <QueryState of={models} />
        <Stack component="ul" gap={0} m={0} p={0} aria-label="Models">
          {models.data?.models.map((model) => (
            <ModelRow key={model.id} model={model} onNeedsKey={() => setChosen(model.providerId)} />
          ))}
        </Stack>
      </Panel>
      <LanguageModels />
      <ProviderDialog
        provider={all.find(({ providerId }) => providerId === chosen) ?? null}
        onClose={() => setChosen(null)}
      />
    </Stack>
  );
};
