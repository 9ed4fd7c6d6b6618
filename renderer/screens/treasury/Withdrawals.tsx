// The withdrawals from the treasury, newest first.
import { Group, Text } from '@mantine/core';
import { useState } from 'react';
import { Address } from '../../shared/ui/Address.tsx';
import { ErrorNote } from '../../shared/ui/ErrorNote.tsx';
import { Panel } from '../../shared/ui/Panel.tsx';
import { ShowMore } from '../../shared/ui/ShowMore.tsx';
import { StatusBadge } from '../../shared/ui/StatusBadge.tsx';
import { MoneyTable } from './MoneyTable.tsx';
import { useRecipients, useWithdrawals } from './use-recipients.ts';

const pageSize = 10;

export const Withdrawals = () => {
  const { data, error, refetch } = useWithdrawals();
  const [shown, setShown] = useState(pageSize);
  const known = useRecipients();
  return (
    <Panel title="Withdrawals" note="Sent to other wallets.">
      <ErrorNote error={error} onRetry={() => void refetch()} />
      {data?.length === 0 && <Text>Nothing has been withdrawn yet.</Text>}
      {data !== undefined && data.length > 0 && (
        <MoneyTable
          party="To"
          rows={data.slice(0, shown).map((entry) => ({
            ...entry,
            party: (
              <Group component="span" gap={6} display="inline-flex">
                {known.find(({ address }) => address === entry.payee)?.name}{' '}
                <Address value={entry.payee} what="recipient’s address" mayLabel />
              </Group>
            ),
            state: <StatusBadge of={entry} />,
            href: `/activity/${entry.id}`,
          }))}
        />
      )}
      {data !== undefined && shown < data.length && (
        <ShowMore isBusy={false} onMore={() => setShown(shown + pageSize)} />
      )}
    </Panel>
  );
};
