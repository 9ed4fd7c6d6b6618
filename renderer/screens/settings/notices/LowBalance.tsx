// The balance below which an agent's wallet is low.
import { Button, Group } from '@mantine/core';
import { useState } from 'react';
import { ask } from '../../../api/owner.ts';
import { ErrorNote } from '../../../shared/ui/ErrorNote.tsx';
import { fieldErrors } from '../../../shared/field-errors.ts';
import { MoneyInput } from '../../../shared/ui/MoneyInput.tsx';
import { notifyDone } from '../../../shared/notify.ts';
import { Panel } from '../../../shared/ui/Panel.tsx';
import { Form } from '../../../shared/ui/Form.tsx';
import { useChange } from '../../../shared/hooks/use-command.ts';
import { changedBy } from '../../../stores/queries.ts';

export const LowBalance = ({ kept }: { kept: string | null }) => {
  const [amount, setAmount] = useState(kept ?? '');
  const set = useChange(changedBy.notices, async () => {
    const text = amount.trim();
    const { lowBalance } = await ask('setLowBalance', { body: { lowBalance: text === '' ? null : text } });
    notifyDone(
      lowBalance === null
        ? 'Low-balance notices are off.'
        : `You are notified when an agent holds less than ${lowBalance} USDC.`,
    );
  });
  const named = fieldErrors(set.error, ['lowBalance']);
  return (
    <Panel
      title="Low balance"
      note="You get a notice when a payment leaves an agent with less than this. Leave it empty to turn this off."
    >
      <Form gap="sm" onSubmit={() => void set.run()}>
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
    </Panel>
  );
};
