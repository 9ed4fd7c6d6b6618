// The books: months and their close, files for accounting programs and of sales, and the rules that give entries an account.
import { Stack } from '@mantine/core';
import { useLocation } from 'wouter';
import { PageTabs } from '../../shared/PageTabs.tsx';
import { QueryState, Screen } from '../../shared/ui/Screen.tsx';
import { useOwner } from '../../stores/queries.ts';
import { Download } from './Download.tsx';
import { Months } from './Months.tsx';
import { Rules } from './Rules.tsx';
import { Sales } from './Sales.tsx';

const others: readonly string[] = ['download', 'rules'];

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
        <PageTabs
          shown={others.includes(place) ? place : 'months'}
          onShow={(next) => go(`/books/${others.includes(next) ? `${next}/` : ''}${month.month}`)}
          tabs={{
            months: ['Months', () => <Months months={data.months} zone={data.zone} chosen={month} />],
            download: ['Files', () => <Files month={month} zone={data.zone} />],
            rules: ['Rules', () => <Rules month={month.month} />],
          }}
        />
      )}
    </Screen>
  );
}

const Files = (books: Parameters<typeof Download>[0]) => (
  <Stack gap="lg">
    <Download {...books} />
    <Sales />
  </Stack>
);
