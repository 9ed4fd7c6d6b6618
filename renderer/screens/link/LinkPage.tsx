// The page that `treasury link` opens: the terminal's request, the check of its code, and the sign-in. It is served
// beside the dashboard and shares no connection with it.
import { IconPlugOff, IconLinkOff } from '@tabler/icons-react';
import { useRef, useState } from 'react';
import { Notice } from '../../shared/ui/Notice.tsx';
import { Loading } from '../../shared/ui/Screen.tsx';
import { Front } from '../first-run/Front.tsx';
import type { Arrival } from './arrival.ts';
import { Linked, type LinkedAgent } from './Linked.tsx';
import { Pending } from './Pending.tsx';
import { arrive } from './journey.ts';
import { isTooSoon } from './poll-pause.ts';
import { useLink, type Link } from './use-link.ts';
import { Code, Text } from '@mantine/core';

// Called once, since it removes credentials from the URL.
const arrival = arrive();

export default function LinkPage() {
  return (
    <Front title="Link a machine">
      {arrival.token === null ? (
        <Ended wasDenied={false} />
      ) : (
        <OfToken token={arrival.token} arrival={arrival} />
      )}
    </Front>
  );
}

const OfToken = ({ token, arrival: come }: { token: string; arrival: Arrival }) => {
  const { data: link, error } = useLink(token);
  const [linked, setLinked] = useState<LinkedAgent | null>(null);
  const wasDenied = useWasDenied(link);
  const isLost = error !== null && !isTooSoon(error);
  if (linked !== null || link?.status === 'complete') return <Linked agent={linked} />;
  if (link?.status === 'expired') return <Ended wasDenied={wasDenied} />;
  return (
    <>
      {isLost && (
        <Notice color="gray" icon={<IconPlugOff aria-hidden />} title="The treasury cannot be reached">
          It may have been stopped. This page keeps trying; nothing is lost.
        </Notice>
      )}
      {link !== undefined && <Pending token={token} link={link} arrival={come} onLinked={setLinked} />}
      {link === undefined && !isLost && <Loading />}
    </>
  );
};

/** The treasury reports every ended session as expired; one that ended before its deadline was denied. */
const useWasDenied = (link: Link | undefined): boolean => {
  const until = useRef<string | null>(null);
  if (link?.status === 'pending') until.current = link.expiresAt;
  return link?.status === 'expired' && until.current !== null && Date.parse(until.current) > Date.now();
};

/** A link session that is over: the reason, and the next step. */
const Ended = ({ wasDenied }: { wasDenied: boolean }) => (
  <>
    <Notice
      color={wasDenied ? 'red' : 'yellow'}
      icon={<IconLinkOff aria-hidden />}
      title={wasDenied ? 'This request was declined' : 'This link is no longer valid'}
    >
      {wasDenied
        ? 'The owner declined it in the treasury. Nothing was linked.'
        : 'A link lasts ten minutes, and works once.'}
    </Notice>
    <Text>
      {wasDenied ? 'If that was a mistake, run ' : 'Run '}
      <Code>treasury link</Code> again and open the new address.
    </Text>
  </>
);
