// An open link session: first the sign-in, then the choice of the machine's agent.
import { Center, Stack, Text, Title } from '@mantine/core';
import { useEffect, useRef, useState } from 'react';
import { ErrorNote } from '../../shared/ui/ErrorNote.tsx';
import { Loading } from '../../shared/ui/Screen.tsx';
import { useWork } from '../../shared/hooks/use-work.ts';
import type { Arrival } from './arrival.ts';
import type { LinkedAgent } from './Linked.tsx';
import { LinkForm } from './LinkForm.tsx';
import { SignInWays } from './SignInWays.tsx';
import { type Link, useSignInMethods } from './use-link.ts';
import { findOwner, proveArrival, type Who } from './who.ts';
import { IconClock } from '@tabler/icons-react';
import { timeLeft } from '../../shared/time-left.ts';
import { useNow } from '../../shared/hooks/use-now.ts';
import styles from './link.module.css';

interface PendingProps {
  token: string;
  link: Link;
  arrival: Arrival;
  onLinked: (agent: LinkedAgent) => void;
}

export const Pending = ({ token, link, arrival: { proof, problem }, onLinked }: PendingProps) => {
  const [who, setWho] = useState<Who | null>(null);
  const [refused, setRefused] = useState<Error | null>(problem === null ? null : new Error(problem));
  const prove = useWork(async () => {
    setWho(await (proof === null ? findOwner() : proveArrival(token, proof)));
  });
  const hasBegun = useRef(false);
  useEffect(() => {
    if (hasBegun.current) return;
    hasBegun.current = true;
    void prove.run();
  }, [prove]);
  const end = (why: Error): void => {
    setWho(null);
    setRefused(why);
  };
  return (
    <Stack gap="lg">
      <Request link={link} />
      {who !== null && <LinkForm token={token} link={link} who={who} onLinked={onLinked} onEnd={end} />}
      {who === null && prove.isBusy && <Loading />}
      {who === null && !prove.isBusy && (
        <Ways token={token} refused={refused ?? prove.error} onSignedIn={setWho} />
      )}
    </Stack>
  );
};

interface WaysProps {
  token: string;
  refused: Error | null;
  onSignedIn: (who: Who) => void;
}

const Ways = ({ token, refused, onSignedIn }: WaysProps) => {
  const { data: methods, error, refetch } = useSignInMethods(token);
  return (
    <Stack gap="sm">
      <Title order={2} size="h4">
        If it does, sign in.
      </Title>
      <ErrorNote error={refused} />
      <ErrorNote error={error} onRetry={() => void refetch()} />
      {methods !== undefined && <SignInWays token={token} methods={methods} onSignedIn={onSignedIn} />}
    </Stack>
  );
};

/** The terminal's request, with the code by which people recognize the terminal in front of them. */
const Request = ({ link: { machine = '', code = '', expiresAt } }: { link: Link }) => (
  <Stack gap="md">
    <Text size="md">
      The machine{' '}
      <Text span inherit fw={600} className="break-anywhere">
        “{machine}”
      </Text>{' '}
      asks for an agent’s key, so that it can pay within the limits you choose next.
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
          If it doesn’t, this isn’t yours: someone else is asking. Close this page, or decline it under
          Approvals in the dashboard.
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
