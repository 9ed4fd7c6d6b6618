// The subject of a request, in a few words.
import { Anchor } from '@mantine/core';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { Amount } from '../../shared/ui/Amount.tsx';
import type { Value } from './policy-changes.ts';
import { counted } from '../../shared/format.ts';
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
    case 'policy':
      return <Change {...request} />;
    default:
      return <>{kinds[request.kind].toLowerCase()}</>;
  }
};

/** Such as `daily budget 5.00 to 8.00`, and how many more. */
const Change = ({ kind, changes: [first, ...more] }: Extract<Request, { kind: 'policy' }>) => {
  const [before, after] = [first?.before, first?.after].map(brief);
  if (first === undefined || before === undefined || after === undefined) return kinds[kind].toLowerCase();
  return (
    <>
      {first.label.toLowerCase()} {before} to {after}
      {more.length > 0 && `, and ${counted(more.length, 'more change')}`}
    </>
  );
};

/** Nothing that may be long, such as names of services. */
const brief = (value: Value | undefined): ReactNode => {
  if (value?.kind === 'amount') return <Amount whole value={value.amount} currency="" />;
  return value?.kind === 'text' && value.text.length <= 30 ? value.text : undefined;
};
