// The daily limit for all agents: what they may spend together in 24 hours.
import { Button, Group, Text } from '@mantine/core';
import { useForm } from '@mantine/form';
import type { Reply } from '../../../server/contract/schemas.ts';
import { parseUsdc } from '../../../server/money.ts';
import { ask } from '../../api/owner.ts';
import { limitRule } from '../../shared/amount-rule.ts';
import { AskFirst } from '../../shared/ui/AskFirst.tsx';
import { Amount } from '../../shared/ui/Amount.tsx';
import { BudgetGauge } from '../../shared/ui/Gauge.tsx';
import { confirmRaises } from '../../shared/ui/confirm-raises.tsx';
import { ErrorNote } from '../../shared/ui/ErrorNote.tsx';
import { MoneyInput } from '../../shared/ui/MoneyInput.tsx';
import { notifyDone } from '../../shared/notify.ts';
import { Panel } from '../../shared/ui/Panel.tsx';
import { raiseOf } from '../../../server/contract/limits/raise.ts';
import { isUsedUp } from '../../shared/share.ts';
import { whenOf } from '../../shared/time.ts';
import { useChange } from '../../shared/hooks/use-command.ts';
import { Form } from '../../shared/ui/Form.tsx';
import { refusedAt } from '../../shared/refused-at.ts';
import { useOwner } from '../../stores/queries.ts';

export const Ceiling = () => {
  const { data, error, refetch } = useOwner('getCeiling');
  return (
    <Panel
      title="Daily limit for all agents"
      note="The most your agents can spend together in any 24 hours, whatever their own budgets allow."
    >
      <ErrorNote error={error} onRetry={() => void refetch()} />
      {data !== undefined && (
        <>
          {data.dailyBudget === null ? (
            <Text>
              There is no daily limit. Your agents spent <Amount value={data.spent} /> in the last 24 hours.
            </Text>
          ) : (
            <BudgetGauge spent={data.spent} budget={data.inForce} of="all agents" mayEnd />
          )}
          <Over ceiling={data} />
          <CeilingForm key={data.dailyBudget} ceiling={data} />
        </>
      )}
    </Panel>
  );
};

type Held = Reply<'getCeiling'>;

const Over = ({ ceiling: { spent, inForce } }: { ceiling: Held }) => {
  const { dailyBudget, freeAt } = inForce;
  const isOver = dailyBudget !== null && isUsedUp(spent, dailyBudget);
  if (!isOver) return null;
  return (
    <Text fw={600}>
      Nothing is paid until {freeAt === null ? 'your agents have spent less in 24 hours' : whenOf(freeAt)}.
    </Text>
  );
};

/** Warns before saving of the payments that the new limit would stop. */
const Warning = ({ typed, spent }: { typed: string; spent: string }) => {
  const [wanted, used] = [parseUsdc(typed.trim()), parseUsdc(spent) ?? 0n];
  return (
    <div role="status">
      {wanted !== null && wanted <= used && used > 0n && (
        <Text c="var(--mantine-color-error)">
          Your agents have spent <Amount value={spent} /> in the last 24 hours already. Under this limit
          nothing is paid until enough of that is a day old.
        </Text>
      )}
    </div>
  );
};

const useSetCeiling = () =>
  useChange(['getCeiling'], async (ceiling: string | null) => {
    const { dailyBudget } = await ask('setCeiling', { body: { dailyBudget: ceiling } });
    notifyDone(
      dailyBudget === null
        ? 'There is no daily limit for all agents now.'
        : `Your agents can now spend up to ${dailyBudget} USDC together in any 24 hours.`,
    );
  });

const CeilingForm = ({ ceiling: { dailyBudget, spent } }: { ceiling: Held }) => {
  const form = useForm({
    initialValues: { dailyBudget: dailyBudget ?? '' },
    validate: { dailyBudget: limitRule },
  });
  const change = useSetCeiling();
  const { inputOf, command } = refusedAt(['dailyBudget'], form, change);
  const save = form.onSubmit(({ dailyBudget: ceiling }) => {
    const raise =
      dailyBudget === null ? null : raiseOf('Daily limit for all agents', dailyBudget, ceiling.trim());
    confirmRaises(raise === null ? [] : [raise], () => void change.run(ceiling.trim()));
  });
  const { dailyBudget: typed } = form.values;
  return (
    <Form gap="sm" onSubmit={save}>
      <Group align="flex-start" gap="xs">
        <MoneyInput
          label="Limit for any 24 hours"
          placeholder="None"
          w={{ base: '100%', xs: 250 }}
          {...inputOf('dailyBudget')}
        />
        <Button type="submit" variant="default" mt={{ base: 0, xs: 25 }} loading={change.isBusy}>
          Save
        </Button>
        {dailyBudget !== null && (
          <AskFirst
            size="sm"
            mt={{ base: 0, xs: 25 }}
            label="Remove the limit"
            title="Remove the daily limit for all agents?"
            means="From then on, only their own budgets limit your agents."
            confirm="Remove it"
            run={() => change.run(null)}
          >
            Remove the limit
          </AskFirst>
        )}
      </Group>
      {typed !== dailyBudget && <Warning typed={typed} spent={spent} />}
      <ErrorNote error={command.error} notDone="The daily limit was not changed." />
    </Form>
  );
};
