// Deposits from outside, newest first.
import { useState } from 'react';
import { Anchor, Checkbox, Text } from '@mantine/core';
import { Link } from 'wouter';
import { cursorAfter, usePages } from '../../shared/hooks/use-pages.ts';
import { Address } from '../../shared/ui/Address.tsx';
import { ErrorNote } from '../../shared/ui/ErrorNote.tsx';
import { Panel } from '../../shared/ui/Panel.tsx';
import { MorePages } from '../../shared/ui/ShowMore.tsx';
import { Dot } from '../../shared/ui/StatusBadge.tsx';
import { MoneyTable } from './MoneyTable.tsx';
import { SendBack, type Deposit } from './SendBack.tsx';

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
  const [chosen, setChosen] = useState<Deposit | null>(null);
  const pages = usePages(
    'deposits',
    { limit: String(pageSize), ...(showsDust ? {} : { least: leastShown }) },
    (page) => page.deposits,
    ({ deposits }) => cursorAfter(deposits, pageSize),
  );
  const { data, rows: deposits, error, refetch } = pages;
  return (
    <Panel title="Deposits">
      <ErrorNote error={error} onRetry={() => void refetch()} />
      {data !== undefined && deposits.length === 0 && (
        <Text>No deposits yet. Money that you send to the deposit address appears here.</Text>
      )}
      <Checkbox
        label={`Show deposits under ${leastShown} USDC`}
        checked={showsDust}
        onChange={({ currentTarget }) => setShowsDust(currentTarget.checked)}
      />
      {deposits.length > 0 && (
        <MoneyTable
          party="From"
          // One that was found late is older than its place in the list.
          rows={deposits
            .toSorted((a, b) => Date.parse(b.timestamp) - Date.parse(a.timestamp))
            .map((deposit) => ({
              ...deposit,
              party: (
                <>
                  <Sender from={deposit.from} /> <Back of={deposit} onSend={() => setChosen(deposit)} />
                </>
              ),
              state: <State status={deposit.status} />,
              isDone: deposit.status === 'final',
            }))}
        />
      )}
      {chosen !== null && <SendBack opened deposit={chosen} onClose={() => setChosen(null)} />}
      <MorePages of={pages} />
    </Panel>
  );
};

/** Newly minted USDC has no sender; nor has the rent of an account that somebody else had opened meanwhile. */
const notAddresses: Readonly<Record<string, string>> = {
  mint: 'Newly minted USDC',
  rent: 'Unused account rent',
};

const Sender = ({ from }: { from: string }) =>
  from in notAddresses ? <>{notAddresses[from]}</> : <Address value={from} what="sender’s address" />;

/** The way to send it back, or to the withdrawal that did. */
const Back = ({ of: { mayBeSentBack, sentBackBy }, onSend }: { of: Deposit; onSend: () => void }) => {
  if (sentBackBy !== null)
    return (
      <Anchor component={Link} href={`/activity/${sentBackBy}`} size="xs">
        Sent back
      </Anchor>
    );
  return mayBeSentBack ? (
    <Anchor component="button" type="button" size="xs" aria-haspopup="dialog" onClick={onSend}>
      Send back
    </Anchor>
  ) : null;
};

const State = ({ status }: { status: Deposit['status'] }) => {
  const { label, color, meaning } = statuses[status];
  return (
    <Dot color={color} title={meaning}>
      {label}
    </Dot>
  );
};
