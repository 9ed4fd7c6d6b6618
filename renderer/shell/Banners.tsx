// The conditions that concern every screen, above all of them: what the register says, with what can be done in place.
import { Anchor, Group, Stack } from '@mantine/core';
import { IconAlertOctagon, IconAlertTriangle, IconInfoCircle, IconPlugOff } from '@tabler/icons-react';
import { createElement, type ReactNode } from 'react';
import { Link } from 'wouter';
import { withTimes, type Severity } from '../../server/contract/conditions/facts.ts';
import { chunk } from '../shared/chunk.tsx';
import { dayAndTimeOf } from '../shared/time.ts';
import { Notice } from '../shared/ui/Notice.tsx';
import { useConnection } from '../stores/connection.ts';
import { useTreasury, type Snapshot } from '../stores/treasury.ts';
import { FreezeButton } from './FreezeButton.tsx';
import { Unlock } from './Unlock.tsx';

type Condition = Snapshot['conditions'][number];

export const colors: Record<Severity, string> = { critical: 'red', warning: 'yellow', todo: 'blue' };
export const icons = { critical: IconAlertOctagon, warning: IconAlertTriangle, todo: IconInfoCircle };

export const Banners = () => {
  const isLost = useConnection(({ phase }) => phase === 'lost');
  const snapshot = useTreasury((state) => state.snapshot);
  if (snapshot === null) return null;
  const shown = snapshot.conditions.filter(({ isEverywhere }) => isEverywhere);
  if (!isLost && shown.length === 0) return null;
  return (
    <Stack gap="xs" mb="md" maw={1200} mx="auto">
      {isLost && (
        <Notice color="gray" icon={<IconPlugOff aria-hidden />} title="The treasury cannot be reached">
          It may have been stopped: start it again where it ran. You’re seeing the last known state, which
          will update when the treasury is back.
        </Notice>
      )}
      {shown.map((condition) => (
        <ConditionNotice key={condition.code} condition={condition}>
          {inPlace(condition, snapshot)}
        </ConditionNotice>
      ))}
    </Stack>
  );
};

export const wordsOf = ({ text }: Pick<Condition, 'text'>): string => withTimes(text, dayAndTimeOf);

interface ConditionNoticeProps {
  condition: Condition;
  children?: ReactNode;
}

/** One condition, with its action as a link unless something stands in its place. */
export const ConditionNotice = ({
  condition: { severity, title, text, action },
  children,
}: ConditionNoticeProps) => (
  <Notice
    color={colors[severity]}
    icon={createElement(icons[severity], { 'aria-hidden': true })}
    title={title}
  >
    <span className="break-anywhere">{wordsOf({ text })}</span>{' '}
    {children ??
      (action !== undefined && (
        <Anchor component={Link} href={action.path} inherit underline="always">
          {action.label}
        </Anchor>
      ))}
  </Notice>
);

const Stopped = chunk(() => import('./Stopped.tsx'), {
  what: 'The list of what was stopped',
  waiting: null,
});

/** What is done in the banner itself. */
const inPlace = ({ code }: Condition, { freeze, needsPassphrase }: Snapshot): ReactNode => {
  if (code === 'locked') return <Unlock needsPassphrase={needsPassphrase} />;
  if (code === 'frozen')
    return (
      <>
        {freeze.since !== null && <Stopped since={freeze.since} />}
        <Group mt="sm">
          <FreezeButton />
        </Group>
      </>
    );
  return undefined;
};
