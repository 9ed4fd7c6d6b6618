// One request to the owner: the agent, what it asks for, its deadline, and the answers.
import { Group, Stack, Title } from '@mantine/core';
import { IconCheck, IconChecks, IconEyeOff } from '@tabler/icons-react';
import { useState, type ReactNode } from 'react';
import { ask } from '../../api/owner.ts';
import { useAgentName } from '../../shared/agent-names.ts';
import { AgentName } from '../../shared/ui/AgentName.tsx';
import { AgentsWords } from '../../shared/ui/Quote.tsx';
import { ErrorNote } from '../../shared/ui/ErrorNote.tsx';
import { confirmRaises } from '../../shared/ui/confirm-raises.tsx';
import { useCommand } from '../../shared/hooks/use-command.ts';
import { ArmedButton } from './ArmedButton.tsx';
import { Deadline } from './Deadline.tsx';
import { DenyButton } from './DenyButton.tsx';
import { PauseAgent } from '../agents/nodes/StopNode.tsx';
import { allSafeguards } from '../agents/new/new-agent.ts';
import { Safeguards } from '../agents/new/Safeguards.tsx';
import { announceGrant, type Created } from './granted.ts';
import { raisesIn } from './policy-changes.ts';
import { PhoneAnswer } from './PhoneAnswer.tsx';
import { RequestBody } from './RequestBody.tsx';
import { RequestFrame, titleOf } from './RequestFrame.tsx';
import { asks, requestOf, wordsOf, type Approval, type Request } from './request.ts';
import { StandingForm, type Standing } from './StandingForm.tsx';
import { useArmed } from './use-armed.ts';

interface RequestCardProps {
  approval: Approval;
  /** Changes whenever another request may have moved under the pointer. */
  arrangement: string;
  onCreated: (created: Created) => void;
}

/** How long a denial can be undone. The treasury itself carries it out, also when this page is closed. */
const undoMs = 6_000;

interface AnswerOptions {
  askBefore: typeof allSafeguards;
  onCreated: (created: Created) => void;
}

const useAnswers = (
  { approvalId, agentId, hash, shown }: Approval,
  request: Request,
  { askBefore, onCreated }: AnswerOptions,
) => {
  const agentName = useAgentName(agentId);
  const deny = useCommand(() => ask('denyApproval', { params: { approvalId }, body: { afterMs: undoMs } }));
  const grant = useCommand(async (standing?: Standing) => {
    const reply = await ask('grantApproval', {
      params: { approvalId },
      body: {
        hash,
        ...(standing === undefined ? {} : { standing }),
        ...(request.kind === 'deploy' ? { askBefore: [...askBefore] } : {}),
      },
    });
    await announceGrant(reply, agentName);
    if (reply.created !== undefined && request.kind === 'deploy')
      onCreated({ agentId: request.newAgentId, ...reply.created });
    return reply;
  });
  /** Approves it, and mutes the alert that made it wait, unless that alert was cleared meanwhile. */
  const grantAsNormal = useCommand(async () => {
    if ((await grant.run())?.status !== 'granted') return;
    const { asking } = await ask('getWatch', { params: { agentId } });
    if (asking === null || asking.trip.sentence !== shown['watch']) return;
    await ask('watchNormal', { params: { agentId }, body: { tripId: asking.trip.id } });
  });
  return { deny, grant, grantAsNormal };
};

export const RequestCard = ({ approval, arrangement, onCreated }: RequestCardProps) => {
  const { approvalId, agentId, hash } = approval;
  const request = requestOf(approval);
  const [isExtended, setExtended] = useState(false);
  const [askBefore, setAskBefore] = useState(allSafeguards);
  const isArmed = useArmed(`${hash} ${arrangement} ${isExtended}`);
  const { deny, grant, grantAsNormal } = useAnswers(approval, request, { askBefore, onCreated });
  const isBusy = deny.isBusy || grant.isBusy || grantAsNormal.isBusy;
  const raises = request.kind === 'policy' ? raisesIn(request.changes) : [];
  const refuse = (
    <DenyButton isArmed={isArmed && !isBusy} isBusy={deny.isBusy} onDeny={() => void deny.run()} />
  );
  return (
    <RequestFrame requestId={approvalId}>
      <Stack gap="md">
        <Group justify="space-between" align="flex-start" gap="sm">
          <Title order={2} size="h4" fw={400} id={titleOf(approvalId)} tabIndex={-1}>
            <AgentName agentId={agentId} withId /> {asks[request.kind]}
          </Title>
          <Deadline createdAt={approval.createdAt} expiresAt={approval.expiresAt} />
        </Group>
        <RequestBody approval={approval} request={request} />
        {request.kind === 'deploy' && <Safeguards value={askBefore} onChange={setAskBefore} />}
        <AgentsWords {...wordsOf(approval)} />
        <ErrorNote error={deny.error ?? grant.error} notDone="Nothing was decided." />
        <ErrorNote error={grantAsNormal.error} notDone="The alert is not muted." />
        {isExtended && request.kind === 'payment' ? (
          <StandingForm
            serviceName={request.serviceName}
            payees={request.payees}
            isArmed={isArmed}
            isBusy={grant.isBusy}
            onApprove={(standing) => void grant.run(standing)}
            onCancel={() => setExtended(false)}
            deny={refuse}
          />
        ) : (
          <Answers
            kind={request.kind}
            isArmed={isArmed && !isBusy}
            isApproving={grant.isBusy}
            deny={refuse}
            onApprove={() => confirmRaises(raises, () => void grant.run())}
            further={
              request.kind === 'payment' && (
                <FurtherAnswers
                  agentId={agentId}
                  isHeldByWatch={request.isHeldByWatch}
                  isArmed={isArmed && !isBusy}
                  isBusy={grantAsNormal.isBusy}
                  onNormal={() => void grantAsNormal.run()}
                  onExtend={() => setExtended(true)}
                />
              )
            }
          />
        )}
        <PhoneAnswer approvalId={approvalId} />
      </Stack>
    </RequestFrame>
  );
};

interface AnswersProps {
  kind: Request['kind'];
  isArmed: boolean;
  isApproving: boolean;
  deny: ReactNode;
  onApprove: () => void;
  /** Answers that say more than yes or no to this request. */
  further: ReactNode;
}

const Answers = ({ kind, isArmed, isApproving, deny, onApprove, further }: AnswersProps) => (
  <Group gap="xs">
    {deny}
    <ArmedButton
      variant="filled"
      at="a"
      isArmed={isArmed}
      loading={isApproving}
      icon={<IconCheck size={16} aria-hidden />}
      onClick={onApprove}
    >
      {kind === 'payment' ? 'Approve once' : 'Approve'}
    </ArmedButton>
    {further}
  </Group>
);

interface FurtherAnswersProps {
  agentId: string;
  isHeldByWatch: boolean;
  isArmed: boolean;
  isBusy: boolean;
  onNormal: () => void;
  onExtend: () => void;
}

const FurtherAnswers = (props: FurtherAnswersProps) => {
  const { agentId, isHeldByWatch, isArmed, isBusy, onNormal, onExtend } = props;
  const look = { variant: 'subtle', color: 'gray', isArmed } as const;
  // A standing approval serves no payment that the watch holds.
  if (!isHeldByWatch)
    return (
      <ArmedButton {...look} icon={<IconChecks size={16} aria-hidden />} onClick={onExtend}>
        Approve and allow more…
      </ArmedButton>
    );
  return (
    <>
      <ArmedButton {...look} loading={isBusy} icon={<IconEyeOff size={16} aria-hidden />} onClick={onNormal}>
        Approve: this is normal (30 days)
      </ArmedButton>
      <PauseAgent agent={{ agentId, status: 'active' }} disabled={!isArmed} />
    </>
  );
};
