// The owner's price of a language model, its most output, and whether its id alone means this provider.
import { Checkbox, Select, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import {
  priceFieldNames,
  priceFields,
  usualCacheWrite,
  type PriceField,
  type SupplierKindName,
} from '../../../../server/contract/models/suppliers.ts';
import { formatUsdc, parseUsdc, usdc } from '../../../../server/money.ts';
import { ask } from '../../../api/owner.ts';
import { useCommand } from '../../../shared/hooks/use-command.ts';
import { notifyDone } from '../../../shared/notify.ts';
import { refusedAt } from '../../../shared/refused-at.ts';
import { Form, FormEnd } from '../../../shared/ui/Form.tsx';
import { formDialog, type Done } from '../../../shared/ui/form-dialog.tsx';
import { MoneyInput } from '../../../shared/ui/MoneyInput.tsx';
import { rereadLanguageModels, type LanguageModel, type Supplier } from '../reread.ts';

type Values = Record<PriceField | 'supplierId' | 'modelId' | 'maxOutput', string> & { isDefault: boolean };

interface ModelDialogProps {
  /** Null: one that is to be added. */
  model: LanguageModel | null;
  suppliers: readonly Supplier[];
}

const valuesOf = ({ model, suppliers }: ModelDialogProps): Values => {
  const own = model?.priceSource === 'owner' ? model : null;
  const input = parseUsdc(own?.inputPerMillion ?? '');
  const usual = input === null ? null : formatUsdc(usdc(usualCacheWrite(kindIn(suppliers, model), input)));
  return {
    supplierId: model?.supplierId ?? suppliers[0]?.supplierId ?? '',
    modelId: model?.modelId ?? '',
    inputPerMillion: own?.inputPerMillion ?? '',
    outputPerMillion: own?.outputPerMillion ?? '',
    // What follows from the price of input follows it still.
    cachedInputPerMillion:
      own === null || own.cachedInputPerMillion === own.inputPerMillion
        ? ''
        : (own.cachedInputPerMillion ?? ''),
    cacheWritePerMillion:
      own === null || own.cacheWritePerMillion === usual ? '' : (own.cacheWritePerMillion ?? ''),
    maxOutput: model?.maxOutput?.toString() ?? '',
    isDefault: model?.isDefault ?? false,
  };
};

const kindIn = (suppliers: readonly Supplier[], model: LanguageModel | null): SupplierKindName =>
  suppliers.find(({ supplierId }) => supplierId === model?.supplierId)?.kind ?? 'openai-compatible';

const ModelForm = ({ model, suppliers, onDone }: ModelDialogProps & Done) => {
  const form = useForm<Values>({ initialValues: valuesOf({ model, suppliers }) });
  const save = useCommand(async (values: Values) => {
    const prices = priceFieldNames.map((field) => [field, values[field].trim() || null]);
    const most = values.maxOutput.trim();
    await ask('setLanguageModel', {
      body: {
        supplierId: values.supplierId,
        modelId: values.modelId.trim(),
        ...(Object.fromEntries(prices) as Record<PriceField, string | null>),
        // What is no number is refused by the treasury, at its field.
        maxOutput: most === '' ? null : /^\d+$/.test(most) ? Number(most) : -1,
        isDefault: values.isDefault,
      },
    });
    await rereadLanguageModels();
    notifyDone(`${values.modelId} is saved.`);
    onDone();
  });
  const { inputOf, command } = refusedAt([...priceFieldNames, 'modelId', 'maxOutput'], form, save);
  const isSold = suppliers.some(
    ({ supplierId, kind }) => supplierId === form.values.supplierId && kind === 'seller',
  );
  return (
    <Form onSubmit={form.onSubmit((values) => void save.run(values))}>
      {model === null && (
        <>
          <Select
            label="Provider"
            data={suppliers.map(({ supplierId: value, name: label }) => ({ value, label }))}
            allowDeselect={false}
            {...form.getInputProps('supplierId')}
          />
          <TextInput
            label="Model ID"
            description="Exactly as the provider writes it."
            autoComplete="off"
            spellCheck={false}
            {...inputOf('modelId')}
          />
        </>
      )}
      {!isSold &&
        priceFieldNames.map((field) => (
          <MoneyInput
            key={field}
            label={`${priceFields[field]}, for a million tokens`}
            placeholder={placeholderOf(model, field)}
            {...inputOf(field)}
          />
        ))}
      <TextInput
        label="Maximum output tokens"
        placeholder="The model’s own maximum"
        inputMode="numeric"
        autoComplete="off"
        {...inputOf('maxOutput')}
      />
      <Checkbox
        label="Use this provider for the ID alone"
        description="Where several providers have a model of this id."
        {...form.getInputProps('isDefault', { type: 'checkbox' })}
      />
      <FormEnd of={command} notDone="Nothing was changed." onCancel={onDone}>
        Save
      </FormEnd>
    </Form>
  );
};

const placeholderOf = (model: LanguageModel | null, field: PriceField): string => {
  if (model?.priceSource === 'list') return `${model[field] ?? ''} by the price list`;
  return field.startsWith('cache') ? 'By the price of input' : 'None';
};

export const ModelDialog = formDialog<ModelDialogProps>(
  ({ model }) => model?.modelId ?? 'Add a model',
  ModelForm,
);
