// Deposits from outside, newest first.
import { useState } from 'react';
import { Badge, Checkbox, Text } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import type { Reply } from '../../../server/contract/schemas.ts';
import { ask } from '../../api/owner.ts';
import { Address } from '../../shared/ui/Address.tsx';
import { ErrorNote } from '../../shared/ui/ErrorNote.tsx';
import { Panel } from '../../shared/ui/Panel.tsx';
import { ShowMore } from '../../shared/ui/ShowMore.tsx';
import { MoneyTable } from './MoneyTable.tsx';

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
    <Panel title="Deposits" note="Received from other wallets.">
      <ErrorNote error={error} onRetry={() => void refetch()} />
      {data !== undefined && deposits.length === 0 && (
        <Text>
          Nothing has come in yet. Money that you send to the deposit address appears here by itself.
        </Text>
      )}
      <Checkbox
        label={`Show deposits under ${leastShown} USDC`}
        checked={showsDust}
        onChange={({ currentTarget }) => setShowsDust(currentTarget.checked)}
      />
      {deposits.length > 0 && (
        <MoneyTable
          party="From"
          rows={deposits.map(({ from, status, ...row }) => ({
            ...row,
            party: <Sender from={from} />,
            state: <State status={status} />,
          }))}
        />
      )}
      {hasNextPage && <ShowMore isBusy={isFetchingNextPage} onMore={fetchNextPage} />}
    </Panel>
  );
};

/** Newly minted USDC has no sender; nor has the rent of an account that somebody else had opened meanwhile. */
const notAddresses: Readonly<Record<string, string>> = {
  mint: 'Newly minted USDC',
  rent: 'Rent that was not taken',
};

const Sender = ({ from }: { from: string }) =>
  from in notAddresses ? <>{notAddresses[from]}</> : <Address value={from} what="sender’s address" />;

const State = ({ status }: { status: Deposit['status'] }) => {
  const { label, color, meaning } = statuses[status];
  return (
    <Badge variant="dot" color={color} title={meaning} tt="none" fw={600} miw="max-content">
      {label}
    </Badge>
  );
};
