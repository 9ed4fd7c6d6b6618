// Adds a provider of language models, or changes its name, key, address and factor. The key is sent and never comes back.
// An agent uses no model until the owner allows it: the form of a new provider asks for which.
import { Checkbox, PasswordInput, Select, Stack, TextInput, type CheckboxGroupProps } from '@mantine/core';
import { useForm } from '@mantine/form';
import {
  kindOf,
  supplierKinds,
  supplierKindNames,
  type SupplierKindName,
} from '../../../../server/contract/models/suppliers.ts';
import { ask } from '../../../api/owner.ts';
import { useCommand } from '../../../shared/hooks/use-command.ts';
import { agentChoices } from '../../../shared/choices.ts';
import { notifyDone, notifyFailure } from '../../../shared/notify.ts';
import { refusedAt } from '../../../shared/refused-at.ts';
import { Form, FormEnd } from '../../../shared/ui/Form.tsx';
import { formDialog, type Done } from '../../../shared/ui/form-dialog.tsx';
import { reread } from '../../../stores/queries.ts';
import { useAgents } from '../../../stores/treasury.ts';
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
  /** Of a new one. */
  agentIds: string[];
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
      agentIds: [],
    },
  });
  const { kind } = form.values;
  const isOwnServer = kindOf(kind).baseUrl === null;
  // It is paid with each request: it takes no key, and its prices are its own.
  const isSeller = kind === 'seller';
  const save = useCommand(async (values: Values) => {
    const { enabled } = await send(supplier, values);
    await rereadLanguageModels();
    const off = enabled ? '' : ' It is off.';
    notifyDone(`${values.name} is ${supplier === null ? 'added' : 'saved'}.${off}`);
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
          description="If you change the base URL, enter the key again: it is never sent to a new address without you."
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
      {supplier === null && <Users isSeller={isSeller} {...form.getInputProps('agentIds')} />}
      <FormEnd of={command} notDone={`Nothing was ${supplier ? 'changed' : 'added'}.`} onCancel={onDone}>
        {supplier ? 'Save' : 'Add'}
      </FormEnd>
    </Form>
  );
};

const Users = ({ isSeller, ...input }: { isSeller: boolean } & Omit<CheckboxGroupProps, 'children'>) => {
  const agents = useAgents();
  const whoPays = isSeller
    ? 'Each request is a payment from its wallet.'
    : 'Your account pays: its wallet caps nothing, and cooldowns and numbers of payments do not hold; its budgets do.';
  return agents.length === 0 ? null : (
    <Checkbox.Group
      label="Agents that may use every language model"
      description={`At every provider. An agent whose policy names some models keeps its list. ${whoPays}`}
      {...input}
    >
      <Stack gap={4} mt={4}>
        {agentChoices(agents).map((one) => (
          <Checkbox key={one.value} {...one} />
        ))}
      </Stack>
    </Checkbox.Group>
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

/** An agent that may use some models keeps its list. */
const allowModels = async (agentId: string): Promise<void> => {
  const params = { agentId };
  const { policy } = await ask('getPolicy', { params });
  if (policy.allowedModels.length === 0) await ask('setPolicy', { params, body: { allowedModels: ['*'] } });
};

const send = async (
  supplier: Supplier | null,
  { apiKey, factor, ...values }: Values,
): Promise<Pick<Supplier, 'enabled'>> => {
  const { kind, name, allowPrivate } = values;
  const isOwnServer = kindOf(kind).baseUrl === null;
  const key = apiKey.trim() === '' ? {} : { apiKey: apiKey.trim() };
  const baseUrl = values.baseUrl.trim();
  const place = isOwnServer ? { baseUrl, allowPrivate } : {};
  if (supplier === null) {
    const added = await ask('addModelSupplier', { body: { kind, name, ...key, ...place } });
    const notDone = `${name} is added, but not every agent may use it`;
    await Promise.all(values.agentIds.map(allowModels)).catch(notifyFailure(notDone));
    await reread('getPolicy');
    return added;
  } else {
    const body = { name, ...place, baseUrl, factor: factor.trim(), ...key };
    return ask('setModelSupplier', { params: { supplierId: supplier.supplierId }, body });
  }
};

const keyNote = (kind: SupplierKindName, supplier: Supplier | null): string => {
  if (supplier?.hasKey === true) return 'A key is stored. Leave this empty to keep it, or enter another.';
  const { keysUrl } = kindOf(kind);
  return keysUrl === null ? 'Leave this empty for a server that needs none.' : `Get one at ${keysUrl}`;
};

export const SupplierDialog = formDialog<SupplierFormProps>(
  ({ supplier }) => supplier?.name ?? 'Add a provider',
  SupplierForm,
);
