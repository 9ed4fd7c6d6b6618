// The owner's ceiling: what all agents together may spend in 24 hours.
import { Button, Group, Stack, Text } from '@mantine/core';
import { useForm } from '@mantine/form';
import { ask } from '../../api/owner.ts';
import { limitRule } from '../../shared/amount-rule.ts';
import { Amount } from '../../shared/Amount.tsx';
import { BudgetGauge } from '../../shared/BudgetGauge.tsx';
import { ErrorNote } from '../../shared/ErrorNote.tsx';
import { fieldErrors } from '../../shared/field-errors.ts';
import { MoneyInput } from '../../shared/MoneyInput.tsx';
import { notifyDone } from '../../shared/notify.ts';
import { Panel } from '../../shared/Panel.tsx';
import { useCommand } from '../../shared/use-command.ts';
import { outdate, useOwner } from '../../stores/queries.ts';

export const Ceiling = () => {
  const { data, error, refetch } = useOwner('getCeiling');
  return (
    <Panel
      title="Ceiling"
      note="What all your agents together may spend in 24 hours, whatever their own budgets say."
    >
      <ErrorNote error={error} onRetry={() => void refetch()} />
      {data !== undefined && (
        <>
          {data.dailyBudget === null ? (
            <Text size="sm">
              There is no ceiling. In the last 24 hours your agents spent <Amount value={data.spent} />.
            </Text>
          ) : (
            <BudgetGauge spent={data.spent} budget={data.dailyBudget} of="all agents" />
          )}
          <CeilingForm key={data.dailyBudget} dailyBudget={data.dailyBudget} />
        </>
      )}
    </Panel>
  );
};

const CeilingForm = ({ dailyBudget }: { dailyBudget: string | null }) => {
  const form = useForm({
    initialValues: { ceiling: dailyBudget ?? '' },
    validate: { ceiling: limitRule },
  });
  const change = useCommand(async (ceiling: string | null) => {
    await ask('setCeiling', { body: { dailyBudget: ceiling } });
    outdate(['getCeiling']);
    notifyDone(ceiling === null ? 'There is no ceiling any more.' : `The ceiling is ${ceiling} USDC.`);
  });
  const named = fieldErrors(change.error, ['dailyBudget']);
  return (
    <form onSubmit={form.onSubmit(({ ceiling }) => void change.run(ceiling.trim()))}>
      <Stack gap="sm">
        <Group align="flex-start" gap="xs">
          <MoneyInput
            label="Ceiling for 24 hours"
            placeholder="None"
            w={180}
            {...form.getInputProps('ceiling')}
            error={form.errors['ceiling'] ?? named?.['dailyBudget']}
          />
          <Button type="submit" variant="default" mt={25} loading={change.isBusy}>
            Set
          </Button>
          {dailyBudget !== null && (
            <Button
              variant="subtle"
              color="gray"
              mt={25}
              disabled={change.isBusy}
              onClick={() => void change.run(null)}
            >
              No ceiling
            </Button>
          )}
        </Group>
        {named === null && <ErrorNote error={change.error} notDone="The ceiling was not changed." />}
      </Stack>
    </form>
  );
};
