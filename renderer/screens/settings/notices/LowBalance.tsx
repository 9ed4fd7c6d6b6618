// The balance below which an agent's wallet is low.
import { Button, Group, Text, Title } from '@mantine/core';
import { useState } from 'react';
import { ask } from '../../../api/owner.ts';
import { ErrorNote } from '../../../shared/ui/ErrorNote.tsx';
import { fieldErrors } from '../../../shared/field-errors.ts';
import { MoneyInput } from '../../../shared/ui/MoneyInput.tsx';
import { notifyDone } from '../../../shared/notify.ts';
import { Form } from '../../../shared/ui/Form.tsx';
import { useChange } from '../../../shared/hooks/use-command.ts';
import { changedBy } from '../../../stores/queries.ts';

export const LowBalance = ({ kept }: { kept: string | null }) => {
  const [amount, setAmount] = useState(kept ?? '');
  const set = useChange(changedBy.notices, async () => {
    const text = amount.trim();
    await ask('setLowBalance', { body: { lowBalance: text === '' ? null : text } });
    notifyDone(text === '' ? 'No wallet counts as low.' : `A wallet is low below ${text} USDC.`);
  });
  const named = fieldErrors(set.error, ['lowBalance']);
  return (
    <Form gap="sm" aria-label="Low balance" onSubmit={() => void set.run()}>
      <div>
        <Title order={3} size="h5">
          Low balance
        </Title>
        <Text size="sm" c="dimmed">
          You get a notice when a payment leaves an agent less than this. Leave it empty for none.
        </Text>
      </div>
      <Group align="flex-start" gap="xs">
        <MoneyInput
          aria-label="Low balance"
          placeholder="Never"
          value={amount}
          error={named?.['lowBalance']}
          onChange={(event) => setAmount(event.currentTarget.value)}
        />
        <Button type="submit" variant="default" loading={set.isBusy}>
          Save
        </Button>
      </Group>
      {named === null && <ErrorNote error={set.error} notDone="Nothing was changed." />}
    </Form>
  );
};
