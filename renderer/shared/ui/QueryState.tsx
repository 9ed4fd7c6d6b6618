// The state of a query: that it is being read for the first time, or that it could not be read.
import type { UseQueryResult } from '@tanstack/react-query';
import { ErrorNote } from './ErrorNote.tsx';
import { Loading } from './Screen.tsx';

interface QueryStateProps {
  of: Pick<UseQueryResult, 'isPending' | 'error' | 'refetch'>;
}

export const QueryState = ({ of: { isPending, error, refetch } }: QueryStateProps) => (
  <>
    <ErrorNote error={error} onRetry={() => void refetch()} />
    {isPending && <Loading />}
  </>
);
