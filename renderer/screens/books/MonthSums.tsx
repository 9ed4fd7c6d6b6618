// The sums of a month, by agent, group, service, account and cost centre, beside the month before.
import { Anchor, SimpleGrid, Text } from '@mantine/core';
import { useState } from 'react';
import { AgentPicture } from '../../shared/AgentPicture.tsx';
import { useAgentNames } from '../../shared/agent-names.ts';
import { ErrorNote } from '../../shared/ErrorNote.tsx';
import { Loading } from '../../shared/Screen.tsx';
import { useOwner } from '../../stores/queries.ts';
import { pathOfService } from '../catalog/service-words.ts';
import { pathOfGroup } from '../groups/use-groups.ts';
import { compared, type Compared, type MonthTotals, type Row, type Totals } from './changes.ts';
import { MonthFigures } from './MonthFigures.tsx';
import { dayIn, nameOfMonth, shifted, type Month } from './month-words.ts';
import { RuleDialog } from './RuleDialog.tsx';
import { SumTable } from './SumTable.tsx';

export const MonthSums = ({ month }: { month: Month }) => {
  const { data, error, refetch } = useOwner('bookTotals', { params: { month: month.month } });
  if (data !== undefined) return <Whole totals={data} month={month} />;
  return error === null ? <Loading /> : <ErrorNote error={error} onRetry={() => void refetch()} />;
};

const rowsOf: Record<'agents' | 'groups' | 'services' | 'accounts' | 'costCentres', RowsOf> = {
  agents: ({ agents }) => agents.map((row) => ({ ...row, id: row.agentId })),
  groups: ({ groups }) => groups.map((row) => ({ ...row, id: row.groupId })),
  services: ({ services }) => services.map((row) => ({ ...row, id: row.serviceId })),
  accounts: ({ accounts }) => accounts.map((row) => ({ ...row, id: row.name })),
  costCentres: ({ costCentres }) => costCentres.map((row) => ({ ...row, id: row.name })),
};
type RowsOf = (totals: MonthTotals) => Row[];

const nameOr =
  (none: string) =>
  ({ id, name }: Compared): string =>
    id === '' ? none : name;

const Whole = ({ totals: { now, before }, month }: { totals: Totals; month: Month }) => {
  const [service, setService] = useState<string | null>(null);
  const rows = (kind: keyof typeof rowsOf): Compared[] => compared(rowsOf[kind](now), rowsOf[kind](before));
  const agents = rows('agents');
  const groups = rows('groups');
  const costCentres = rows('costCentres').filter(({ id }) => id !== '');
  const agentName = useAgentNames(agents.map(({ id }) => id));
  const shared = { isRunning: month.state === 'running', before: nameOfMonth(shifted(month.month, -1)) };
  const days = daysOf(month);
  const rules = useOwner('bookRules').data?.rules;
  const hasAccount = (id: string): boolean =>
    rules === undefined || rules.some(({ serviceId }) => serviceId === id);
  return (
    <>
      <MonthFigures now={now} before={before} name={shared.before} isRunning={shared.isRunning} />
      <SimpleGrid cols={{ base: 1, lg: 2 }} spacing="lg" style={{ alignItems: 'start' }}>
        <SumTable
          {...shared}
          what="Agent"
          rows={agents}
          nameOf={({ id }) => (id === '' ? 'No agent' : agentName(id))}
          hrefOf={({ id }) => (id === '' ? null : `/agents/${encodeURIComponent(id)}`)}
          entriesHref={({ id }) => (id === '' ? null : activityPath({ agent: id, ...days }))}
          picture={({ id }) => id !== '' && <AgentPicture agentId={id} size={16} />}
        />
        <SumTable
          {...shared}
          what="Service"
          rows={rows('services')}
          nameOf={nameOr('No service')}
          hrefOf={({ id }) => (id === '' ? null : pathOfService(id))}
          entriesHref={({ id }) => (id === '' ? null : activityPath({ service: id, ...days }))}
          action={(row) =>
            row.id !== '' &&
            !hasAccount(row.id) && (
              <Anchor
                component="button"
                type="button"
                size="xs"
                aria-haspopup="dialog"
                aria-label={`Give it an account: ${row.name}`}
                onClick={() => setService(row.id)}
              >
                Give it an account
              </Anchor>
            )
          }
        />
        {groups.some(({ id }) => id !== '') && (
          <SumTable
            {...shared}
            what="Group"
            rows={groups}
            nameOf={nameOr('In no group')}
            hrefOf={({ id }) => (id === '' ? null : pathOfGroup({ groupId: id }))}
          />
        )}
        <SumTable {...shared} what="Account" rows={rows('accounts')} nameOf={({ name }) => name} />
        {costCentres.length > 0 && (
          <SumTable {...shared} what="Cost centre" rows={costCentres} nameOf={({ name }) => name} />
        )}
      </SimpleGrid>
      <Text size="sm" c="dimmed">
        What is final, and the fees of what failed. Sums are in USDC, which is counted at 1.00 USD; fees are
        in SOL.
      </Text>
      <RuleDialog
        opened={service !== null}
        month={month.month}
        start={{ serviceId: service }}
        onClose={() => setService(null)}
      />
    </>
  );
};

const daysOf = ({ zone, from, to }: Month): { from: string; to: string } => ({
  from: dayIn(zone, Date.parse(from)),
  to: dayIn(zone, Date.parse(to) - 1),
});

const activityPath = (filters: Record<string, string>): string =>
  `/activity?${new URLSearchParams({ ...filters, kind: 'payment' }).toString()}`;
