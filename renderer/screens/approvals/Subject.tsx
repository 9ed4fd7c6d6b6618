// The subject of a request, in a few words.
import { Anchor } from '@mantine/core';
import { Link } from 'wouter';
import { Amount } from '../../shared/ui/Amount.tsx';
import { kinds, type Request } from './request.ts';

export const Subject = ({ request }: { request: Request }) => {
  switch (request.kind) {
    case 'payment':
      return (
        <>
          <Amount value={request.amount} currency={request.currency} /> to{' '}
          <Anchor component={Link} href={`/activity/${request.paymentId}`} inherit>
            {request.serviceName}
          </Anchor>
        </>
      );
    case 'allocate':
      return (
        <>
          <Amount value={request.amount} currency={request.currency} /> from the treasury
        </>
      );
    case 'deploy':
      return <>new agent {request.newAgentId}</>;
    default:
      return <>{kinds[request.kind].toLowerCase()}</>;
  }
};
