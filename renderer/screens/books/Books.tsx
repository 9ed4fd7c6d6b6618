// The books: months and their close, files for accounting programs and of sales, and the rules that give entries an account.
import { Stack, Tabs } from '@mantine/core';
import { useLocation } from 'wouter';
import { QueryState, Screen } from '../../shared/ui/Screen.tsx';
import { useOwner } from '../../stores/queries.ts';
import { Download } from './Download.tsx';
import { Months } from './Months.tsx';
import { Rules } from './Rules.tsx';
import { Sales } from './Sales.tsx';

const others = { download: 'Files', rules: 'Rules' } as const;

interface BooksProps {
  params: {
    /** A part of the books, or a month. */
    place?: string | undefined;
    /** The month that a part is about. */
    month?: string | undefined;
  };
}

export default function Books({ params: { place = '', month: named = place } }: BooksProps) {
  const read = useOwner('bookMonths');
  const { data } = read;
  const [, go] = useLocation();
  const months = data?.months ?? [];
  // The newest, where the address names none that there is.
  const month = months.find((one) => one.month === named) ?? months[0];
  return (
    <Screen title="Books">
      <QueryState of={read} />
      {data !== undefined && month !== undefined && (
        <Tabs
          value={place in others ? place : 'months'}
          onChange={(next) => go(`/books/${next !== null && next in others ? `${next}/` : ''}${month.month}`)}
          keepMounted={false}
        >
          <Tabs.List className="not-printed">
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
            <Stack gap="lg">
              <Download month={month} zone={data.zone} />
              <Sales />
            </Stack>
          </Tabs.Panel>
          <Tabs.Panel value="rules" pt="md">
            <Rules month={month.month} />
          </Tabs.Panel>
        </Tabs>
      )}
    </Screen>
  );
}
