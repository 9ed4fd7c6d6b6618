// Creates a group of agents; its limits are set on its page.
import { TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useLocation } from 'wouter';
import { ask } from '../../../api/owner.ts';
import { limitRule } from '../../../shared/amount-rule.ts';
import { fieldErrors } from '../../../shared/field-errors.ts';
import { MoneyInput } from '../../../shared/ui/MoneyInput.tsx';
import { useCommand } from '../../../shared/hooks/use-command.ts';
import { Form, FormEnd } from '../../../shared/ui/Form.tsx';
import { formDialog, type Done } from '../../../shared/ui/form-dialog.tsx';
import { reread } from '../../../stores/queries.ts';
import { nameRule } from '../agent-id.ts';
import { pathOfGroup } from './use-groups.ts';

export const NewGroup = formDialog(() => 'New group', NewGroupForm);

function NewGroupForm({ onDone }: Done) {
  const [, go] = useLocation();
  const form = useForm({
    initialValues: { name: '', dailyBudget: '' },
    validate: { name: nameRule, dailyBudget: (text) => (text.trim() === '' ? null : limitRule(text)) },
  });
  const create = useCommand(async (name: string, dailyBudget: string) => {
    try {
      const limits = dailyBudget === '' ? {} : { limits: { dailyBudget } };
      const group = await ask('createGroup', { body: { name, ...limits } });
      await reread('listGroups');
      onDone();
      go(pathOfGroup(group));
    } catch (error) {
      const named = fieldErrors(error instanceof Error ? error : null, ['name', 'limits.dailyBudget']);
      if (named === null) throw error;
      form.setErrors({ name: named['name'], dailyBudget: named['limits.dailyBudget'] });
    }
  });
  return (
    <Form
      onSubmit={form.onSubmit(({ name, dailyBudget }) => void create.run(name.trim(), dailyBudget.trim()))}
    >
      <TextInput
        label="Name"
        placeholder="Research"
        maxLength={80}
        data-autofocus
        {...form.getInputProps('name')}
      />
      <MoneyInput
        label="Daily budget"
        description="The most its agents can spend together in any 24 hours. Leave it empty for no limit; there are more limits on its page."
        placeholder="None"
        {...form.getInputProps('dailyBudget')}
      />
      <FormEnd of={create} notDone="No group was created." onCancel={onDone}>
        Create group
      </FormEnd>
    </Form>
  );
}
