// The owner's suppliers of language models, and what their models cost.
import { Button, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { Panel } from '../../../shared/ui/Panel.tsx';
import { QueryState } from '../../../shared/ui/Screen.tsx';
import { useOwner } from '../../../stores/queries.ts';
import { ModelPrices } from './ModelPrices.tsx';
import { ModelUsage } from './ModelUsage.tsx';
import { SupplierDialog } from './SupplierDialog.tsx';
import { SupplierRow } from './SupplierRow.tsx';

export default function LanguageModels() {
  const answer = useOwner('listModelSuppliers');
  // A supplier's id, or `new`.
  const [chosen, setChosen] = useState<string | null>(null);
  const suppliers = answer.data?.suppliers ?? [];
  return (
    <>
      <Panel
        title="Suppliers of language models"
        note="Your own accounts. The supplier bills you; keys are encrypted, and never shown again."
        actions={
          <Button size="xs" variant="default" aria-haspopup="dialog" onClick={() => setChosen('new')}>
            Add a supplier
          </Button>
        }
      >
        <QueryState of={answer} />
        {answer.data !== undefined && suppliers.length === 0 && (
          <Text c="dimmed">No supplier yet. Add an account, or a server on this machine such as Ollama.</Text>
        )}
        <Stack component="ul" gap={0} m={0} p={0} aria-label="Suppliers">
          {suppliers.map((supplier) => (
            <SupplierRow
              key={supplier.supplierId}
              supplier={supplier}
              onChange={() => setChosen(supplier.supplierId)}
            />
          ))}
        </Stack>
      </Panel>
      {suppliers.length > 0 && <ModelPrices suppliers={suppliers} />}
      {suppliers.length > 0 && <ModelUsage />}
      <SupplierDialog
        opened={chosen !== null}
        supplier={suppliers.find(({ supplierId }) => supplierId === chosen) ?? null}
        onClose={() => setChosen(null)}
      />
    </>
  );
}
