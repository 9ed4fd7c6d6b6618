// One task in the gallery. The whole card links to its page.
import { Card, Stack, Text } from '@mantine/core';
import { memo } from 'react';
import { Link } from 'wouter';
import { useAgentName } from '../../shared/agent-names.ts';
import { Amount } from '../../shared/Amount.tsx';
import { Moment } from '../../shared/Moment.tsx';
import styles from './gallery.module.css';
import { refundOf } from './task-words.ts';
import { TaskBadge } from './TaskBadge.tsx';
import { Thumbnail } from './Thumbnail.tsx';
import type { Task } from './filters.ts';

export const TaskCard = memo(function TaskCard({ task }: { task: Task }) {
  const { taskId, agentId, prompt, model, resolution, cost, estimatedCost, createdAt, status, failure } =
    task;
  const name = useAgentName(agentId);
  return (
    <Card withBorder bg="var(--card)" p={0} component="li" className={styles['card'] ?? ''}>
      <Thumbnail taskId={taskId} status={status} />
      <Stack gap={6} p={{ base: 'xs', sm: 'sm' }} align="flex-start">
        <TaskBadge task={task} />
        <Link
          href={`/gallery/${encodeURIComponent(agentId)}/${encodeURIComponent(taskId)}`}
          className={styles['link'] ?? ''}
        >
          {prompt}
        </Link>
        {failure !== undefined && (
          <Text size="xs" className={styles['reason'] ?? ''}>
            {failure.message} {refundOf(task)}
          </Text>
        )}
        <Text size="xs" c="dimmed" className="break-anywhere">
          {model}, {resolution} · <Amount value={cost ?? estimatedCost} />
        </Text>
        <Text size="xs" c="dimmed" className="break-anywhere">
          {name} · <Moment iso={createdAt} />
        </Text>
      </Stack>
    </Card>
  );
});
