// The owner's providers of language models, and what their models cost.
import { Button, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import {
  kindOf,
  supplierKindNames,
  type SupplierKindName,
} from '../../../../server/contract/models/suppliers.ts';
import { ask } from '../../../api/owner.ts';
import { useWork } from '../../../shared/hooks/use-work.ts';
import { momentOf } from '../../../shared/time.ts';
import { AskFirst } from '../../../shared/ui/AskFirst.tsx';
import { Form, FormEnd } from '../../../shared/ui/Form.tsx';
import { MoneyInput } from '../../../shared/ui/MoneyInput.tsx';
import { Panel } from '../../../shared/ui/Panel.tsx';
import { QueryState } from '../../../shared/ui/Screen.tsx';
import { useOwner } from '../../../stores/queries.ts';
import { KeyedName, OfferRow } from '../OfferRow.tsx';
import { ModelPrices } from './ModelPrices.tsx';
import { ModelRequests } from './ModelRequests.tsx';
import { ModelUsage } from './ModelUsage.tsx';
import { SupplierDialog } from './SupplierDialog.tsx';
import { rereadLanguageModels, type Supplier } from '../reread.ts';

export default function LanguageModels() {
  const answer = useOwner('listModelSuppliers');
  // A supplier's id, or the kind of a new one.
  const [chosen, setChosen] = useState<{ id: string } | { kind: SupplierKindName } | null>(null);
  const suppliers = answer.data?.suppliers ?? [];
  const known = supplierKindNames.filter(
    (kind) => kindOf(kind).keysUrl !== null && suppliers.every((supplier) => supplier.kind !== kind),
  );
  return (
    <Stack gap="lg">
      <Panel
        title="Language model providers"
        note="Agents can use the models that their policies allow, within the same limits as payments. The provider bills you. Keys are encrypted and never shown again."
      >
        <QueryState of={answer} />
        <Stack component="ul" gap={0} m={0} p={0} aria-label="Language model providers">
          {suppliers.map((supplier) => (
            <SupplierRow
              key={supplier.supplierId}
              supplier={supplier}
              onEdit={() => setChosen({ id: supplier.supplierId })}
            />
          ))}
          {answer.data !== undefined &&
            known.map((kind) => (
              <OfferRow
                key={kind}
                name={kindOf(kind).label}
                edit="Enter a key"
                onEdit={() => setChosen({ kind })}
              >
                <KeyedName name={kindOf(kind).label} hasKey={false} keysUrl={kindOf(kind).keysUrl} />
              </OfferRow>
            ))}
        </Stack>
        <Button
          size="xs"
          variant="default"
          w="fit-content"
          aria-haspopup="dialog"
          onClick={() => setChosen({ kind: 'openai-compatible' })}
        >
          Add another provider
        </Button>
      </Panel>
      {suppliers.length > 0 && <ModelPrices suppliers={suppliers} />}
      {suppliers.length > 0 && <ModelUsage />}
      {suppliers.length > 0 && <ModelRequests />}
      <SupplierDialog
        opened={chosen !== null}
        supplier={
          suppliers.find(({ supplierId }) => chosen !== null && 'id' in chosen && supplierId === chosen.id) ??
          null
        }
        kind={chosen !== null && 'kind' in chosen ? chosen.kind : 'openai'}
        onClose={() => setChosen(null)}
      />
    </Stack>
  );
}

const SupplierRow = ({ supplier, onEdit }: { supplier: Supplier; onEdit: () => void }) => {
  const { supplierId, name, kind, baseUrl, hasKey, enabled } = supplier;
  const { label, keysUrl } = kindOf(kind);
  const params = { supplierId };
  return (
    <OfferRow
      {...{ name, enabled, onEdit }}
      {...(!hasKey && keysUrl !== null && { edit: 'Enter a key' })}
      onTurn={(isOn) =>
        ask('setModelSupplier', { params, body: { enabled: isOn } }).finally(rereadLanguageModels)
      }
      actions={
        <AskFirst
          label={`Remove ${name}`}
          means={`From then on no agent can use its models, and its key is deleted here. The key itself stays valid at the provider: revoke it there if somebody else may know it. Limits and lists that name llm:${supplierId} keep the name.`}
          confirm="Remove"
          run={async () => {
            await ask('removeModelSupplier', { params });
            await rereadLanguageModels();
          }}
          done={`${name} is removed.`}
          notDone={`${name} was not removed`}
        >
          Remove
        </AskFirst>
      }
    >
      <KeyedName {...{ name, hasKey, keysUrl }} />
      <Text c="dimmed" className="break-anywhere">
        {label}, at {baseUrl}
      </Text>
      <Text size="xs" c="dimmed" className="break-anywhere">
        {supplierId}
      </Text>
      {supplier.reportsUsage === false && (
        <Text size="sm">
          It reports no usage, so each answer is estimated: its input at the most that it can be, its output
          by its bytes.
        </Text>
      )}
      {supplier.lacksUseOf.length > 0 && <UsedSince supplier={supplier} />}
    </OfferRow>
  );
};

/** The provider knows what an older copy of the records does not. */
const UsedSince = ({ supplier: { supplierId, name, lacksUseOf, lacksUseSince } }: { supplier: Supplier }) => {
  const [amounts, setAmounts] = useState<Record<string, string>>({});
  const saving = useWork(async () => {
    const given = Object.entries(amounts).filter(([, amount]) => amount.trim() !== '');
    await ask('setModelSupplier', { params: { supplierId }, body: { usedSince: Object.fromEntries(given) } });
    setAmounts({});
    await rereadLanguageModels();
  });
  return (
    <Form gap="xs" onSubmit={() => void saving.run()}>
      <Text size="sm">
        These records may lack what was used of {name} since {momentOf(lacksUseSince ?? '')}. It stays off
        until you enter it for each agent, 0 if nothing. If an agent that is not listed used it too, add its
        amount to one of these.
      </Text>
      {lacksUseOf.map((agentId) => (
        <MoneyInput
          key={agentId}
          label={`What ${agentId} used of ${name}`}
          value={amounts[agentId] ?? ''}
          onChange={({ currentTarget: { value } }) => setAmounts({ ...amounts, [agentId]: value })}
        />
      ))}
      <FormEnd of={saving} notDone="It was not entered." variant="default">
        Enter
      </FormEnd>
    </Form>
  );
};
