// The time left to answer a request, in words and as a shrinking bar.
import { Progress, Stack, Text } from '@mantine/core';
import { IconClock } from '@tabler/icons-react';
import { timeLeft } from '../../shared/time-left.ts';
import { useNow } from '../../shared/hooks/use-now.ts';
import styles from './approvals.module.css';

const hastyMs = 60_000;

const useLeft = (expiresAt: string): number => Math.max(0, Date.parse(expiresAt) - useNow());

export const TimeLeft = ({ expiresAt }: { expiresAt: string }) => {
  const left = useLeft(expiresAt);
  return (
    <Text role="timer" className={styles['timer']} {...(left < hastyMs ? { fw: 600 } : { c: 'dimmed' })}>
      <IconClock size={14} aria-hidden /> {left === 0 ? 'Time is up' : `${timeLeft(left)} left`}
    </Text>
  );
};

export const Deadline = ({ createdAt, expiresAt }: { createdAt: string; expiresAt: string }) => {
  const left = useLeft(expiresAt);
  const whole = Math.max(1, Date.parse(expiresAt) - Date.parse(createdAt));
  return (
    <Stack gap={4} w={{ base: '100%', xs: 150 }}>
      <TimeLeft expiresAt={expiresAt} />
      <Progress
        value={(100 * left) / whole}
        size={3}
        color={left < hastyMs ? 'orange.6' : 'gray.6'}
        aria-label="Time left to answer"
      />
    </Stack>
  );
};
