// A task's facts: its agent and time, its file, its charge and its refund.
import { Anchor, DataList, Group } from '@mantine/core';
import { Link } from 'wouter';
import { Address } from '../../shared/ui/Address.tsx';
import { AgentName } from '../../shared/ui/AgentName.tsx';
import { Amount } from '../../shared/ui/Amount.tsx';
import { Fact } from '../../shared/ui/Fact.tsx';
import { ExactMoment } from '../../shared/ExactMoment.tsx';
import { bytesOf, costOf, refundOf } from './task-words.ts';
import { TaskBadge } from './TaskBadge.tsx';
import type { Task } from './filters.ts';

export const PictureFacts = ({ task }: { task: Task }) => {
  const { taskId, agentId, model, resolution, image, paymentId, refund, status } = task;
  return (
    <DataList size="sm" gap="sm" labelWidth={110}>
      <Fact label="State">
        <TaskBadge task={task} />
      </Fact>
      <Fact label="Agent">
        <AgentName agentId={agentId} />
      </Fact>
      <Fact label="Model">
        {model}, {resolution}
      </Fact>
      <Fact label="Cost">
        <Group gap="xs">
          <Amount whole value={costOf(task)} />
          {refund?.status === 'paid' && ` (${refund.amount} refunded)`}
          <Anchor component={Link} href={`/activity/${encodeURIComponent(paymentId)}`} inherit>
            View payment
          </Anchor>
        </Group>
      </Fact>
      {status === 'failed' && (
        <Fact label="Refund">
          {refund?.txSignature == null ? (
            refundOf(task)
          ) : (
            <Address value={refund.txSignature} what="refund’s signature" />
          )}
        </Fact>
      )}
      {image !== undefined && (
        <>
          <Fact label="Size">
            {image.width} × {image.height}, {bytesOf(image.bytes)}, {image.mediaType}
          </Fact>
          <Fact label="SHA-256">
            <Address value={image.sha256} what="SHA-256" whole />
          </Fact>
        </>
      )}
      <Times task={task} />
      <Fact label="ID">
        <Address value={taskId} what="ID" whole />
      </Fact>
    </DataList>
  );
};

const Times = ({ task: { createdAt, startedAt, endedAt } }: { task: Task }) =>
  Object.entries({ Requested: createdAt, Started: startedAt, Finished: endedAt }).map(
    ([label, iso]) =>
      iso !== null && (
        <Fact key={label} label={label}>
          <ExactMoment iso={iso} />
        </Fact>
      ),
  );
