// Single requests to language models, the newest first.
import { Table } from '@mantine/core';
import type { Reply } from '../../../../server/contract/schemas.ts';
import { ExactMoment } from '../../../shared/ExactMoment.tsx';
import { cursorAfter, usePages } from '../../../shared/hooks/use-pages.ts';
import { Amount } from '../../../shared/ui/Amount.tsx';
import { ErrorNote } from '../../../shared/ui/ErrorNote.tsx';
import { Panel } from '../../../shared/ui/Panel.tsx';
import { MorePages } from '../../../shared/ui/ShowMore.tsx';

type Request = Reply<'modelUsage'>['requests'][number];
type Mark = Reply<'modelUsage'>['days'][number]['mark'];

const pageSize = 10;

export const known: Record<Mark, string> = { exact: '', estimated: 'estimated', unknown: 'at its most' };

export const ModelRequests = () => {
  const pages = usePages(
    'allModelUsage',
    // The sums of one day alone: this list shows none.
    { days: '1', limit: String(pageSize) },
    (page) => page.requests,
    ({ requests }) => cursorAfter(requests, pageSize),
  );
  const { rows, error, refetch } = pages;
  if (error === null && rows.length === 0) return null;
  return (
    <Panel title="Requests" note="From the last 90 days.">
      <ErrorNote error={error} onRetry={() => void refetch()} />
      <Table.ScrollContainer minWidth={520}>
        <Table aria-label="Requests to language models">
          <Table.Thead>
            <Table.Tr>
              {['Time', 'Agent', 'Model', 'Tokens in', 'Tokens out', 'Amount'].map((head) => (
                <Table.Th key={head}>{head}</Table.Th>
              ))}
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {rows.map((request) => (
              <Table.Tr key={request.requestId}>
                <Table.Td>
                  <ExactMoment iso={request.timestamp} />
                </Table.Td>
                <Table.Td className="break-anywhere">{request.agentId}</Table.Td>
                <Table.Td className="break-anywhere">
                  {request.supplierId}/{request.modelId}
                </Table.Td>
                <Table.Td>{request.inputTokens?.toLocaleString('en')}</Table.Td>
                <Table.Td>{request.outputTokens?.toLocaleString('en')}</Table.Td>
                <Table.Td>
                  <Cost of={request} />
                </Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
      <MorePages of={pages} />
    </Panel>
  );
};

const Cost = ({ of: { status, amount, mark, bound, corrects } }: { of: Request }) => {
  if (status === 'held')
    return (
      <>
        Under way, at most <Amount value={bound} />
      </>
    );
  if (amount === null) return status === 'denied' ? 'Refused' : 'Nothing spent';
  return (
    <>
      <Amount value={amount} /> {corrects === null ? known[mark ?? 'exact'] : `corrects ${corrects}`}
    </>
  );
};
