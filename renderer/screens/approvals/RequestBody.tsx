// What a request is for, in full: this, and nothing else, is what is approved.
import { DataList, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { Amount } from '../../shared/Amount.tsx';
import { PaymentRequest } from './PaymentRequest.tsx';
import { PolicyRequest } from './PolicyRequest.tsx';
import type { Approval, Request } from './request.ts';

interface RequestBodyProps {
  request: Request;
  budget: Approval['budget'];
}

export const RequestBody = ({ request, budget }: RequestBodyProps): ReactNode => {
  switch (request.kind) {
    case 'payment':
      return <PaymentRequest request={request} budget={budget} />;
    case 'policy':
      return <PolicyRequest changes={request.changes} />;
    case 'allocate':
      return (
        <Text>
          <Amount value={request.amount} currency={request.currency} fz={28} fw={650} /> would move from the
          treasury to the agent. Its limits stay as they are.
        </Text>
      );
    case 'deploy':
      return <NewAgent {...request} />;
    case 'resume':
      return <Text>You paused this agent. It would pay again, within its policy.</Text>;
  }
};

const NewAgent = ({
  newAgentId,
  displayName,
  dailyBudget,
  maxPerPayment,
}: Extract<Request, { kind: 'deploy' }>) => (
  <>
    <Text size="sm" c="dimmed">
      You get the new agent’s key, once, when you approve. The agent that asks does not.
    </Text>
    <DataList size="sm" gap="xs" labelWidth={140}>
      <Item label="Name">{displayName}</Item>
      <Item label="Id">{newAgentId}</Item>
      <Item label="Daily budget">
        <Amount value={dailyBudget} />
      </Item>
      <Item label="Most per payment">
        <Amount value={maxPerPayment} />
      </Item>
    </DataList>
  </>
);

const Item = ({ label, children }: { label: string; children: ReactNode }) => (
  <DataList.Item>
    <DataList.ItemLabel>{label}</DataList.ItemLabel>
    <DataList.ItemValue className="break-anywhere">{children}</DataList.ItemValue>
  </DataList.Item>
);
