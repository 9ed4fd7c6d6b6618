// How a month stands, what to do about it, and the button that closes it.
import { Button, Group, List, Text, Title } from '@mantine/core';
import {
  IconAlertOctagon,
  IconAlertTriangle,
  IconCircleCheck,
  IconClock,
  IconDownload,
  IconHourglass,
  IconLock,
  IconPrinter,
} from '@tabler/icons-react';
import { useState } from 'react';
import { closingWords, shifted } from '../../../server/contract/books/book-words.ts';
import { ask } from '../../api/owner.ts';
import { ErrorNote } from '../../shared/ui/ErrorNote.tsx';
import { counted } from '../../shared/format.ts';
import { Notice } from '../../shared/ui/Notice.tsx';
import { dayNamed, momentOf } from '../../shared/time.ts';
import { useWork } from '../../shared/hooks/use-work.ts';
import { outdate } from '../../stores/queries.ts';
import { useTreasury } from '../../stores/treasury.ts';
import { useSaving } from './Download.tsx';
import { nameOfMonth, stateOf, type Month } from './month-words.ts';
import { periodOf } from './periods.ts';

interface CloseMonthProps {
  month: Month;
  /** The owner's, now. */
  zone: string;
}

export const CloseMonth = ({ month, zone }: CloseMonthProps) => {
  const close = useWork(async () => {
    await ask('closeMonth', { params: { month: month.month } });
    outdate(['bookMonths']);
  });
  const saving = useSaving();
  const name = nameOfMonth(month.month);
  const button = (
    <Button mt="xs" className="not-printed" loading={close.isBusy} onClick={() => void close.run()}>
      {month.closedAt === null ? `Close ${name}` : 'Compare again'}
    </Button>
  );
  return (
    <>
      <Group gap="xs" justify="space-between">
        <div>
          <Title order={2} size="h3">
            {name}
          </Title>
          {month.zone !== zone && <Text c="dimmed">By the clock of {month.zone}</Text>}
        </div>
        <Group gap="xs" className="not-printed">
          <Button
            variant="default"
            leftSection={<IconDownload size={16} aria-hidden />}
            loading={saving.isBusy}
            onClick={() => void saving.run({ format: 'spreadsheet', ...periodOf('month', month, {}) }, zone)}
          >
            Download CSV
          </Button>
          <Button
            variant="default"
            leftSection={<IconPrinter size={16} aria-hidden />}
            onClick={() => print()}
          >
            Print
          </Button>
        </Group>
      </Group>
      <Printed zone={month.zone} />
      <Standing month={month} name={name} button={button} />
      <ErrorNote error={close.error} notDone="The month was not closed." />
      <ErrorNote error={saving.error} notDone="Nothing was saved." />
    </>
  );
};

/** Which treasury it is, for whoever gets the paper. */
const Printed = ({ zone }: { zone: string }) => {
  const snapshot = useTreasury((state) => state.snapshot);
  return (
    <Text className="only-printed">
      Treasury {snapshot?.treasury.walletAddress} on Solana {snapshot?.network}, by the clock of {zone}.
      Printed on {momentOf(new Date().toISOString())}.
    </Text>
  );
};

interface StandingProps {
  month: Month;
  name: string;
  button: React.ReactNode;
}

const Standing = ({ month, name, button }: StandingProps) => {
  const state = stateOf(month);
  if (state === 'changed') return <Changed month={month} name={name} button={button} />;
  if (state === 'differs') return <Differs month={month} name={name} button={button} />;
  if (state === 'closed') return <Closed month={month} button={button} />;
  if (state === 'running')
    return (
      <Notice color="gray" icon={<IconClock aria-hidden />}>
        Totals so far. You can close {name} from {dayNamed(`${shifted(month.month, 1)}-01`)} ({month.zone}).
      </Notice>
    );
  if (state === 'waiting')
    return (
      <Notice color="blue" icon={<IconHourglass aria-hidden />} title="It cannot be closed yet">
        {month.waiting.join(' ')}
      </Notice>
    );
  return (
    <Notice color="blue" icon={<IconLock aria-hidden />} title="It can be closed">
      {closingWords}
      <br />
      {button}
    </Notice>
  );
};

const Closed = ({ month: { closedAt, entries }, button }: Omit<StandingProps, 'name'>) => (
  <Notice color="teal" icon={<IconCircleCheck aria-hidden />} title={`Closed on ${momentOf(closedAt ?? '')}`}>
    Journal, chain and file agree, line by line: {counted(entries ?? 0, 'entry', 'entries')}.
    <br />
    {button}
  </Notice>
);

/** So many differences are shown at first. */
const fewest = 10;

const Differs = ({ month: { differences, closedAt }, name, button }: StandingProps) => {
  const [isWhole, setWhole] = useState(false);
  const shown = isWhole ? differences : differences.slice(0, fewest);
  return (
    <Notice color="red" icon={<IconAlertTriangle aria-hidden />} title={`${name} does not match`}>
      Journal, chain and file were compared on {momentOf(closedAt ?? '')} and do not agree. Check each line
      below, then compare again. Until they agree, do not rely on a file of this month.
      <List size="sm" my="xs" spacing={4} className="break-anywhere">
        {shown.map((difference, at) => (
          // Two differences may read the same.
          <List.Item key={`${at} ${difference}`}>{difference}</List.Item>
        ))}
      </List>
      <Group gap="xs">
        {button}
        {shown.length < differences.length && (
          <Button mt="xs" variant="default" onClick={() => setWhole(true)}>
            Show all {differences.length}
          </Button>
        )}
      </Group>
    </Notice>
  );
};

const Changed = ({ month: { changedAt, closedAt }, name, button }: StandingProps) => (
  <Notice
    color="red"
    icon={<IconAlertOctagon aria-hidden />}
    title={`${name} has changed since it was closed`}
  >
    Its entries have changed since {momentOf(closedAt ?? '')}; the change was found on{' '}
    {momentOf(changedAt ?? '')}. This happens when an older copy is restored, or when somebody edits the
    records. Compare it again to list the differences from the chain. Files of this month that you saved
    earlier may be wrong.
    <br />
    {button}
  </Notice>
);
