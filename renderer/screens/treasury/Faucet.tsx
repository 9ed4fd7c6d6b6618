// Test USDC on the sandbox, paid in from outside.
import { Button, Group } from '@mantine/core';
import { useForm } from '@mantine/form';
import { IconDroplet } from '@tabler/icons-react';
import { ask } from '../../api/owner.ts';
import { amountRule } from '../../shared/amount-rule.ts';
import { ErrorNote } from '../../shared/ui/ErrorNote.tsx';
import { MoneyInput } from '../../shared/ui/MoneyInput.tsx';
import { notifyDone } from '../../shared/notify.ts';
import { useCommand } from '../../shared/hooks/use-command.ts';
import { useTransferKey } from '../../shared/hooks/use-transfer-key.ts';
import { Form } from '../../shared/ui/Form.tsx';

export const Faucet = () => {
  const form = useForm({
    initialValues: { amount: '25.00' },
    validate: { amount: (text) => amountRule(text) },
  });
  const { carryOut } = useTransferKey();
  const pour = useCommand(async (amount: string) => {
    await carryOut((key) => ask('faucet', { body: { amount }, key }));
    notifyDone(`${amount} test USDC arrived.`);
  });
  return (
    <Form gap="xs" onSubmit={form.onSubmit(({ amount }) => void pour.run(amount.trim()))}>
      <Group align="flex-end" gap="xs">
        <MoneyInput label="From the faucet" w={150} {...form.getInputProps('amount')} />
        <Button
          type="submit"
          variant="default"
          loading={pour.isBusy}
          leftSection={<IconDroplet size={18} aria-hidden />}
        >
          Get test USDC
        </Button>
      </Group>
      <ErrorNote error={pour.error} notDone="Nothing was deposited." />
    </Form>
  );
};
