// Adds a provider of language models, or changes its name, key, address and factor. The key is sent and never comes back.
import { Checkbox, PasswordInput, Select, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import {
  kindOf,
  supplierKinds,
  supplierKindNames,
  type SupplierKindName,
} from '../../../../server/contract/models/suppliers.ts';
import { ask } from '../../../api/owner.ts';
import { useCommand } from '../../../shared/hooks/use-command.ts';
import { notifyDone } from '../../../shared/notify.ts';
import { refusedAt } from '../../../shared/refused-at.ts';
import { Form, FormEnd } from '../../../shared/ui/Form.tsx';
import { formDialog, type Done } from '../../../shared/ui/form-dialog.tsx';
import { rereadLanguageModels, type Supplier } from '../reread.ts';

const fields = ['name', 'apiKey', 'baseUrl', 'factor', 'allowPrivate'] as const;
const kinds = supplierKindNames.map((value) => ({ value, label: supplierKinds[value].label }));

type Values = {
  kind: SupplierKindName;
  name: string;
  apiKey: string;
  baseUrl: string;
  factor: string;
  allowPrivate: boolean;
};

const plain = { autoComplete: 'off', spellCheck: false } as const;

interface SupplierFormProps {
  supplier: Supplier | null;
  /** Of a new one, at first. */
  kind: SupplierKindName;
}

const SupplierForm = ({ supplier, kind: first, onDone }: SupplierFormProps & Done) => {
  const form = useForm<Values>({
    initialValues: {
      kind: supplier?.kind ?? first,
      name: supplier?.name ?? nameOf(first),
      apiKey: '',
      baseUrl: supplier?.baseUrl ?? '',
      factor: supplier?.factor ?? '1',
      allowPrivate: supplier?.allowPrivate ?? false,
    },
  });
  const { kind } = form.values;
  const isOwnServer = kindOf(kind).baseUrl === null;
  // It is paid with each request: it takes no key, and its prices are its own.
  const isSeller = kind === 'seller';
  const save = useCommand(async (values: Values) => {
    await send(supplier, values);
    await rereadLanguageModels();
    notifyDone(`${values.name} is ${supplier === null ? 'added' : 'saved'}.`);
    onDone();
  });
  const { inputOf, command } = refusedAt(fields, form, save);
  return (
    <Form onSubmit={form.onSubmit((values) => void save.run(values))}>
      {supplier === null && <Kind value={kind} onChange={form.setValues} />}
      <TextInput label="Name" {...plain} {...inputOf('name')} />
      {(isOwnServer || supplier !== null) && (
        <TextInput
          label="Base URL"
          description="The key never goes to another address by itself: enter it again with another base URL."
          placeholder="http://127.0.0.1:11434/v1"
          inputMode="url"
          {...plain}
          {...inputOf('baseUrl')}
        />
      )}
      {!isSeller && (
        <PasswordInput
          label="API key"
          description={keyNote(kind, supplier)}
          {...plain}
          {...inputOf('apiKey')}
        />
      )}
      {isOwnServer && !isSeller && (
        <Checkbox
          label="It is on this machine or network"
          {...form.getInputProps('allowPrivate', { type: 'checkbox' })}
          error={inputOf('allowPrivate').error}
        />
      )}
      {supplier !== null && !isSeller && (
        <TextInput
          label="Factor"
          description="Multiplies the price list’s prices, for a region with a surcharge. Your own prices stay as they are."
          inputMode="decimal"
          {...plain}
          {...inputOf('factor')}
        />
      )}
      <FormEnd
        of={command}
        notDone={supplier === null ? 'Nothing was added.' : 'Nothing was changed.'}
        onCancel={onDone}
      >
        {supplier === null ? 'Add' : 'Save'}
      </FormEnd>
    </Form>
  );
};

interface KindProps {
  value: SupplierKindName;
  onChange: (values: Pick<Values, 'kind' | 'name'>) => void;
}

/** Its label, where it is one service. */
const nameOf = (kind: SupplierKindName): string => {
  const { baseUrl, label } = kindOf(kind);
  return baseUrl === null ? '' : label;
};

const Kind = ({ value, onChange }: KindProps) => (
  <Select
    label="Kind"
    data={kinds}
    value={value}
    allowDeselect={false}
    onChange={(chosen) => {
      const kind = supplierKindNames.find((one) => one === chosen) ?? value;
      onChange({ kind, name: nameOf(kind) });
    }}
  />
);

const send = async (supplier: Supplier | null, { apiKey, factor, ...values }: Values): Promise<void> => {
  const { kind, name, allowPrivate } = values;
  const isOwnServer = kindOf(kind).baseUrl === null;
  const key = apiKey.trim() === '' ? {} : { apiKey: apiKey.trim() };
  const baseUrl = values.baseUrl.trim();
  const place = isOwnServer ? { baseUrl, allowPrivate } : {};
  if (supplier === null) await ask('addModelSupplier', { body: { kind, name, ...key, ...place } });
  else {
    const body = { name, ...place, baseUrl, factor: factor.trim(), ...key };
    await ask('setModelSupplier', { params: { supplierId: supplier.supplierId }, body });
  }
};

const keyNote = (kind: SupplierKindName, supplier: Supplier | null): string => {
  if (supplier?.hasKey === true) return 'A key is stored. Leave this empty to keep it, or enter another.';
  const { keysUrl } = kindOf(kind);
  return keysUrl === null ? 'Leave this empty for a server that needs none.' : `Made at ${keysUrl}`;
};

export const SupplierDialog = formDialog<SupplierFormProps>(
  ({ supplier }) => supplier?.name ?? 'Add a provider',
  SupplierForm,
);
