// The terminal's request, with the code by which people recognize the terminal in front of them.
import { Center, Stack, Text } from '@mantine/core';
import { IconClock } from '@tabler/icons-react';
import { timeLeft } from '../../shared/time-left.ts';
import { useNow } from '../../shared/hooks/use-now.ts';
import styles from './link.module.css';
import type { Link } from './use-link.ts';

export const Request = ({ link: { machine = '', code = '', expiresAt } }: { link: Link }) => (
  <Stack gap="md">
    <Text size="md">
      The machine{' '}
      <Text span inherit fw={600} className="break-anywhere">
        “{machine}”
      </Text>{' '}
      asks for an agent’s key, so that it can pay within the limits you set here.
    </Text>
    <Center className={styles['frame'] ?? ''} p="md">
      <Stack gap={4} align="center">
        <Text className={styles['code'] ?? ''} ff="monospace" fw={650} lh={1.2} size="md">
          {code}
        </Text>
        <Text fw={600} ta="center" size="md">
          Does your terminal show this code?
        </Text>
        <Text c="dimmed" ta="center">
          If it doesn’t, close this page: someone else is asking.
        </Text>
      </Stack>
    </Center>
    {expiresAt !== null && <TimeLeft until={expiresAt} />}
  </Stack>
);

const TimeLeft = ({ until }: { until: string }) => {
  const left = Math.max(0, Date.parse(until) - useNow());
  return (
    <Text c="dimmed" role="timer" className={styles['timer'] ?? ''}>
      <IconClock size={14} aria-hidden />{' '}
      {left === 0 ? 'The time to answer is up.' : `${timeLeft(left)} left to answer`}
    </Text>
  );
};
