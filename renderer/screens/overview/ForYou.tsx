// Everything that waits for the owner: the requests, and the register's conditions that the banners do not show, the gravest first.
import { Anchor, Box, Group, Stack, Text } from '@mantine/core';
import { createElement } from 'react';
import { Link } from 'wouter';
import { colors, icons, wordsOf } from '../../shell/Banners.tsx';
import { chunk } from '../../shared/chunk.tsx';
import { Panel } from '../../shared/ui/Panel.tsx';
import { waitingIn, type Snapshot } from '../../stores/treasury.ts';

const Requests = chunk(() => import('./Requests.tsx'), {
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
  return (
    <>
      {waitingIn(snapshot) > 0 && <Requests />}
      {shown.length > 0 && (
        <Panel title="For you">
          <Stack component="ul" gap={0} m={0} p={0}>
            {shown.map((condition) => (
              <Row key={`${condition.code} ${condition.agentId ?? ''}`} condition={condition} />
            ))}
          </Stack>
        </Panel>
      )}
    </>
  );
};

const Row = ({ condition }: { condition: Condition }) => {
  const { severity, code, title, agentId, tripId, action } = condition;
  const answers = agentId !== undefined && (code === 'agent_asks' || code === 'agent_alert');
  return (
    <Group component="li" gap="sm" wrap="nowrap" align="flex-start" py="sm" className="divided">
      {createElement(icons[severity], {
        color: `var(--mantine-color-${colors[severity]}-text)`,
        'aria-hidden': true,
      })}
      {/* On a phone the action goes below the text. */}
      <Group gap="xs" align="flex-start" flex={1}>
        <Box flex="1 1 240px" miw={0}>
          <Text fw={600}>{title}</Text>
          <Text c="dimmed" component="div" className="break-anywhere">
            {wordsOf(condition)}
            {answers && <AlertAnswers agentId={agentId} tripId={tripId} />}
          </Text>
        </Box>
        {!answers && action !== undefined && (
          <Anchor component={Link} href={action.path} flex="none">
            {action.label}
          </Anchor>
        )}
      </Group>
    </Group>
  );
};
