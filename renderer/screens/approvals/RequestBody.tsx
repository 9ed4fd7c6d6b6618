// A request in full: this, and nothing else, is what is approved.
import { DataList, Text } from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { decidingFacts } from '../../../server/contract/approvals/deciding.ts';
import { Notice } from '../../shared/ui/Notice.tsx';
import { whenOf } from '../../shared/time.ts';
import { useOwner } from '../../stores/queries.ts';
import { useTreasury } from '../../stores/treasury.ts';
import { Amount } from '../../shared/ui/Amount.tsx';
import { Fact } from '../../shared/ui/Fact.tsx';
import { PaymentRequest } from './PaymentRequest.tsx';
import { PolicyRequest } from './PolicyRequest.tsx';
import type { Approval, Request } from './request.ts';

export const RequestBody = ({ approval, request }: { approval: Approval; request: Request }): ReactNode => {
  const { agentId, budget } = approval;
  const facts = decidingFacts(approval);
  switch (request.kind) {
    case 'payment':
      return <PaymentRequest request={request} facts={facts} budget={budget} />;
    case 'policy':
      return <PolicyRequest agentId={agentId} changes={request.changes} wanted={request.wanted} />;
    case 'allocate':
      return (
        <>
          <Text size="md">
            <Amount whole value={request.amount} currency={request.currency} fz={28} fw={650} /> would move
            from the treasury to the agent. Its limits stay as they are.
          </Text>
          <DataList size="sm" gap="xs" labelWidth={130}>
            {facts.map(({ label, text }) => (
              <Fact key={label} label={label}>
                {text}
              </Fact>
            ))}
          </DataList>
        </>
      );
    case 'deploy':
      return <NewAgent {...request} />;
    case 'resume':
      return <Resuming agentId={agentId} />;
    case 'standing':
      return <Standing {...request} />;
  }
};

/** An agent that the treasury or the watch stopped has the reason; without one, the owner paused it. */
const Resuming = ({ agentId }: { agentId: string }) => {
  const reason = useTreasury(
    ({ snapshot }) => snapshot?.agents.find((one) => one.agentId === agentId)?.statusReason ?? null,
  );
  return (
    <Text className="break-anywhere" size="md">
      {reason === null ? 'You paused this agent.' : `It was stopped: ${reason}.`} It would be able to pay
      again, within its limits.
    </Text>
  );
};

/** Each turn of a conversation is a request: asking for each would serve nobody. */
const Standing = (request: Extract<Request, { kind: 'standing' }>) => (
  <>
    <Text className="break-anywhere" size="md">
      Requests to <strong>{request.serviceName}</strong> would not ask you until {whenOf(request.until)}, up
      to <Amount whole value={request.amount} fw={650} /> in all. The agent’s limits still apply.
    </Text>
    <DataList size="sm" gap="xs" labelWidth={140}>
      <Fact label="Why it needs approval">{request.because}</Fact>
      <Fact label="Model">{request.model}</Fact>
      <Fact label="This request costs">
        up to <Amount whole value={request.bound} />
      </Fact>
    </DataList>
  </>
);

const NewAgent = ({
  newAgentId,
  displayName,
  dailyBudget,
  maxPerPayment,
}: Extract<Request, { kind: 'deploy' }>) => (
  <>
    <Taken agentId={newAgentId} />
    <Text c="dimmed">When you approve, you get the new agent’s key, once. The agent that asks does not.</Text>
    <DataList size="sm" gap="xs" labelWidth={140}>
      <Fact label="Name">{displayName}</Fact>
      <Fact label="ID">{newAgentId}</Fact>
      <Fact label="Daily budget">
        <Amount whole value={dailyBudget} />
      </Fact>
      <Fact label="Maximum per payment">
        <Amount whole value={maxPerPayment} />
      </Fact>
    </DataList>
  </>
);

/** The asking agent cannot know that the id is taken, since an agent sees no other agent. */
const Taken = ({ agentId }: { agentId: string }) => {
  const isTaken = useOwner('listAgents').data?.agents.some((agent) => agent.agentId === agentId);
  return isTaken === true ? (
    <Notice color="orange" icon={<IconAlertTriangle size={18} aria-hidden />} title="This name is taken">
      You already have an agent {agentId}, so this can’t be approved. The agent that asks is not told.
    </Notice>
  ) : null;
};
