// Waits for an agent's first call with its new key, says what to ask it, and shows what becomes of that: what waits for the
// owner can be decided here, and the first payment ends it. It turns green by itself.
import { Alert, Anchor, Loader, Stack, Text } from '@mantine/core';
import { IconCircleCheck } from '@tabler/icons-react';
import { useState } from 'react';
import { Link } from 'wouter';
import type { Reply } from '../../../server/contract/schemas.ts';
import { useAgentName } from '../../shared/agent-names.ts';
import { Amount } from '../../shared/ui/Amount.tsx';
import { Command } from '../../shared/ui/CopyButton.tsx';
import { Moment } from '../../shared/ui/Moment.tsx';
import { useOwner } from '../../stores/queries.ts';
import { useTreasury, type Snapshot } from '../../stores/treasury.ts';
import { Inbox } from '../approvals/Inbox.tsx';

const useLastSeen = (agentId: string): string | null =>
  useTreasury(({ snapshot }) => snapshot?.agents.find((one) => one.agentId === agentId)?.lastSeenAt ?? null);

type Payment = Reply<'activity'>['entries'][number];

/** Its newest payment, if that was made since this was opened. */
const useFirstPayment = (agentId: string): Payment | undefined => {
  const [since] = useState(() => new Date().toISOString());
  const query = { agentId, kind: 'payment', status: 'confirmed', limit: '1' } as const;
  const { data } = useOwner('activity', { query }, { enabled: agentId !== '' });
  return data?.entries.find(({ timestamp }) => timestamp > since);
};

export const FirstCall = ({ agentId }: { agentId: string }) => {
  const name = useAgentName(agentId);
  const lastSeenAt = useLastSeen(agentId);
  const [before] = useState(lastSeenAt);
  const paid = useFirstPayment(agentId);
  const isConnected = lastSeenAt !== null && lastSeenAt !== before;
  return (
    <Stack gap="md">
      <Alert
        color={isConnected ? 'teal' : 'gray'}
        icon={isConnected ? <IconCircleCheck aria-hidden /> : <Loader size={18} aria-hidden />}
        title={<span role="status">{titleOf(name, isConnected, paid !== undefined)}</span>}
      >
        <Text component="div" c="var(--mantine-color-text)">
          {paid !== undefined ? (
            <Paid payment={paid} name={name} />
          ) : (
            <Stack gap="xs">
              {isConnected && lastSeenAt !== null ? (
                <div>
                  It called <Moment iso={lastSeenAt} />. Its first payment will appear here.
                </div>
              ) : (
                <div>This turns green when it calls. Ask {name} something that it has to pay for:</div>
              )}
              <Question name={name} />
            </Stack>
          )}
        </Text>
      </Alert>
      <Waiting agentId={agentId} />
    </Stack>
  );
};

const titleOf = (name: string, isConnected: boolean, hasPaid: boolean): string => {
  if (hasPaid) return `${name} has made its first payment`;
  return isConnected ? `${name} is connected` : `Waiting for ${name}’s first call …`;
};

const Paid = ({
  payment: { id, amount, currency, service, description },
  name,
}: {
  payment: Payment;
  name: string;
}) => (
  <Stack gap={4}>
    <div>
      Paid <Amount value={amount} currency={currency} fw={600} /> to {service}
      {description === '' ? '' : `: ${description}`}.{' '}
      <Anchor component={Link} href={`/activity/${encodeURIComponent(id)}`} inherit underline="always">
        See the payment
      </Anchor>
    </div>
    <div>If {name} had stopped waiting, tell it to go on.</div>
  </Stack>
);

/** The payments that this agent asks for, with the inbox's own cards. Rules and keys are decided under Approvals alone. */
const Waiting = ({ agentId }: { agentId: string }) => {
  const { data } = useOwner('listApprovals', { query: { limit: '200' } });
  const own = (data?.approvals ?? []).filter(
    (approval) => approval.agentId === agentId && approval.kind === 'payment',
  );
  return <Inbox isPart approvals={own} logins={[]} links={[]} />;
};

const Question = ({ name }: { name: string }) => {
  const network = useTreasury(({ snapshot }) => snapshot?.network);
  const question = firstQuestion(network);
  return <Command text={question} what={`the question for ${name}`} />;
};

/** The first thing to ask an agent that has just been connected. */
const firstQuestion = (network: Snapshot['network'] | undefined): string =>
  network === 'sandbox'
    ? 'What is the weather in Lisbon? Find a paid service for it with your treasury, and buy the answer.'
    : 'What can you pay for with your treasury, and within which limits?';
