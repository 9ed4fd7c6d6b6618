// The watch over an agent: the owner's choice, what it saw and did, and the owner's answer to that.
import { Badge, Button, Group, Radio, Stack, Text } from '@mantine/core';
import { IconEye } from '@tabler/icons-react';
import {
  watchModes,
  watchModeWords,
  watchRuleWords,
  type WatchMode,
} from '../../../server/contract/watch/watch.ts';
import type { Reply } from '../../../server/contract/schemas.ts';
import { ask } from '../../api/owner.ts';
import { QueryState } from '../../shared/ui/Screen.tsx';
import { Moment } from '../../shared/ui/Moment.tsx';
import { Notice } from '../../shared/ui/Notice.tsx';
import { notifyFailure } from '../../shared/notify.ts';
import { Panel } from '../../shared/ui/Panel.tsx';
import { dayOf } from '../../shared/time.ts';
import { useCommand } from '../../shared/hooks/use-command.ts';
import { useOwner } from '../../stores/queries.ts';
import { useAlertAnswers } from './use-alert-answers.ts';

type Watched = Reply<'getWatch'>;
type Trip = Watched['trips'][number];

export const Watch = ({ agentId }: { agentId: string }) => {
  const watched = useOwner('getWatch', { params: { agentId } });
  return (
    <Stack gap="lg">
      <QueryState of={watched} />
      {watched.data !== undefined && <Watching watched={watched.data} />}
    </Stack>
  );
};

const Watching = ({ watched }: { watched: Watched }) => (
  <>
    {watched.asking !== null && <Asking agentId={watched.agentId} trip={watched.asking.trip} />}
    <Panel title="When something is unusual">
      <ModeChoice agentId={watched.agentId} mode={watched.mode} />
    </Panel>
    {watched.mutes.length > 0 && <Mutes watched={watched} />}
    <Panel title="Alerts">
      {watched.trips.length === 0 ? (
        <Text c="dimmed">Nothing unusual yet.</Text>
      ) : (
        <Stack gap="md">
          {watched.trips.map((trip) => (
            <Seen key={trip.id} trip={trip} />
          ))}
        </Stack>
      )}
    </Panel>
  </>
);

const Asking = ({ agentId, trip }: { agentId: string; trip: Trip }) => {
  const { normal, usual } = useAlertAnswers(agentId);
  return (
    <Notice color="yellow" icon={<IconEye aria-hidden />} title="Each of its payments waits for you">
      <Stack gap="sm">
        <Text className="break-anywhere">{trip.sentence}</Text>
        <Group>
          <Button size="xs" loading={usual.isBusy} onClick={() => void usual.run()}>
            Back to usual
          </Button>
          <Button
            size="xs"
            variant="default"
            loading={normal.isBusy}
            onClick={() => void normal.run(trip.id)}
          >
            This is normal
          </Button>
        </Group>
      </Stack>
    </Notice>
  );
};

const ModeChoice = ({ agentId, mode }: { agentId: string; mode: WatchMode }) => {
  const choose = useCommand((wanted: WatchMode) =>
    ask('setWatch', { params: { agentId }, body: { mode: wanted } }).catch(
      notifyFailure('The watch was not changed'),
    ),
  );
  return (
    <Radio.Group
      value={mode}
      onChange={(wanted) => void choose.run(watchModes.find((one) => one === wanted) ?? mode)}
      aria-label="When something is unusual"
    >
      <Stack gap="sm">
        {watchModes.map((one) => (
          <Radio
            key={one}
            value={one}
            label={watchModeWords[one].label}
            description={watchModeWords[one].sentence}
            disabled={choose.isBusy}
          />
        ))}
      </Stack>
    </Radio.Group>
  );
};

const deeds: Record<Trip['did'], { word: string; color: string }> = {
  told: { word: 'Alerted you', color: 'gray' },
  asked: { word: 'Asked you', color: 'yellow' },
  paused: { word: 'Paused it', color: 'red' },
  ended_key: { word: 'Ended its delegated key', color: 'orange' },
};

const Seen = ({ trip }: { trip: Trip }) => {
  const { normal } = useAlertAnswers(trip.agentId);
  const { word, color } = deeds[trip.did];
  return (
    <Stack gap={4}>
      <Group gap="xs">
        <Text fw={600}>{watchRuleWords[trip.rule]}</Text>
        <Badge variant="light" color={color} tt="none">
          {word}
        </Badge>
        <Text size="xs" c="dimmed">
          <Moment iso={trip.at} />
        </Text>
      </Group>
      <Text className="break-anywhere">{trip.sentence}</Text>
      <Group>
        <Button
          size="compact-xs"
          variant="subtle"
          loading={normal.isBusy}
          onClick={() => void normal.run(trip.id)}
          aria-label={`This is normal: ${watchRuleWords[trip.rule]}`}
        >
          This is normal
        </Button>
      </Group>
    </Stack>
  );
};

const Mutes = ({ watched: { agentId, mutes } }: { watched: Watched }) => {
  const end = useCommand((rule: Watched['mutes'][number]['rule'], service: string) =>
    ask('endWatchMute', { params: { agentId }, body: { rule, service } }).catch(
      notifyFailure('The rule is still muted'),
    ),
  );
  return (
    <Panel title="Muted as normal">
      <Stack gap="sm">
        {mutes.map(({ rule, service, until }) => (
          <Group key={`${rule} ${service}`} justify="space-between">
            <Text className="break-anywhere">
              {watchRuleWords[rule]}
              {service === '' ? '' : `, ${service}`}, until {dayOf(until)}
            </Text>
            <Button
              size="compact-xs"
              variant="default"
              loading={end.isBusy}
              onClick={() => void end.run(rule, service)}
              aria-label={`Watch again: ${watchRuleWords[rule]}`}
            >
              Watch again
            </Button>
          </Group>
        ))}
      </Stack>
    </Panel>
  );
};
