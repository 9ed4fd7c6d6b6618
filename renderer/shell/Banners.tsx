// Warnings above every screen: stopped, locked, halted, not reachable, no network, keys that others have.
import { Anchor, Stack } from '@mantine/core';
import { IconAlertOctagon, IconGauge, IconHandStop, IconLock, IconPlugOff } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { Amount } from '../shared/ui/Amount.tsx';
import { chunk } from '../shared/chunk.tsx';
import { counted } from '../shared/format.ts';
import { isUsedUp } from '../shared/share.ts';
import { clockOf, dayAndTimeOf, whenOf } from '../shared/time.ts';
import { useFreeAgain } from '../shared/hooks/use-free-again.ts';
import { useConnection } from '../stores/connection.ts';
import { useTreasury, type Snapshot } from '../stores/treasury.ts';
import { networkBanners } from './NetworkBanners.tsx';
import { Unlock } from './Unlock.tsx';
import { Notice } from '../shared/ui/Notice.tsx';

export const Banners = () => {
  const isLost = useConnection(({ phase }) => phase === 'lost');
  const snapshot = useTreasury((state) => state.snapshot);
  if (snapshot === null) return null;
  const { frozen, freeze, halted, locked, clockDoubt, needsPassphrase, ceiling } = snapshot;
  const shown: ReactNode[] = [
    isLost && (
      <Notice
        key="lost"
        color="gray"
        icon={<IconPlugOff aria-hidden />}
        title="The treasury cannot be reached"
      >
        It may have been stopped: start it again where it ran. You’re seeing the last known state, which will
        update when the treasury is back.
      </Notice>
    ),
    ...networkBanners(snapshot, isLost),
    halted !== null && (
      <Notice
        key="halted"
        color="red"
        icon={<IconAlertOctagon aria-hidden />}
        title="The treasury has stopped"
      >
        {halted}. Nothing is paid until it is started again.
      </Notice>
    ),
    frozen && (
      <Notice key="frozen" color="red" icon={<IconHandStop aria-hidden />} title="Everything is stopped">
        <Frozen freeze={freeze} />
      </Notice>
    ),
    locked && (
      <Notice key="locked" color="yellow" icon={<IconLock aria-hidden />} title="The treasury is locked">
        <Unlock needsPassphrase={needsPassphrase} />
      </Notice>
    ),
    isOver(ceiling) && (
      <Notice
        key="ceiling"
        color="orange"
        icon={<IconGauge aria-hidden />}
        title="Your ceiling for all agents is reached"
      >
        <OverCeiling ceiling={ceiling} />
      </Notice>
    ),
    clockDoubt !== null && !frozen && (
      <Notice key="clock" color="yellow" icon={<IconAlertOctagon aria-hidden />} title="Payments are waiting">
        They wait because {clockDoubt}. Set this machine’s clock. If the clock is right, say so with Freeze
        and then Unfreeze.
      </Notice>
    ),
  ].filter(Boolean);
  return shown.length === 0 ? null : (
    <Stack gap="xs" mb="md" maw={1200} mx="auto">
      {shown}
    </Stack>
  );
};

type Ceiling = Snapshot['ceiling'];

const isOver = ({ spent, inForce: { dailyBudget } }: Ceiling): boolean =>
  dailyBudget !== null && isUsedUp(spent, dailyBudget);

const OverCeiling = ({ ceiling }: { ceiling: Ceiling }) => {
  const { spent, inForce } = ceiling;
  const { dailyBudget } = inForce;
  const until = useFreeAgain(null, true, `${spent} of ${dailyBudget}`);
  return (
    <>
      Your agents have spent <Amount value={spent} /> in 24 hours, and your ceiling is{' '}
      <Amount value={dailyBudget ?? '0'} />. No agent can pay
      {until === null ? ' until they have spent less' : <> until {whenOf(until)}</>}, unless you{' '}
      <Anchor component={Link} href="/settings" inherit underline="always">
        raise it
      </Anchor>
      .
    </>
  );
};

const Stopped = chunk(() => import('./Stopped.tsx'), {
  what: 'The list of what was stopped',
  waiting: null,
});

/** The treasury's own words for a freeze by the owner, which have no code. */
const byOwner = 'the owner pressed stop';

const Frozen = ({ freeze: { since, reason, mayStillLand } }: { freeze: Snapshot['freeze'] }) => (
  <>
    {reason === byOwner ? 'You froze everything' : 'Everything was stopped'}
    {since !== null && ` on ${dayAndTimeOf(since)}`}
    {reason !== null && reason !== byOwner && `: ${reason}`}.{' '}
    {mayStillLand.payments > 0 && (
      <>
        {counted(mayStillLand.payments, 'payment')}, <Amount value={mayStillLand.amount} />, had been signed
        before and may still go through
        {mayStillLand.until !== null && <> until about {clockOf(mayStillLand.until)}</>}.{' '}
      </>
    )}
    {since !== null && <Stopped since={since} />}
  </>
);
