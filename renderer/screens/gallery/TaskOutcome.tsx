// Explains a missing picture: not ready yet, or failed, and what became of the money.
import { Anchor, Stack, Text } from '@mantine/core';
import { IconPhotoOff } from '@tabler/icons-react';
import { Link } from 'wouter';
import { Notice } from '../../shared/Notice.tsx';
import styles from './gallery.module.css';
import { Spinner } from './Spinner.tsx';
import { refundOf } from './task-words.ts';
import type { Task } from './filters.ts';

export const TaskOutcome = ({ task }: { task: Task }) => {
  const { failure, approvalId, status } = task;
  if (failure !== undefined)
    return (
      <Notice color="red" icon={<IconPhotoOff aria-hidden />} title="This picture could not be made">
        <span className="break-anywhere">{failure.message}</span> {refundOf(task)}
      </Notice>
    );
  return (
    <div className={styles['whole']}>
      <Stack align="center" gap="xs" role="status">
        <Spinner size={40} />
        {approvalId === undefined ? (
          <Text size="sm">
            {status === 'queued' ? 'It is next in the queue.' : 'The provider is working on it.'}
          </Text>
        ) : (
          <Text size="sm">
            It needs your approval.{' '}
            <Anchor component={Link} href="/approvals" inherit>
              Decide now
            </Anchor>
          </Text>
        )}
      </Stack>
    </div>
  );
};
