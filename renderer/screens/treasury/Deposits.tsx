// Deposits from outside, newest first.
import { useState } from 'react';
import { Badge, Checkbox, Group, Stack, Table, Text } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import type { Reply } from '../../../server/contract/schemas.ts';
import { ask } from '../../api/owner.ts';
import { Address } from '../../shared/ui/Address.tsx';
import { Amount } from '../../shared/ui/Amount.tsx';
import { ErrorNote } from '../../shared/ui/ErrorNote.tsx';
import { Moment } from '../../shared/ui/Moment.tsx';
import { Panel } from '../../shared/ui/Panel.tsx';
import { ShowMore } from '../../shared/ui/ShowMore.tsx';

type Deposit = Reply<'deposits'>['deposits'][number];

const pageSize = 10;
/** USDC. Strangers send less, for the sake of a memo. */
const leastShown = '0.01';
const statuses: Record<Deposit['status'], { label: string; color: string; meaning: string }> = {
  confirmed: {
    label: 'Settling',
    color: 'blue',
    meaning: 'Seen on the chain; final in about half a minute.',
  },
  final: { label: 'Received', color: 'teal', meaning: 'It can no longer be reversed.' },
  dropped: { label: 'Reversed', color: 'red', meaning: 'The chain reversed it: it did not happen.' },
};

export const Deposits = () => {
  const [showsDust, setShowsDust] = useState(false);
  const { data, error, hasNextPage, isFetchingNextPage, fetchNextPage, refetch } = useInfiniteQuery({
    queryKey: ['deposits', 'by page', showsDust],
    queryFn: ({ pageParam }) =>
      ask('deposits', {
        query: {
          limit: String(pageSize),
          ...(pageParam === null ? {} : { before: String(pageParam) }),
          ...(showsDust ? {} : { least: leastShown }),
        },
      }),
    initialPageParam: null as number | null,
    getNextPageParam: ({ deposits }) => (deposits.length < pageSize ? undefined : deposits.at(-1)?.cursor),
  });
  const deposits = data?.pages.flatMap((page) => page.deposits) ?? [];
  return (
    <Panel title="Deposits" note="What came in from other wallets.">
      <ErrorNote error={error} onRetry={() => void refetch()} />
      {data !== undefined && deposits.length === 0 && (
        <Text size="sm">
          Nothing has come in yet. Send USDC to the deposit address above; it appears here by itself.
        </Text>
      )}
      <Checkbox
        label={`Show deposits of less than ${leastShown} USDC`}
        checked={showsDust}
        onChange={({ currentTarget }) => setShowsDust(currentTarget.checked)}
      />
      {deposits.length > 0 && <DepositTable deposits={deposits} />}
      {hasNextPage && <ShowMore isBusy={isFetchingNextPage} onMore={fetchNextPage} />}
    </Panel>
  );
};

const DepositTable = ({ deposits }: { deposits: readonly Deposit[] }) => (
  <>
    <Table visibleFrom="md" verticalSpacing="xs">
      <Table.Thead>
        <Table.Tr>
          <Table.Th>Time</Table.Th>
          <Table.Th>From</Table.Th>
          <Table.Th>Signature</Table.Th>
          <Table.Th>Status</Table.Th>
          <Table.Th ta="right">Amount</Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {deposits.map(({ id, timestamp, from, txSignature, status, amount, currency }) => (
          <Table.Tr key={id}>
            <Table.Td>
              <Moment iso={timestamp} />
            </Table.Td>
            <Table.Td>
              <Sender from={from} />
            </Table.Td>
            <Table.Td>
              <Address value={txSignature} what="signature" />
            </Table.Td>
            <Table.Td>
              <State status={status} />
            </Table.Td>
            <Table.Td ta="right">
              <Amount value={amount} currency={currency} />
            </Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
    <Stack hiddenFrom="md" gap="md" component="ul" p={0} m={0}>
      {deposits.map(({ id, timestamp, from, status, amount, currency }) => (
        <Group key={id} component="li" justify="space-between" wrap="nowrap" align="flex-start">
          <div>
            <Amount value={amount} currency={currency} fw={600} />
            <Text size="sm" c="dimmed">
              <Moment iso={timestamp} />
              {from in notAddresses ? ', ' : ' from '}
              <Sender from={from} />
            </Text>
          </div>
          <State status={status} />
        </Group>
      ))}
    </Stack>
  </>
);

/** Newly minted USDC has no sender; nor has the rent of an account that somebody else had opened meanwhile. */
const notAddresses: Readonly<Record<string, string>> = {
  mint: 'newly minted USDC',
  rent: 'rent that was not taken',
};

const Sender = ({ from }: { from: string }) =>
  from in notAddresses ? <>{notAddresses[from]}</> : <Address value={from} what="sender’s address" />;

const State = ({ status }: { status: Deposit['status'] }) => {
  const { label, color, meaning } = statuses[status];
  return (
    <Badge variant="dot" color={color} title={meaning} tt="none" fw={600} flex="none">
      {label}
    </Badge>
  );
};
