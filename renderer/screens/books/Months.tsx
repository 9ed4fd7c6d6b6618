// The months of the books beside the chosen one: how it stands, and its sums.
import { Anchor, Code, Grid, Stack, Switch, Text } from '@mantine/core';
import { Link } from 'wouter';
import { CloseMonth } from './CloseMonth.tsx';
import { MonthChoice, MonthList } from './MonthList.tsx';
import { MonthSums } from './MonthSums.tsx';
import { type Month, nameOfMonth } from './month-words.ts';
import { useEffect, useState } from 'react';
import { onOwnerEvent } from '../../stores/connection.ts';
import { outdate, useOwner } from '../../stores/queries.ts';
import { anchorWords, modelsWords, tokensWords } from '../../../server/contract/books/book-words.ts';
import { ask } from '../../api/owner.ts';
import { ErrorNote } from '../../shared/ui/ErrorNote.tsx';
import { momentOf } from '../../shared/time.ts';
import { useWork } from '../../shared/hooks/use-work.ts';
import type { Reply } from '../../../server/contract/schemas.ts';
import { counted } from '../../shared/format.ts';
import { Amount } from '../../shared/ui/Amount.tsx';
import { Form, FormEnd } from '../../shared/ui/Form.tsx';
import { MoneyInput } from '../../shared/ui/MoneyInput.tsx';
import { Panel } from '../../shared/ui/Panel.tsx';

interface MonthsProps {
  months: readonly Month[];
  zone: string;
  chosen: Month;
}

export const Months = ({ months, zone, chosen }: MonthsProps) => {
  useReadAgain();
  return (
    <Grid gap="lg">
      <Grid.Col span={{ base: 12, md: 3 }} className="not-printed">
        <Stack gap="sm">
          <MonthChoice months={months} chosen={chosen} />
          <MonthList months={months} chosen={chosen} />
        </Stack>
      </Grid.Col>
      <Grid.Col span={{ base: 12, md: 9 }} className="printed-whole">
        <Stack gap="lg" component="section" aria-label={nameOfMonth(chosen.month)}>
          <CloseMonth month={chosen} zone={zone} key={chosen.month} />
          <MonthSums month={chosen} />
          <ModelTokens month={chosen} />
        </Stack>
        <Stack gap="sm" mt="lg" className="not-printed">
          <Text c="dimmed">
            A month begins at midnight in {zone}.{' '}
            <Anchor component={Link} href="/settings/computer" underline="always">
              Change the time zone
            </Anchor>
          </Text>
          <Anchors />
        </Stack>
      </Grid.Col>
    </Grid>
  );
};

/**
 * Reads the months and their sums again some seconds after money has moved: a month's sums are read from all its
 * entries.
 */
const pauseMs = 5_000;

const useReadAgain = (): void => {
  useEffect(() => {
    // No event tells of requests to models.
    outdate(['bookModels']);
    let timer: ReturnType<typeof setTimeout> | undefined;
    const off = onOwnerEvent(({ type }) => {
      if (timer !== undefined || (type !== 'transfer' && type !== 'deposit')) return;
      timer = setTimeout(() => {
        timer = undefined;
        outdate(['bookMonths', 'bookTotals', 'bookModels', 'getAnchors']);
      }, pauseMs);
    });
    return () => {
      off();
      clearTimeout(timer);
    };
  }, []);
};

/** The anchors of the books: the owner's switch, what it costs, and until when days are anchored. */
const Anchors = () => {
  const { data, error, refetch } = useOwner('getAnchors', {});
  const turn = useWork(async (on: boolean) => {
    await ask('setAnchors', { body: { on } });
    outdate(['getAnchors']);
  });
  return (
    <Stack gap={4} component="section" aria-label="Anchors">
      {data !== undefined && (
        <Switch
          label="Anchor the books once a day"
          description={anchorWords(data.cost)}
          checked={data.on}
          disabled={turn.isBusy}
          onChange={({ currentTarget: { checked } }) => void turn.run(checked)}
        />
      )}
      {data?.until != null && (
        <Text c="dimmed">
          Everything before {momentOf(data.until)} is anchored. An accountant verifies the file of{' '}
          <Code>treasury books statement</Code> with <Code>treasury verify</Code>, without this treasury.
        </Text>
      )}
      {data?.on === true && data.waiting.length > 0 && (
        <Text c="dimmed">The next anchor waits for: {data.waiting.join(' ')}</Text>
      )}
      <ErrorNote error={error} onRetry={() => void refetch()} />
      <ErrorNote error={turn.error} notDone="The anchors were not changed." />
    </Stack>
  );
};

/** The model tokens of a month by supplier, which are not on the chain, each with a form for its invoice. */
const ModelTokens = ({ month }: { month: Month }) => {
  const { suppliers = [] } = useOwner('bookModels', { params: { month: month.month } }).data ?? {};
  if (suppliers.length === 0) return null;
  return (
    <Panel title="Model tokens" note={modelsWords}>
      {suppliers.map((one) => (
        <Supplier key={`${month.month} ${one.supplierId}`} month={month} one={one} />
      ))}
    </Panel>
  );
};

type Tokens = Reply<'bookModels'>['suppliers'][number];

const Supplier = ({ month: { month, state }, one }: { month: Month; one: Tokens }) => {
  const [amount, setAmount] = useState('');
  const { supplierId } = one;
  const saving = useWork(async () => {
    await ask('addModelInvoice', { params: { month }, body: { supplierId, amount } });
    outdate(['bookModels']);
  });
  return (
    <Form gap="xs" onSubmit={() => void saving.run()}>
      <Text>
        <b>{supplierId}</b>, {counted(one.requests, 'request')}: <Amount value={one.total} />
        <br />
        {tokensWords(one)}
      </Text>
      {state !== 'running' && (
        <div className="not-printed">
          <MoneyInput
            label={`Invoice of ${supplierId} for the whole month`}
            mb="xs"
            value={amount}
            onChange={({ currentTarget: { value } }) => setAmount(value)}
          />
          <FormEnd of={saving} notDone="The invoice was not entered." variant="default">
            Enter the invoice
          </FormEnd>
        </div>
      )}
    </Form>
  );
};
