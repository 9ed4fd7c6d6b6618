// The prices of language models: those with settings of the owner's first, and the rest of the price list by search.
import { Button, Group, Stack, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import { Panel } from '../../../shared/ui/Panel.tsx';
import { QueryState } from '../../../shared/ui/Screen.tsx';
import { ShowMore } from '../../../shared/ui/ShowMore.tsx';
import { useOwner } from '../../../stores/queries.ts';
import { ModelDialog } from './ModelDialog.tsx';
import { LanguageModelRow } from './LanguageModelRow.tsx';
import type { LanguageModel, Supplier } from './reread.ts';

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
      title="Prices of language models"
      note={`USDC for a million tokens. Your price counts before the list’s${list === undefined ? '' : `, of ${list.date.slice(0, 10)}`}. A model without a price is refused.`}
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
        <Text c="dimmed">No model is found. Add it with its price.</Text>
      )}
      <Stack component="ul" gap={0} m={0} p={0} aria-label="Language models">
        {found.slice(0, shown).map((model) => (
          <LanguageModelRow
            key={`${model.supplierId}/${model.modelId}`}
            model={model}
            supplier={names.get(model.supplierId) ?? model.supplierId}
            onChange={() => setChosen(model)}
          />
        ))}
      </Stack>
      {found.length > shown && (
        <Group justify="center">
          <ShowMore isBusy={false} onMore={() => setShown(shown + atOnce)} />
        </Group>
      )}
      <ModelDialog
        opened={chosen !== null}
        model={chosen === 'new' ? null : chosen}
        suppliers={suppliers}
        onClose={() => setChosen(null)}
      />
    </Panel>
  );
};
