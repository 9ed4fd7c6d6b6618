// A month's spending: totals of the filter in force, by agent and by service, beside the month before; and its rows as CSV.
import { ActionIcon, Button, Group, SimpleGrid, Text, TextInput } from '@mantine/core';
import { IconChevronLeft, IconChevronRight, IconFileSpreadsheet } from '@tabler/icons-react';
import { useMemo } from 'react';
import { useLocation, useSearch } from 'wouter';
import { AgentPicture } from '../../shared/AgentPicture.tsx';
import { useAgentNames } from '../../shared/agent-names.ts';
import { Back } from '../../shared/Back.tsx';
import { ErrorNote } from '../../shared/ErrorNote.tsx';
import { notifyFailure } from '../../shared/notify.ts';
import { Loading, Screen } from '../../shared/Screen.tsx';
import { useCommand } from '../../shared/use-command.ts';
import { useOwner } from '../../stores/queries.ts';
import { saveStatement } from '../activity/save-statement.ts';
import { pathOfService } from '../catalog/service-words.ts';
import { compared, type Totals } from './changes.ts';
import { MonthFigures } from './MonthFigures.tsx';
import { MonthFilter, type Chosen } from './MonthFilter.tsx';
import { MonthTable } from './MonthTable.tsx';
import { isMonth, nameOfMonth, periodBefore, periodOf, shifted, thisMonth } from './months.ts';

const useChosen = (): [Chosen, (change: Partial<Chosen>) => void] => {
  const search = useSearch();
  const [path, navigate] = useLocation();
  const chosen = useMemo((): Chosen => {
    const given = new URLSearchParams(search);
    const month = given.get('month') ?? '';
    return {
      month: isMonth(month) ? month : thisMonth(),
      agent: given.get('agent'),
      service: given.get('service'),
    };
  }, [search]);
  const change = (next: Partial<Chosen>): void => {
    const set = Object.entries({ ...chosen, ...next }).filter(([, value]) => value !== null);
    navigate(`${path}?${new URLSearchParams(set as [string, string][]).toString()}`, { replace: true });
  };
  return [chosen, change];
};

export default function Month() {
  const [chosen, choose] = useChosen();
  const { month, agent, service } = chosen;
  const filter = {
    ...(agent === null ? {} : { agentId: agent }),
    ...(service === null ? {} : { serviceId: service }),
  };
  const isRunning = month === thisMonth();
  // To the minute, so that the question stays the same while it is answered.
  const now = Math.floor(Date.now() / 60_000) * 60_000;
  const totals = useOwner('totals', { query: { ...filter, ...periodOf(month) } });
  const before = useOwner('totals', { query: { ...filter, ...periodBefore(month, now) } });
  const save = useCommand(() =>
    saveStatement('csv', { ...filter, ...periodOf(month) }, `spending-${month}`).catch(
      notifyFailure('The file was not saved'),
    ),
  );
  const error = totals.error ?? before.error;
  return (
    <Screen
      title={nameOfMonth(month)}
      actions={
        <Button
          variant="default"
          leftSection={<IconFileSpreadsheet size={18} aria-hidden />}
          loading={save.isBusy}
          onClick={() => void save.run()}
        >
          Save its rows (CSV)
        </Button>
      }
    >
      <Back to="/activity" name="Activity" />
      <Group gap="xs" align="flex-end">
        <Turner month={month} onChange={(next) => choose({ month: next })} />
        <MonthFilter chosen={chosen} onChange={choose} />
      </Group>
      <ErrorNote error={error} onRetry={() => void totals.refetch()} />
      {totals.data === undefined || before.data === undefined ? (
        error === null && <Loading />
      ) : (
        <Whole now={totals.data} before={before.data} words={wordsFor(month, isRunning)} />
      )}
    </Screen>
  );
}

/** The month that the figures are compared with, in words. */
const wordsFor = (month: string, isRunning: boolean): string => {
  const before = nameOfMonth(shifted(month, -1));
  return isRunning ? `${before} up to the same time` : before;
};

const Turner = ({ month, onChange }: { month: string; onChange: (month: string) => void }) => (
  <Group gap={4} align="flex-end" wrap="nowrap">
    <ActionIcon
      variant="default"
      size={36}
      aria-label={`Show ${nameOfMonth(shifted(month, -1))}`}
      onClick={() => onChange(shifted(month, -1))}
    >
      <IconChevronLeft size={18} aria-hidden />
    </ActionIcon>
    <TextInput
      type="month"
      label="Month"
      w={170}
      max={thisMonth()}
      value={month}
      onChange={({ currentTarget: { value } }) => isMonth(value) && onChange(value)}
    />
    <ActionIcon
      variant="default"
      size={36}
      aria-label={`Show ${nameOfMonth(shifted(month, 1))}`}
      disabled={month >= thisMonth()}
      onClick={() => onChange(shifted(month, 1))}
    >
      <IconChevronRight size={18} aria-hidden />
    </ActionIcon>
  </Group>
);

const byAgent = ({ agents }: Totals) => agents.map((row) => ({ ...row, id: row.agentId }));
const byService = ({ services }: Totals) => services.map((row) => ({ ...row, id: row.serviceId }));

const Whole = ({ now, before, words }: { now: Totals; before: Totals; words: string }) => {
  const ids = [...now.agents, ...before.agents].map(({ agentId }) => agentId);
  const nameOf = useAgentNames(ids);
  const names = new Map([...before.services, ...now.services].map((row) => [row.serviceId, row.service]));
  return (
    <>
      <MonthFigures now={now} before={before} words={words} />
      <SimpleGrid cols={{ base: 1, md: 2 }} spacing="lg">
        <MonthTable
          title="By agent"
          words={words}
          rows={compared(byAgent(now), byAgent(before))}
          nameOf={nameOf}
          hrefOf={(id) => `/agents/${encodeURIComponent(id)}`}
          picture={(id) => <AgentPicture agentId={id} size={16} />}
        />
        <MonthTable
          title="By service"
          words={words}
          rows={compared(byService(now), byService(before))}
          nameOf={(id) => names.get(id) ?? id}
          hrefOf={(id) => (id === '' ? '/activity' : pathOfService(id))}
        />
      </SimpleGrid>
      <Text size="sm" c="dimmed">
        Payments and pictures that were paid or are settling, less refunds. A month begins at midnight of this
        machine’s time zone.
      </Text>
    </>
  );
};
