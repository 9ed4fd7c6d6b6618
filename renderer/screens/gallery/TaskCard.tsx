// One task in the gallery. The whole card links to its page.
import { Card, Stack, Text } from '@mantine/core';
import { memo } from 'react';
import { Link } from 'wouter';
import { useAgentName } from '../../shared/agent-names.ts';
import { Amount } from '../../shared/ui/Amount.tsx';
import { Moment } from '../../shared/ui/Moment.tsx';
import styles from './gallery.module.css';
import { costOf, refundOf } from './task-words.ts';
import { TaskBadge } from './TaskBadge.tsx';
import type { Task } from './filters.ts';
import { useIntersection } from '@mantine/hooks';
import { IconPhoto, IconPhotoOff } from '@tabler/icons-react';
import { Spinner } from './Spinner.tsx';
import { usePicture } from './use-picture.ts';

export const TaskCard = memo(function TaskCard({ task }: { task: Task }) {
  const { taskId, agentId, prompt, model, resolution, createdAt, status, failure } = task;
  const name = useAgentName(agentId);
  return (
    <Card withBorder bg="var(--card)" p={0} component="li" className={styles['card'] ?? ''}>
      <Thumbnail taskId={taskId} status={status} />
      <Stack gap={6} p={{ base: 'xs', sm: 'sm' }} align="flex-start">
        {status !== 'success' && <TaskBadge task={task} />}
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
          {model}, {resolution}
          <Text span inherit visibleFrom="sm">
            {' · '}
          </Text>
          <Amount value={costOf(task)} display={{ base: 'block', sm: 'inline' }} />
        </Text>
        <Text size="xs" c="dimmed" className="break-anywhere">
          {name} · <Moment iso={createdAt} />
        </Text>
      </Stack>
    </Card>
  );
});

/** A task's small picture, loaded when it comes near the view; a placeholder without one. */
const Thumbnail = ({ taskId, status }: Pick<Task, 'taskId' | 'status'>) => {
  const { ref, entry } = useIntersection<HTMLDivElement>({ rootMargin: '200px' });
  const isMade = status === 'success';
  const { data, error } = usePicture(taskId, 'small', isMade && (entry?.isIntersecting ?? false));
  return (
    <div ref={ref} className={styles['thumbnail']}>
      {/* An empty alt: the prompt beside it describes the picture. */}
      {data !== undefined && <img src={data.dataUrl} width={data.width} height={data.height} alt="" />}
      {data === undefined && (status === 'failed' || error !== null) && (
        <IconPhotoOff size={32} aria-hidden />
      )}
      {data === undefined && isMade && error === null && <IconPhoto size={32} aria-hidden />}
      {(status === 'queued' || status === 'generating') && <Spinner size={32} />}
    </div>
  );
};
