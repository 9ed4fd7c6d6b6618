// An open link session: first the sign-in, then the choice of the machine's agent.
import { Stack, Title } from '@mantine/core';
import { useEffect, useRef, useState } from 'react';
import { ErrorNote } from '../../shared/ui/ErrorNote.tsx';
import { Loading } from '../../shared/ui/Screen.tsx';
import { useWork } from '../../shared/hooks/use-work.ts';
import type { Arrival } from './arrival.ts';
import type { LinkedAgent } from './Linked.tsx';
import { LinkForm } from './LinkForm.tsx';
import { Request } from './Request.tsx';
import { SignInWays } from './SignInWays.tsx';
import { useSignInMethods, type Link } from './use-link.ts';
import { findOwner, proveArrival, type Who } from './who.ts';

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
