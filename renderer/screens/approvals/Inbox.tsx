// The requests that wait for the owner, oldest first, and for a moment those that were just decided.
import { Stack, Text, VisuallyHidden } from '@mantine/core';
import { IconInbox } from '@tabler/icons-react';
import { useState, useLayoutEffect, useRef } from 'react';
import { useSearch } from 'wouter';
import { EmptyState } from '../../shared/ui/EmptyState.tsx';
import { Panel } from '../../shared/ui/Panel.tsx';
import type { Created } from './granted.ts';
import { Left, LeftApproval } from './Left.tsx';
import { LinkCard, type LinkRequest } from './LinkCard.tsx';
import { LoginCard, type Login } from './LoginCard.tsx';
import { RequestCard } from './RequestCard.tsx';
import { outcomeNamed, outcomeOf, type Approval } from './request.ts';
import { useCardKeys } from './use-card-keys.ts';
import { useCardFocus } from './use-card-focus.ts';

interface InboxProps {
  approvals: readonly Approval[];
  logins: readonly Login[];
  links: readonly LinkRequest[];
  /** Where new agents can be created. */
  onCreated?: (created: Created) => void;
  /** It stands on another screen, which keeps the focus and says itself when nothing waits. */
  isPart?: boolean;
  /** Some could not be read. */
  lacksSome?: boolean;
}

export type Waiting = { id: string; createdAt: string; expiresAt: string } & (
  | { kind: 'login'; login: Login }
  | { kind: 'link'; link: LinkRequest }
  | { kind: 'approval'; approval: Approval }
);

/** Oldest first, which mostly also expires first: new requests are added below and move nothing. */
const byAge = (a: Waiting, b: Waiting): number => Date.parse(a.createdAt) - Date.parse(b.createdAt);

const isPending = ({ status }: { status: string }): boolean => status === 'pending';

const itemOf = (approval: Approval): Waiting => ({
  ...approval,
  kind: 'approval',
  id: approval.approvalId,
  approval,
});

export const waitingOf = ({
  approvals,
  logins,
  links,
}: Pick<InboxProps, 'approvals' | 'logins' | 'links'>): Waiting[] =>
  [
    ...logins
      .filter(isPending)
      .map((login): Waiting => ({ ...login, kind: 'login', id: login.loginId, login })),
    ...links.filter(isPending).map((link): Waiting => ({ ...link, kind: 'link', id: link.linkId, link })),
    ...approvals.filter((approval) => isPending(approval) && approval.denyAt === null).map(itemOf),
  ].toSorted(byAge);

/** The terminal or the machine that asks. */
export const askerOf = (item: Exclude<Waiting, { kind: 'approval' }>): string =>
  item.kind === 'login'
    ? `Login of the terminal “${item.login.terminal}”`
    : `Link to the machine “${item.link.machine}”`;

export const Inbox = ({
  onCreated = () => {},
  isPart = false,
  lacksSome = false,
  ...requests
}: InboxProps) => {
  const waiting = waitingOf(requests);
  const left = useLeaving(waiting);
  const denied = requests.approvals.filter((approval) => isPending(approval) && approval.denyAt !== null);
  const leaving = [...left, ...denied.map(itemOf).filter(({ id }) => left.every((item) => item.id !== id))];
  // The lists of logins and links hold only those that wait: their cards say what was decided.
  const [decided, setDecided] = useState<Readonly<Record<string, 'granted' | 'denied'>>>({});
  const decide = (id: string) => (outcome: 'granted' | 'denied') =>
    setDecided((before) => ({ ...before, [id]: outcome }));
  const arrangement = waiting.map(({ id }) => id).join();
  const at = new URLSearchParams(useSearch()).get('request') ?? '';
  const isGone = useGone(at, waiting, !isPart && !lacksSome);
  const { list, onFocus } = useCardFocus(arrangement, isPart ? null : at);
  const pressed = useCardKeys(list);
  const nowOf = ({ approvalId, ...before }: Approval): Approval =>
    requests.approvals.find((approval) => approval.approvalId === approvalId) ?? { approvalId, ...before };
  const outcomeNow = (item: Waiting) =>
    item.kind === 'approval' ? outcomeOf(nowOf(item.approval)) : outcomeNamed(decided[item.id] ?? 'expired');

  const line = (item: Waiting) =>
    item.kind === 'approval' ? (
      <LeftApproval key={item.id} approval={nowOf(item.approval)} />
    ) : (
      <Left key={item.id} id={item.id} outcome={outcomeNow(item)}>
        {askerOf(item)}
      </Left>
    );
  const card = (item: Waiting) => {
    // A line that goes moves the cards below it, as a request does.
    const lines = leaving.map(({ id }) => id).join();
    const shared = { key: item.id, arrangement: `${arrangement} ${lines} ${pressed}` };
    switch (item.kind) {
      case 'login':
        return <LoginCard {...shared} login={item.login} onDecided={decide(item.id)} />;
      case 'link':
        return <LinkCard {...shared} link={item.link} onDecided={decide(item.id)} />;
      case 'approval':
        return <RequestCard {...shared} approval={item.approval} onCreated={onCreated} />;
    }
  };
  return (
    <Stack
      gap="md"
      // Out of the column, an empty list leaves no second gap there.
      pos={isPart && waiting.length + leaving.length === 0 ? 'absolute' : 'static'}
      ref={list}
      tabIndex={-1}
      onFocus={onFocus}
      component="section"
      aria-label="Waiting for you"
      aria-describedby={isGone ? 'gone' : undefined}
    >
      {isGone && <Gone />}
      <VisuallyHidden role="status">
        {[...leaving.map((item) => `${outcomeNow(item).label}.`), `${waiting.length} waiting for you`].join(
          ' ',
        )}
      </VisuallyHidden>
      {[...waiting, ...leaving]
        .toSorted(byAge)
        .map((item) => (leaving.includes(item) ? line(item) : card(item)))}
      {waiting.length === 0 && !isPart && <Nothing />}
    </Stack>
  );
};

const Gone = () => (
  <Text role="status" id="gone">
    That request no longer waits.
  </Text>
);

/** Whether the request that the address names waited no longer when the inbox was opened. */
const useGone = (at: string, waiting: readonly Waiting[], isWhole: boolean): boolean => {
  const isMissing = at !== '' && waiting.every(({ id }) => id !== at);
  const [wasGone] = useState(isMissing && isWhole);
  return wasGone && isMissing;
};

const Nothing = () => (
  <Panel>
    <EmptyState icon={<IconInbox size={40} />} title="Nothing is waiting for you">
      When an agent asks for something that needs your approval, it appears here and you are notified.
    </EmptyState>
  </Panel>
);

/** Requests that were decided stay for a moment, in their place, to say what became of them. */
const stayMs = 6_000;

const isNotIn =
  (items: readonly { id: string }[]) =>
  ({ id }: { id: string }): boolean =>
    items.every((item) => item.id !== id);

/** The items that were among `items` a moment ago and no longer are. */
const useLeaving = <T extends { id: string }>(items: readonly T[]): readonly T[] => {
  const [leaving, setLeaving] = useState<readonly T[]>([]);
  const before = useRef(items);
  const now = items.map(({ id }) => id).join();
  // Before the page is drawn: a place that is empty for a moment would move the cards below it twice.
  useLayoutEffect(() => {
    const gone = before.current.filter(isNotIn(items));
    before.current = items;
    // One that came back begins anew when it leaves again.
    setLeaving((others) => [...others.filter(isNotIn([...items, ...gone])), ...gone]);
    if (gone.length === 0) return;
    setTimeout(() => setLeaving((all) => all.filter((item) => !gone.includes(item))), stayMs);
  }, [now]);
  return leaving.filter(isNotIn(items));
};
