// Saves a period as a file for an accounting program.
import { Button, Group, Progress, Select, SimpleGrid, Stack, Text, TextInput } from '@mantine/core';
import { IconDownload } from '@tabler/icons-react';
import { useEffect, useRef, useState } from 'react';
import {
  bookFormatNames,
  bookFormats,
  importingSentence,
  modelsSentence,
  type BookFormatName,
} from '../../../server/contract/books/book-formats.ts';
import { ErrorNote } from '../../shared/ui/ErrorNote.tsx';
import { notifyDone } from '../../shared/notify.ts';
import { Panel } from '../../shared/ui/Panel.tsx';
import { useWork } from '../../shared/hooks/use-work.ts';
import { dayIn, type Month } from './month-words.ts';
import { daysFault, periodKinds, periodOf, periodWords, type Period, type PeriodKind } from './periods.ts';
import { saveBooks } from './save-books.ts';

interface DownloadProps {
  month: Month;
  /** The owner's, now. */
  zone: string;
}

export const Download = ({ month, zone }: DownloadProps) => {
  const [kind, setKind] = useState<PeriodKind>('month');
  const [format, setFormat] = useState<BookFormatName>('spreadsheet');
  const today = dayIn(zone, Date.now());
  const [days, setDays] = useState<Period>({ from: `${today.slice(0, 7)}-01`, to: today });
  const fault = kind === 'days' ? daysFault(days) : null;
  const choose = (next: BookFormatName): void => {
    setFormat(next);
    if (bookFormats[next].importing === 'from-start') setKind('all');
  };
  const saving = useSaving();
  const words = periodWords(month);
  return (
    <Panel
      title="Download"
      note={`A file for your accounting software. Days are in ${zone}; USDC is valued at 1.00 USD.`}
    >
      <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="md">
        <Select
          label="Period"
          data={periodKinds.map((value) => ({ value, label: words[value] }))}
          value={kind}
          onChange={(next) => next !== null && setKind(next)}
          allowDeselect={false}
        />
        <Select
          label="Program"
          data={bookFormatNames.map((value) => ({ value, label: bookFormats[value].label }))}
          value={format}
          onChange={(next) => next !== null && choose(next)}
          allowDeselect={false}
          maxDropdownHeight={420}
        />
        {kind === 'days' &&
          (['from', 'to'] as const).map((end) => (
            <TextInput
              key={end}
              type="date"
              label={end === 'from' ? 'First day' : 'Last day'}
              value={days[end] ?? ''}
              max={today}
              onChange={({ currentTarget: { value } }) => setDays({ ...days, [end]: value })}
            />
          ))}
      </SimpleGrid>
      <About format={format} />
      <Group gap="sm">
        <Button
          leftSection={<IconDownload size={18} aria-hidden />}
          loading={saving.isBusy}
          disabled={fault !== null}
          onClick={() => void saving.run({ format, ...periodOf(kind, month, days) }, zone)}
        >
          Download the file
        </Button>
        {saving.isBusy && (
          <Button variant="default" onClick={saving.cancel}>
            Cancel
          </Button>
        )}
        {fault !== null && <Text c="var(--mantine-color-error)">{fault}</Text>}
      </Group>
      <Outcome saving={saving} />
    </Panel>
  );
};

const About = ({ format }: { format: BookFormatName }) => {
  const { label, purpose, unit, importing } = bookFormats[format];
  return (
    <Stack gap={4}>
      <Text>
        {label}: {purpose}.
      </Text>
      <Text>
        {importingSentence(format)}
        {importing === 'twice' && ' Begin each file on the day after the last one ended.'}
        {importing === 'from-start' && ' So choose everything each time.'}
      </Text>
      <Text>{modelsSentence(format)}</Text>
      {unit === 'day' && (
        <Text>
          It has a line for each day and payee, in cents, and covers only whole days that are final. A
          fraction of a cent is carried to the next day.
        </Text>
      )}
    </Stack>
  );
};

const Outcome = ({ saving: { isBusy, percent, error } }: { saving: ReturnType<typeof useSaving> }) => (
  <>
    {isBusy && percent !== null && <Reached percent={percent} />}
    <ErrorNote error={error} notDone="Nothing was saved." />
  </>
);

const Reached = ({ percent }: { percent: number }) => (
  <Stack gap={4}>
    <Progress value={percent} aria-label="How much of the file is written" />
    <Text c="dimmed">{percent}% of the entries have been read</Text>
  </Stack>
);

export const useSaving = () => {
  const ending = useRef<AbortController | null>(null);
  const [percent, setPercent] = useState<number | null>(null);
  // A file that nobody waits for is not written to its end.
  useEffect(() => () => ending.current?.abort(), []);
  const work = useWork(async (query: Parameters<typeof saveBooks>[0], zone: string) => {
    const own = new AbortController();
    ending.current = own;
    setPercent(null);
    const saved = await saveBooks(query, { signal: own.signal, reached: setPercent });
    if (saved === null) return;
    const until =
      bookFormats[query.format].unit === 'day' ? `, up to the end of ${lastDay(zone, saved.to)}` : '';
    notifyDone(`Saved as ${saved.where}${until}.`);
  });
  return { ...work, percent, cancel: () => ending.current?.abort() };
};

const lastDay = (zone: string, to: string): string => dayIn(zone, Date.parse(to) - 1);
