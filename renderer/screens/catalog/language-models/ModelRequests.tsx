// Single requests to language models, the newest first.
import type { Reply } from '../../../../server/contract/schemas.ts';
import { ExactMoment } from '../../../shared/ExactMoment.tsx';
import { cursorAfter, usePages } from '../../../shared/hooks/use-pages.ts';
import { Amount } from '../../../shared/ui/Amount.tsx';
import { ErrorNote } from '../../../shared/ui/ErrorNote.tsx';
import { Panel } from '../../../shared/ui/Panel.tsx';
import { MorePages } from '../../../shared/ui/ShowMore.tsx';
import { known, UsageTable } from './UsageTable.tsx';

type Request = Reply<'modelUsage'>['requests'][number];

const pageSize = 10;

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
      <UsageTable
        label="Requests to language models"
        heads={['Time', 'Agent', 'Model', 'Tokens in', 'Tokens out', 'Amount']}
        rows={rows.map((request) => [
          request.requestId,
          <ExactMoment iso={request.timestamp} />,
          request.agentId,
          `${request.supplierId}/${request.modelId}`,
          request.inputTokens?.toLocaleString('en'),
          request.outputTokens?.toLocaleString('en'),
          <Cost of={request} />,
        ])}
      />
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
