// The books: months and their close, files for accounting programs, and the rules that give entries an account.
import { Tabs } from '@mantine/core';
import { useLocation, useSearch } from 'wouter';
import { ErrorNote } from '../../shared/ErrorNote.tsx';
import { Loading, Screen } from '../../shared/Screen.tsx';
import { useOwner } from '../../stores/queries.ts';
import { Download } from './Download.tsx';
import { isMonth, type Month } from './month-words.ts';
import { Months } from './Months.tsx';
import { Rules } from './Rules.tsx';

const others = { download: 'Download', rules: 'Rules' } as const;

export default function Books({ tab }: { tab: string | undefined }) {
  const { data, error, refetch } = useOwner('bookMonths');
  const [, go] = useLocation();
  const search = useSearch();
  const month = chosenIn(data?.months ?? [], new URLSearchParams(search).get('month') ?? '');
  return (
    <Screen title="Books">
      <ErrorNote error={error} onRetry={() => void refetch()} />
      {data === undefined || month === undefined ? (
        error === null && <Loading />
      ) : (
        <Tabs
          value={tab !== undefined && tab in others ? tab : 'months'}
          onChange={(next) =>
            go(`/books${next !== null && next in others ? `/${next}` : ''}?month=${month.month}`)
          }
          keepMounted={false}
        >
          <Tabs.List>
            <Tabs.Tab value="months">Months</Tabs.Tab>
            {Object.entries(others).map(([name, label]) => (
              <Tabs.Tab key={name} value={name}>
                {label}
              </Tabs.Tab>
            ))}
          </Tabs.List>
          <Tabs.Panel value="months" pt="md">
            <Months months={data.months} zone={data.zone} chosen={month} />
          </Tabs.Panel>
          <Tabs.Panel value="download" pt="md">
            <Download month={month} zone={data.zone} />
          </Tabs.Panel>
          <Tabs.Panel value="rules" pt="md">
            <Rules month={month.month} />
          </Tabs.Panel>
        </Tabs>
      )}
    </Screen>
  );
}

/** The newest one, if the address names none that there is. */
const chosenIn = (months: readonly Month[], named: string): Month | undefined =>
  (isMonth(named) ? months.find(({ month }) => month === named) : undefined) ?? months[0];
