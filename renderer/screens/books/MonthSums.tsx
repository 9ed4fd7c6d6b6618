// The sums of a month, by agent, group, service, account and cost center, beside the month before.
import { Anchor, SimpleGrid, Text } from '@mantine/core';
import { shifted } from '../../../server/contract/books/book-words.ts';
import { AgentPicture } from '../../shared/ui/AgentPicture.tsx';
import { pathOfAgent, useAgentNames } from '../../shared/agent-names.ts';
import { QueryState } from '../../shared/ui/Screen.tsx';
import { useOwner } from '../../stores/queries.ts';
import { pathOfGroup } from '../agents/groups/use-groups.ts';
import { compared, type Compared, type MonthTotals, type Row, type Totals } from './changes.ts';
import { entriesPath } from './entries-path.ts';
import { MonthFigures } from './MonthFigures.tsx';
import { type Month, nameOfMonth, shortMonth } from './month-words.ts';
import { SumTable, type SumTableProps } from './SumTable.tsx';
import { useState } from 'react';
import { pathOfService } from '../catalog/service-words.ts';
import { RuleDialog } from './RuleDialog.tsx';

export const MonthSums = ({ month }: { month: Month }) => {
  const totals = useOwner('bookTotals', { params: { month: month.month } });
  if (totals.data === undefined) return <QueryState of={totals} />;
  return <Whole totals={totals.data} month={month} />;
};

const rowsOf: Record<'agents' | 'groups' | 'services' | 'accounts' | 'costCentres', RowsOf> = {
  agents: ({ agents }) => agents.map((row) => ({ ...row, id: row.agentId })),
  groups: ({ groups }) => groups.map((row) => ({ ...row, id: row.groupId })),
  services: ({ services }) => services.map((row) => ({ ...row, id: row.serviceId })),
  accounts: ({ accounts }) => accounts.map((row) => ({ ...row, id: row.name })),
  costCentres: ({ costCentres }) => costCentres.map((row) => ({ ...row, id: row.name })),
};
type RowsOf = (totals: MonthTotals) => Row[];

const Whole = ({ totals: { now, before, ...balances }, month }: { totals: Totals; month: Month }) => {
  const rows = (kind: keyof typeof rowsOf): Compared[] => compared(rowsOf[kind](now), rowsOf[kind](before));
  const agents = rows('agents');
  const groups = rows('groups');
  const costCentres = rows('costCentres').filter(({ id }) => id !== '');
  const hasRules = (useOwner('bookRules').data?.rules ?? []).length > 0;
  const agentName = useAgentNames(agents.map(({ id }) => id));
  const earlier = shifted(month.month, -1);
  const hasBefore = before.accounts.length > 0;
  const shared = {
    isRunning: month.state === 'running',
    month: shortMonth(month.month),
    before: hasBefore ? shortMonth(earlier) : null,
  };
  return (
    <>
      <MonthFigures
        {...balances}
        now={now}
        before={before}
        name={nameOfMonth(earlier)}
        isRunning={shared.isRunning}
      />
      <SimpleGrid cols={{ base: 1, lg: 2 }} spacing="lg" style={{ alignItems: 'start' }}>
        <SumTable
          {...shared}
          what="Agent"
          rows={agents}
          nameOf={({ id }) => (id === '' ? 'No agent' : agentName(id))}
          hrefOf={({ id }) => (id === '' ? null : pathOfAgent(id))}
          entriesHref={({ id }) => (id === '' ? null : entriesPath(month, { agent: id }))}
          picture={({ id }) => id !== '' && <AgentPicture agentId={id} size={16} />}
        />
        <ServiceTable shared={shared} rows={rows('services')} month={month} />
        {groups.some(({ id }) => id !== '') && (
          <SumTable
            {...shared}
            what="Group"
            rows={groups}
            nameOf={({ id, name }) => (id === '' ? 'No group' : name)}
            hrefOf={({ id }) => (id === '' ? null : pathOfGroup({ groupId: id }))}
          />
        )}
        {hasRules && (
          <div style={{ gridColumn: '1 / -1' }}>
            <SumTable {...shared} what="Account" rows={rows('accounts')} nameOf={({ name }) => name} />
          </div>
        )}
        {costCentres.length > 0 && (
          <SumTable {...shared} what="Cost center" rows={costCentres} nameOf={({ name }) => name} />
        )}
      </SimpleGrid>
      <Text c="dimmed">
        Only final entries are counted, with the fees of failed transactions. Amounts are in USDC, valued at
        1.00 USD; fees are in SOL.{hasRules && ' Under accounts and cost centers, income is negative.'}
      </Text>
    </>
  );
};

interface ServiceTableProps {
  rows: readonly Compared[];
  month: Month;
  shared: Pick<SumTableProps, 'month' | 'before' | 'isRunning'>;
}

/** A month by service. Those that no rule names can be given an account, one after the other. */
const ServiceTable = ({ rows, month, shared }: ServiceTableProps) => {
  const [service, setService] = useState<string | null>(null);
  const rules = useOwner('bookRules').data?.rules;
  const lacking = rows.filter(
    ({ id }) => id !== '' && rules !== undefined && !rules.some(({ serviceId }) => serviceId === id),
  );
  return (
    <>
      <SumTable
        {...shared}
        what="Service"
        rows={rows}
        nameOf={({ id, name }) => (id === '' ? 'No service' : name)}
        hrefOf={({ id }) => (id === '' ? null : pathOfService(id))}
        entriesHref={({ id }) => (id === '' ? null : entriesPath(month, { service: id }))}
        actions={
          lacking.length > 0 && (
            <Anchor
              component="button"
              type="button"
              className="not-printed"
              size="sm"
              aria-haspopup="dialog"
              onClick={() => setService(lacking[0]?.id ?? null)}
            >
              Assign accounts ({lacking.length})
            </Anchor>
          )
        }
      />
      <RuleDialog
        opened={service !== null}
        month={month.month}
        start={{ serviceId: service }}
        onClose={() => setService(null)}
      />
    </>
  );
};
