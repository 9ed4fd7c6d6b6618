// Past decisions, folded.
import { Accordion, Badge, Group, Stack, Text } from '@mantine/core';
import { AgentName } from '../../shared/ui/AgentName.tsx';
import { Moment } from '../../shared/ui/Moment.tsx';
import { outcomeOf, requestOf, type Approval } from './request.ts';
import { Subject } from './Subject.tsx';

export const Decided = ({ approvals }: { approvals: readonly Approval[] }) => (
  <Accordion variant="contained" order={2}>
    <Accordion.Item value="decided" bg="var(--card)">
      <Accordion.Control>
        <Text span fw={600} size="md">
          Past decisions
        </Text>{' '}
        <Text span c="dimmed" size="md">
          ({approvals.length})
        </Text>
      </Accordion.Control>
      <Accordion.Panel>
        <Stack gap="sm" component="ul" p={0} m={0}>
          {approvals.map((approval) => (
            <Line key={approval.approvalId} approval={approval} />
          ))}
        </Stack>
      </Accordion.Panel>
    </Accordion.Item>
  </Accordion>
);

const Line = ({ approval }: { approval: Approval }) => {
  const request = requestOf(approval);
  const { label, color } = outcomeOf(approval);
  return (
    <Group component="li" justify="space-between" gap="xs" wrap="nowrap" align="flex-start">
      <Text>
        <AgentName agentId={approval.agentId} />: <Subject request={request} />
        <Text span display="block" size="xs" c="dimmed">
          <Moment iso={approval.decidedAt ?? approval.createdAt} />
        </Text>
      </Text>
      <Badge variant="dot" color={color} tt="none" fw={600} flex="none">
        {label}
      </Badge>
    </Group>
  );
};
