// Warnings above every screen: stopped, locked, halted, not reachable.
import { Stack } from '@mantine/core';
import { IconAlertOctagon, IconHandStop, IconLock, IconPlugOff } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { Amount } from '../shared/Amount.tsx';
import { clockOf, momentOf } from '../shared/time.ts';
import { useConnection } from '../stores/connection.ts';
import { useTreasury, type Snapshot } from '../stores/treasury.ts';
import { Unlock } from './Unlock.tsx';
import { Notice } from '../shared/Notice.tsx';

export const Banners = () => {
  const isLost = useConnection(({ phase }) => phase === 'lost');
  const snapshot = useTreasury((state) => state.snapshot);
  if (snapshot === null) return null;
  const { frozen, freeze, halted, locked, clockDoubt, needsPassphrase } = snapshot;
  const shown: ReactNode[] = [
    isLost && (
      <Notice
        key="lost"
        color="gray"
        icon={<IconPlugOff aria-hidden />}
        title="The treasury cannot be reached"
      >
        What you see is how it was. It is shown anew as soon as the treasury answers.
      </Notice>
    ),
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
    clockDoubt !== null && !frozen && (
      <Notice key="clock" color="yellow" icon={<IconAlertOctagon aria-hidden />} title="Payments wait">
        They wait because {clockDoubt}. Set this machine’s clock; Freeze and Unfreeze say that it is right.
      </Notice>
    ),
  ].filter(Boolean);
  return shown.length === 0 ? null : (
    <Stack gap="xs" mb="md" maw={1200} mx="auto">
      {shown}
    </Stack>
  );
};

const Frozen = ({ freeze: { since, reason, mayStillLand } }: { freeze: Snapshot['freeze'] }) => (
  <>
    Since {since === null ? 'now' : momentOf(since)}: {reason}.{' '}
    {mayStillLand.payments > 0 && (
      <>
        {mayStillLand.payments} {mayStillLand.payments === 1 ? 'payment' : 'payments'},{' '}
        <Amount value={mayStillLand.amount} />, had been signed before and may still land
        {mayStillLand.until !== null && <> until about {clockOf(mayStillLand.until)}</>}.
      </>
    )}
  </>
);
