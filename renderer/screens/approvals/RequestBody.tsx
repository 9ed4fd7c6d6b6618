// A request in full: this, and nothing else, is what is approved.
import { DataList, Text } from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { Notice } from '../../shared/Notice.tsx';
import { useOwner } from '../../stores/queries.ts';
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
          <Amount whole value={request.amount} currency={request.currency} fz={28} fw={650} /> would move from
          the treasury to the agent. Its limits stay as they are.
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
    <Taken agentId={newAgentId} />
    <Text size="sm" c="dimmed">
      You get the new agent’s key, once, when you approve. The agent that asks does not.
    </Text>
    <DataList size="sm" gap="xs" labelWidth={140}>
      <Item label="Name">{displayName}</Item>
      <Item label="Id">{newAgentId}</Item>
      <Item label="Daily budget">
        <Amount whole value={dailyBudget} />
      </Item>
      <Item label="Most per payment">
        <Amount whole value={maxPerPayment} />
      </Item>
    </DataList>
  </>
);

/** The asking agent cannot know that the id is taken, since an agent sees no other agent. */
const Taken = ({ agentId }: { agentId: string }) => {
  const isTaken = useOwner('listAgents').data?.agents.some((agent) => agent.agentId === agentId);
  return isTaken === true ? (
    <Notice color="orange" icon={<IconAlertTriangle size={18} aria-hidden />} title="This name is taken">
      There is an agent {agentId} already, so this cannot be approved. The agent that asks is not told.
    </Notice>
  ) : null;
};

const Item = ({ label, children }: { label: string; children: ReactNode }) => (
  <DataList.Item>
    <DataList.ItemLabel>{label}</DataList.ItemLabel>
    <DataList.ItemValue className="break-anywhere">{children}</DataList.ItemValue>
  </DataList.Item>
);
