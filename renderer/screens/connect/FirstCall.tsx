// Waits for an agent's first call with its new key, and says what to ask it. It turns green by itself.
import { Alert, Anchor, Code, Group, Loader, Stack, Text } from '@mantine/core';
import { IconCircleCheck } from '@tabler/icons-react';
import { useState } from 'react';
import { Link } from 'wouter';
import { useTreasury, type Snapshot } from '../../stores/treasury.ts';
import { useAgentName } from '../../shared/agent-names.ts';
import { CopyButton } from '../../shared/ui/CopyButton.tsx';
import { Moment } from '../../shared/ui/Moment.tsx';

/** Its requests that wait for the owner. */
const useWaiting = (agentId: string): number =>
  useTreasury(
    ({ snapshot }) => snapshot?.agents.find((one) => one.agentId === agentId)?.pendingApprovals ?? 0,
  );

const useLastSeen = (agentId: string): string | null =>
  useTreasury(({ snapshot }) => snapshot?.agents.find((one) => one.agentId === agentId)?.lastSeenAt ?? null);

export const FirstCall = ({ agentId }: { agentId: string }) => {
  const name = useAgentName(agentId);
  const lastSeenAt = useLastSeen(agentId);
  const waiting = useWaiting(agentId);
  const [before] = useState(lastSeenAt);
  const network = useTreasury(({ snapshot }) => snapshot?.network);
  const isConnected = lastSeenAt !== null && lastSeenAt !== before;
  const question = firstQuestion(network);
  return (
    <Alert
      color={isConnected ? 'teal' : 'gray'}
      icon={isConnected ? <IconCircleCheck aria-hidden /> : <Loader size={18} aria-hidden />}
      title={
        <span role="status">
          {isConnected ? `${name} is connected` : `Waiting for ${name}’s first call …`}
        </span>
      }
    >
      <Stack gap="xs">
        <Text size="sm" c="var(--mantine-color-text)">
          {isConnected && lastSeenAt !== null ? (
            <>
              It called <Moment iso={lastSeenAt} />.
              {waiting > 0 && (
                <>
                  {' '}
                  It needs your approval:{' '}
                  <Anchor component={Link} href="/approvals" inherit underline="always">
                    Open Approvals
                  </Anchor>
                </>
              )}
            </>
          ) : (
            `This turns green when it calls. Ask ${name} something that it has to pay for:`
          )}
        </Text>
        <Group gap="xs" wrap="nowrap" align="flex-start">
          <Code className="break-anywhere">{question}</Code>
          <CopyButton text={question} what={`the question for ${name}`} />
        </Group>
      </Stack>
    </Alert>
  );
};

/** The first thing to ask an agent that has just been connected. */
const firstQuestion = (network: Snapshot['network'] | undefined): string =>
  network === 'sandbox'
    ? 'What is the weather in Lisbon? Find a paid service for it with your treasury, and buy the answer.'
    : 'What can you pay for with your treasury, and within which limits?';
