// Everything that waits for the owner, the gravest first: the register's conditions that the banners do not show, with what can be decided
// here.
import { Stack } from '@mantine/core';
import { useState, type ReactNode } from 'react';
import { ConditionNotice } from '../../shell/Banners.tsx';
import { chunk } from '../../shared/chunk.tsx';
import { waitingIn, type Snapshot } from '../../stores/treasury.ts';

const InPlace = chunk(() => import('../approvals/InPlace.tsx'), {
  what: 'What waits for you',
  waiting: null,
});
const AlertAnswers = chunk(() => import('../agents/AlertAnswers.tsx'), {
  what: 'The answers to an alert',
  waiting: null,
});

type Condition = Snapshot['conditions'][number];

export const ForYou = ({ snapshot }: { snapshot: Snapshot }) => {
  const shown = snapshot.conditions.filter(({ isEverywhere, code }) => !isEverywhere && code !== 'approvals');
  const waiting = waitingIn(snapshot);
  // A request that was just declined can be undone for a moment, also when nothing else waits.
  const [hasWaited, setWaited] = useState(false);
  if (waiting > 0 && !hasWaited) setWaited(true);
  if (shown.length === 0 && !hasWaited) return null;
  return (
    <Stack gap="xs" component="section" aria-label="For you">
      {hasWaited && <InPlace waiting={waiting} />}
      {shown.map((condition) => (
        <ConditionNotice key={`${condition.code} ${condition.agentId ?? ''}`} condition={condition}>
          {answersTo(condition)}
        </ConditionNotice>
      ))}
    </Stack>
  );
};

const answersTo = ({ code, agentId, tripId }: Condition): ReactNode =>
  agentId !== undefined && (code === 'agent_asks' || code === 'agent_alert') ? (
    <AlertAnswers agentId={agentId} tripId={tripId} />
  ) : undefined;
