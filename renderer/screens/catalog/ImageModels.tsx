// The providers of image models, and the models with the owner's prices.
import { Button, Group, Stack, Text } from '@mantine/core';
import { IconKey } from '@tabler/icons-react';
import { useState } from 'react';
import { ask } from '../../api/owner.ts';
import { counted } from '../../shared/format.ts';
import { AskFirst } from '../../shared/ui/AskFirst.tsx';
import { ErrorNote } from '../../shared/ui/ErrorNote.tsx';
import { Panel } from '../../shared/ui/Panel.tsx';
import { QueryState } from '../../shared/ui/Screen.tsx';
import { useOwner } from '../../stores/queries.ts';
import { KeyedName, OfferRow } from './OfferRow.tsx';
import { Price } from './Price.tsx';
import { PriceDialog } from './PriceDialog.tsx';
import type { ModelSettings } from './prices.ts';
import type { Provider } from './provider-form.ts';
import { ProviderDialog } from './ProviderDialog.tsx';
import { rereadModels } from './reread.ts';

export const ImageModels = () => {
  const models = useOwner('listModelSettings');
  const providers = useOwner('listImageProviders');
  const [chosen, setChosen] = useState<string | null>(null);
  const [priced, setPriced] = useState<string | null>(null);
  const all = providers.data?.providers ?? [];
  const provider = all.find(({ providerId }) => providerId === chosen);
  const model = models.data?.models.find(({ id }) => id === priced);
  return (
    <Stack gap="lg">
      <Panel
        title="Image model providers"
        note="Keys are encrypted and never shown again. In the sandbox, a model without a key draws a labeled test picture."
      >
        <ErrorNote error={providers.error} onRetry={() => void providers.refetch()} />
        <Stack component="ul" gap={0} m={0} p={0} aria-label="Image model providers">
          {all.map((one) => (
            <ProviderRow key={one.providerId} provider={one} onEdit={() => setChosen(one.providerId)} />
          ))}
        </Stack>
      </Panel>
      <Panel
        title="Image models"
        note="Agents pay your price for each picture, by resolution. The provider bills you through your own key."
      >
        <QueryState of={models} />
        <Stack component="ul" gap={0} m={0} p={0} aria-label="Image models">
          {models.data?.models.map((one) => (
            <ModelRow
              key={one.id}
              model={one}
              needsKey={all.some(({ providerId, hasKey }) => providerId === one.providerId && !hasKey)}
              onEdit={() => setPriced(one.id)}
              onNeedsKey={() => setChosen(one.providerId)}
            />
          ))}
        </Stack>
      </Panel>
      {model !== undefined && <PriceDialog opened model={model} onClose={() => setPriced(null)} />}
      {provider !== undefined && (
        <ProviderDialog opened provider={provider} onClose={() => setChosen(null)} />
      )}
    </Stack>
  );
};

const ProviderRow = ({ provider, onEdit }: { provider: Provider; onEdit: () => void }) => {
  const { providerId, name, hasKey, baseUrl, atOnce } = provider;
  return (
    <OfferRow
      {...{ name, onEdit }}
      {...(!hasKey && { edit: 'Enter a key' })}
      actions={
        hasKey && (
          <AskFirst
            label={`Forget key of ${name}`}
            means={`Its models make no pictures until you enter a key again. The key itself stays valid at ${name}: if somebody else may know it, revoke it there.`}
            confirm="Forget it"
            run={async () => {
              await ask('setImageProvider', { params: { providerId }, body: { apiKey: null } });
              await rereadModels();
            }}
            done={`The key of ${name} is forgotten.`}
          >
            Forget key
          </AskFirst>
        )
      }
    >
      <KeyedName {...provider} />
      {hasKey && (
        <Text c="dimmed" className="break-anywhere">
          Up to {counted(atOnce, 'picture')} at a time{baseUrl !== null && `, at ${baseUrl}`}
        </Text>
      )}
    </OfferRow>
  );
};

interface ModelRowProps {
  model: ModelSettings;
  needsKey: boolean;
  onEdit: () => void;
  onNeedsKey: () => void;
}

const ModelRow = ({ model, needsKey, onEdit, onNeedsKey }: ModelRowProps) => {
  const { id, displayName, provider, description, enabled, usable, pricing } = model;
  return (
    <OfferRow
      name={displayName}
      {...{ enabled, onEdit }}
      on={needsKey ? `On, ${usable ? 'test pictures' : 'needs a key'}` : undefined}
      onTurn={(isOn) =>
        ask('setModel', { params: { modelId: id }, body: { enabled: isOn } }).finally(rereadModels)
      }
    >
      <Group gap="xs" style={{ rowGap: 0 }}>
        <Text fw={600} className="break-anywhere" size="md">
          {displayName}
        </Text>
        <Text c="dimmed">{provider}</Text>
        <Text size="xs" c="dimmed" ff="monospace" className="break-anywhere">
          {id}
        </Text>
        {!usable && (
          <Button
            size="compact-sm"
            variant="light"
            color="yellow"
            leftSection={<IconKey size={14} aria-hidden />}
            onClick={onNeedsKey}
          >
            Needs your {provider} key
          </Button>
        )}
      </Group>
      <Text c="dimmed">{description}</Text>
      <Price price={null} pricing={pricing} />
    </OfferRow>
  );
};
