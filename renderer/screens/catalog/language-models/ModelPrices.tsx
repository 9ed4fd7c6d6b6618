// The prices of language models: those with settings of the owner's first, and the rest of the price list by search.
import { Badge, Button, Group, Stack, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import { ask } from '../../../api/owner.ts';
import { Panel } from '../../../shared/ui/Panel.tsx';
import { QueryState } from '../../../shared/ui/Screen.tsx';
import { ShowMore } from '../../../shared/ui/ShowMore.tsx';
import { useOwner } from '../../../stores/queries.ts';
import { OfferRow } from '../OfferRow.tsx';
import { ModelDialog } from './ModelDialog.tsx';
import { rereadLanguageModels, type LanguageModel, type Supplier } from '../reread.ts';

const atOnce = 20;

const isOwners = ({ priceSource, maxOutput, enabled, isDefault }: LanguageModel): boolean =>
  priceSource !== 'list' || maxOutput !== null || !enabled || isDefault;

export const ModelPrices = ({ suppliers }: { suppliers: readonly Supplier[] }) => {
  const answer = useOwner('listLanguageModels');
  const [search, setSearch] = useState('');
  const [shown, setShown] = useState(atOnce);
  const [chosen, setChosen] = useState<LanguageModel | 'new' | null>(null);
  const names = new Map(suppliers.map(({ supplierId, name }) => [supplierId, name]));
  const wanted = search.trim().toLowerCase();
  const found = (answer.data?.models ?? [])
    .filter(({ supplierId, modelId }) => `${supplierId}/${modelId}`.toLowerCase().includes(wanted))
    .toSorted((a, b) => Number(isOwners(b)) - Number(isOwners(a)));
  const list = answer.data?.priceList;
  return (
    <Panel
      title="Language models"
      note={`USDC per million tokens. Your price overrides the list’s${list === undefined ? '' : `, of ${list.date.slice(0, 10)}`}. A model without a price is refused.`}
      actions={
        <Button size="xs" variant="default" aria-haspopup="dialog" onClick={() => setChosen('new')}>
          Add a model
        </Button>
      }
    >
      <TextInput
        aria-label="Search language models"
        placeholder="Search by id"
        value={search}
        onChange={({ currentTarget }) => {
          setSearch(currentTarget.value);
          setShown(atOnce);
        }}
      />
      <QueryState of={answer} />
      {answer.data !== undefined && found.length === 0 && (
        <Text c="dimmed">No model found. Add it with its price.</Text>
      )}
      <Stack component="ul" gap={0} m={0} p={0} aria-label="Language models">
        {found.slice(0, shown).map((model) => (
          <LanguageModelRow
            key={`${model.supplierId}/${model.modelId}`}
            model={model}
            provider={names.get(model.supplierId) ?? model.supplierId}
            onEdit={() => setChosen(model)}
          />
        ))}
      </Stack>
      {found.length > shown && <ShowMore isBusy={false} onMore={() => setShown(shown + atOnce)} />}
      <ModelDialog
        opened={chosen !== null}
        model={chosen === 'new' ? null : chosen}
        suppliers={suppliers}
        onClose={() => setChosen(null)}
      />
    </Panel>
  );
};

interface LanguageModelRowProps {
  model: LanguageModel;
  /** The name of its provider. */
  provider: string;
  onEdit: () => void;
}

const LanguageModelRow = ({ model, provider, onEdit }: LanguageModelRowProps) => {
  const { supplierId, modelId, enabled, isDefault, maxOutput, priceSource } = model;
  return (
    <OfferRow
      name={`${supplierId}/${modelId}`}
      {...{ enabled, onEdit }}
      onTurn={(isOn) =>
        ask('setLanguageModel', { body: { supplierId, modelId, enabled: isOn } }).finally(
          rereadLanguageModels,
        )
      }
    >
      <Group gap="xs">
        <Text ff="monospace" className="break-anywhere">
          {modelId}
        </Text>
        <Text c="dimmed" className="break-anywhere">
          {provider}
        </Text>
        {priceSource === 'owner' && <Badge tt="none">Your price</Badge>}
        {priceSource === null && (
          <Badge color="yellow" tt="none">
            No price
          </Badge>
        )}
        {isDefault && (
          <Badge variant="default" tt="none">
            Default
          </Badge>
        )}
      </Group>
      <Text c="dimmed">
        {priceOf(model)}
        {maxOutput !== null && ` · at most ${maxOutput.toLocaleString('en')} tokens of output`}
      </Text>
    </OfferRow>
  );
};

const priceOf = ({ inputPerMillion, outputPerMillion, tiers, priceSource }: LanguageModel): string => {
  if (priceSource === 'seller') return 'The seller asks for its price with each request';
  if (inputPerMillion === null || outputPerMillion === null) return 'Refused until you enter its price';
  const dearer = tiers.map(
    (tier) =>
      `; above ${tier.above.toLocaleString('en')} tokens ${tier.inputPerMillion} and ${tier.outputPerMillion}`,
  );
  return `${inputPerMillion} for input, ${outputPerMillion} for output${dearer.join('')}`;
};
