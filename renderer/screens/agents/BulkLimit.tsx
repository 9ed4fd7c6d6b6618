// Sets one limit of several agents, after showing what it is for each now and what it will be.
import { Button, Group, List, Modal, SegmentedControl, Stack, Text } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useQueries } from '@tanstack/react-query';
import { useState } from 'react';
import { raiseOf } from '../../../server/contract/raise.ts';
import { parseUsdc } from '../../../server/money.ts';
import { ask } from '../../api/owner.ts';
import { limitRule } from '../../shared/amount-rule.ts';
import { useAgentNames } from '../../shared/agent-names.ts';
import { Amount } from '../../shared/Amount.tsx';
import { confirmRaises } from '../../shared/confirm-raises.tsx';
import { ErrorNote } from '../../shared/ErrorNote.tsx';
import { counted } from '../../shared/format.ts';
import { MoneyInput } from '../../shared/MoneyInput.tsx';
import { notifyDone } from '../../shared/notify.ts';
import { Loading } from '../../shared/Screen.tsx';
import { useCommand } from '../../shared/use-command.ts';
import { queries } from '../../stores/queries.ts';
import type { AgentSummary } from '../../stores/treasury.ts';
import { eachOf, failuresOf } from './bulk.ts';

interface BulkLimitProps {
  agents: readonly AgentSummary[];
  opened: boolean;
  onClose: () => void;
}

const limits = { dailyBudget: 'Daily budget', maxPerPayment: 'Most per payment' } as const;
type Limit = keyof typeof limits;

export const BulkLimit = ({ agents, opened, onClose }: BulkLimitProps) => (
  <Modal opened={opened} onClose={onClose} title={`Change a limit of ${counted(agents.length, 'agent')}`}>
    {opened && <LimitForm agents={agents} onDone={onClose} />}
  </Modal>
);

const usePolicies = (agents: readonly AgentSummary[]) =>
  useQueries({
    queries: agents.map(({ agentId }) => {
      const input = { params: { agentId } };
      return { queryKey: ['getPolicy', input], queryFn: () => ask('getPolicy', input) };
    }),
  });

const LimitForm = ({ agents, onDone }: { agents: readonly AgentSummary[]; onDone: () => void }) => {
  const nameOf = useAgentNames(agents.map(({ agentId }) => agentId));
  const [limit, setLimit] = useState<Limit>('dailyBudget');
  const form = useForm({ initialValues: { amount: '' }, validate: { amount: limitRule } });
  const policies = usePolicies(agents);
  const unread = policies.find(({ error }) => error !== null)?.error ?? null;
  const to = form.values.amount.trim();
  const changes = agents.flatMap(({ agentId }, index) => {
    const from = policies[index]?.data?.policy[limit];
    return from === undefined ? [] : [{ agentId, from }];
  });
  const changed = changes.filter(({ from }) => parseUsdc(from) !== parseUsdc(to));
  const set = useCommand(async () => {
    const failures = await eachOf(changed, ({ agentId }) =>
      ask('setPolicy', { params: { agentId }, body: { [limit]: to } }),
    );
    await queries.invalidateQueries({ queryKey: ['getPolicy'] });
    if (failures.length > 0) throw failuresOf(failures, nameOf, 'keeps its limit');
    notifyDone(`The limit of ${counted(changed.length, 'agent')} is changed.`);
    onDone();
  });
  const raises = changed.flatMap(({ agentId, from }) => raiseOf(nameOf(agentId), from, to) ?? []);
  if (unread !== null) return <ErrorNote error={unread} />;
  if (changes.length < agents.length) return <Loading />;
  return (
    <form onSubmit={form.onSubmit(() => confirmRaises(raises, () => void set.run()))} noValidate>
      <Stack gap="md">
        <SegmentedControl
          aria-label="Limit"
          data={Object.entries(limits).map(([value, label]) => ({ value, label }))}
          value={limit}
          onChange={(value) => setLimit(value as Limit)}
        />
        <MoneyInput
          label={`New ${limits[limit].toLowerCase()}`}
          data-autofocus
          {...form.getInputProps('amount')}
        />
        <Text size="sm">
          {limits[limit]} {limitRule(to) === null ? 'of each, now and then' : 'of each, now'}:
        </Text>
        <Changes changes={changes} to={limitRule(to) === null ? to : null} nameOf={nameOf} />
        <ErrorNote error={set.error} />
        <Group justify="flex-end">
          <Button variant="default" onClick={onDone}>
            Cancel
          </Button>
          <Button
            type="submit"
            loading={set.isBusy}
            disabled={limitRule(to) === null && changed.length === 0}
          >
            Change {counted(limitRule(to) === null ? changed.length : agents.length, 'agent')}
          </Button>
        </Group>
      </Stack>
    </form>
  );
};

interface ChangesProps {
  changes: readonly { agentId: string; from: string }[];
  /** Null until it is an amount. */
  to: string | null;
  nameOf: (agentId: string) => string;
}

const Changes = ({ changes, to, nameOf }: ChangesProps) => (
  <List size="sm" spacing={2}>
    {changes.map(({ agentId, from }) => (
      <List.Item key={agentId}>
        {nameOf(agentId)}: <Amount whole value={from} />
        {to !== null &&
          (parseUsdc(from) === parseUsdc(to) ? (
            ', stays as it is'
          ) : (
            <>
              {' '}
              becomes <Amount whole value={to} />
            </>
          ))}
      </List.Item>
    ))}
  </List>
);
