// The outcome of a decided request, in one line in its place, for a moment. Until a denial takes effect, it can be undone here.
import { Button, Card, Group, Text } from '@mantine/core';
import { IconArrowBackUp } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { ask } from '../../api/owner.ts';
import { AgentName } from '../../shared/ui/AgentName.tsx';
import { Dot } from '../../shared/ui/StatusBadge.tsx';
import { notifyFailure } from '../../shared/notify.ts';
import { useCommand } from '../../shared/hooks/use-command.ts';
import { outcomeOf, requestOf, type Approval } from './request.ts';
import { Subject } from './Subject.tsx';

interface LeftProps {
  /** The request's id. */
  id: string;
  outcome: ReturnType<typeof outcomeOf>;
  action?: ReactNode;
  children: ReactNode;
}

export const Left = ({ id, outcome, action, children }: LeftProps) => (
  <Card withBorder bg="transparent" px="lg" py="sm" data-left data-request={id}>
    <Group justify="space-between" gap="sm">
      <Dot color={outcome.color}>{outcome.label}</Dot>
      <Text className="beside break-anywhere">{children}</Text>
      {action}
    </Group>
  </Card>
);

export const LeftApproval = ({ approval }: { approval: Approval }) => (
  <Left
    id={approval.approvalId}
    outcome={outcomeOf(approval)}
    action={approval.status === 'pending' && <Undo {...approval} />}
  >
    <AgentName agentId={approval.agentId} />: <Subject request={requestOf(approval)} />
  </Left>
);

const Undo = ({ approvalId }: Pick<Approval, 'approvalId'>) => {
  const undo = useCommand(() =>
    ask('undoDenial', { params: { approvalId } }).catch(notifyFailure('It stays declined')),
  );
  return (
    <Button
      size="xs"
      variant="default"
      leftSection={<IconArrowBackUp size={14} aria-hidden />}
      loading={undo.isBusy}
      onClick={() => void undo.run()}
    >
      Undo
    </Button>
  );
};
