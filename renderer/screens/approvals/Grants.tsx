// Standing approvals: the service that an agent may pay without asking, how much of it is used, and its expiry.
import { Button, Card, Group, Progress, SimpleGrid, Stack, Text } from '@mantine/core';
import { ask } from '../../api/owner.ts';
import type { Reply } from '../../../server/contract/schemas.ts';
import { useAgentName } from '../../shared/agent-names.ts';
import { AgentName } from '../../shared/ui/AgentName.tsx';
import { Amount } from '../../shared/ui/Amount.tsx';
import { ErrorNote } from '../../shared/ui/ErrorNote.tsx';
import { Panel } from '../../shared/ui/Panel.tsx';
import { shareOf } from '../../shared/share.ts';
import { whenOf } from '../../shared/time.ts';
import { useChange } from '../../shared/hooks/use-command.ts';
import { useNow } from '../../shared/hooks/use-now.ts';
import { useOwner } from '../../stores/queries.ts';
import { useServices } from '../agents/limits/use-services.ts';
import { Payees } from './Payees.tsx';

type Grant = Reply<'listGrants'>['grants'][number];

export const Grants = () => {
  const { data, error } = useOwner('listGrants');
  const now = useNow(30_000);
  const inForce = (data?.grants ?? []).filter(
    ({ revokedAt, until }) => revokedAt === null && Date.parse(until) > now,
  );
  const ended = (data?.grants ?? []).filter(({ endedBecause }) => endedBecause !== null);
  return (
    <Panel
      title="Standing approvals"
      note="Services that an agent can pay without asking you each time. Its limits still apply."
    >
      <ErrorNote error={error} />
      {inForce.length === 0 ? (
        <Text>None. To add one, choose “Approve and allow more” on a waiting payment.</Text>
      ) : (
        <SimpleGrid cols={{ base: 1, md: 2 }}>
          {inForce.map((grant) => (
            <GrantCard key={grant.grantId} grant={grant} />
          ))}
        </SimpleGrid>
      )}
      {ended.map(({ grantId, agentId, serviceId, endedBecause }) => (
        <Text key={grantId} className="break-anywhere">
          <AgentName agentId={agentId} /> can no longer pay <ServiceName serviceId={serviceId} /> without
          asking. {endedBecause}
        </Text>
      ))}
    </Panel>
  );
};

const useServiceName = (serviceId: string): string =>
  useServices(serviceId).names.get(serviceId) ?? serviceId;

const ServiceName = ({ serviceId }: { serviceId: string }) => useServiceName(serviceId);

const GrantCard = ({ grant }: { grant: Grant }) => {
  const { grantId, agentId, serviceId, upTo, used, until, payees } = grant;
  const service = useServiceName(serviceId);
  const name = useAgentName(agentId);
  const revoke = useChange(['listGrants'], () => ask('revokeGrant', { params: { grantId } }));
  return (
    <Card withBorder padding="md" bg="transparent">
      <Stack gap="xs">
        <Group justify="space-between" align="flex-start" gap="xs">
          <div className="beside">
            <AgentName agentId={agentId} />
            <Text className="break-anywhere">can pay {service}</Text>
          </div>
          <Button
            size="xs"
            variant="default"
            loading={revoke.isBusy}
            onClick={() => void revoke.run()}
            aria-label={`Revoke: ${name} can pay ${service}`}
          >
            Revoke
          </Button>
        </Group>
        {payees.length > 0 && <Payees payees={payees} />}
        <Progress value={shareOf(used, upTo)} aria-label={`Used: ${used} of ${upTo} USDC`} />
        <Text>
          <Amount value={used} /> of <Amount value={upTo} /> used, until {whenOf(until)}
        </Text>
        <ErrorNote error={revoke.error} notDone="It was not revoked." />
      </Stack>
    </Card>
  );
};
