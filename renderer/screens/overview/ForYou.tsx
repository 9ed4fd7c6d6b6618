// Everything that waits for the owner, the gravest first: the register's conditions that the banners do not show, below what can
// be decided here.
import { Anchor, Group, Stack, Text } from '@mantine/core';
import { createElement, useState } from 'react';
import { Link } from 'wouter';
import { colors, icons, wordsOf } from '../../shell/Banners.tsx';
import { chunk } from '../../shared/chunk.tsx';
import { counted } from '../../shared/format.ts';
import { Panel } from '../../shared/ui/Panel.tsx';
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
  const waiting = waitingIn(snapshot);
  // A request that was just declined can be undone for a moment, also when nothing else waits.
  const [hasWaited, setWaited] = useState(false);
  if (waiting > 0 && !hasWaited) setWaited(true);
  /** Of the requests; null until they are read. */
  const [inPlace, setInPlace] = useState<number | null>(null);
  const elsewhere = inPlace === null ? 0 : waiting - inPlace;
  const shown = snapshot.conditions.filter(
    ({ isEverywhere, code }) => !isEverywhere && (code !== 'approvals' || elsewhere > 0),
  );
  return (
    <>
      {hasWaited && <InPlace onShown={setInPlace} />}
      {shown.length > 0 && (
        <Panel title="For you">
          <Stack component="ul" gap={0} m={0} p={0}>
            {shown.map((condition) => (
              <Row
                key={`${condition.code} ${condition.agentId ?? ''}`}
                condition={
                  condition.code === 'approvals' && inPlace !== 0
                    ? { ...condition, title: waitsBeside(elsewhere), text: '' }
                    : condition
                }
              />
            ))}
          </Stack>
        </Panel>
      )}
    </>
  );
};

const waitsBeside = (count: number): string =>
  counted(count, 'more request is waiting', 'more requests are waiting');

const Row = ({ condition }: { condition: Condition }) => {
  const { severity, code, title, agentId, tripId, action } = condition;
  const answers = agentId !== undefined && (code === 'agent_asks' || code === 'agent_alert');
  return (
    <Group component="li" gap="sm" wrap="nowrap" align="flex-start" py="sm" className="divided">
      {createElement(icons[severity], {
        color: `var(--mantine-color-${colors[severity]}-text)`,
        'aria-hidden': true,
      })}
      <div className="beside">
        <Text fw={600}>{title}</Text>
        <Text c="dimmed" component="div" className="break-anywhere">
          {wordsOf(condition)}
          {answers && <AlertAnswers agentId={agentId} tripId={tripId} />}
        </Text>
      </div>
      {!answers && action !== undefined && (
        <Anchor component={Link} href={action.path} flex="none">
          {action.label}
        </Anchor>
      )}
    </Group>
  );
};
