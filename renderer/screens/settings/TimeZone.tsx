// The owner's time zone, by whose calendar monthly budgets count.
import { Select, Stack, Text } from '@mantine/core';
import { ask } from '../../api/owner.ts';
import { ErrorNote } from '../../shared/ui/ErrorNote.tsx';
import { notifyDone } from '../../shared/notify.ts';
import { Panel } from '../../shared/ui/Panel.tsx';
import { useChange } from '../../shared/hooks/use-command.ts';
import { useOwner } from '../../stores/queries.ts';

export const TimeZone = () => {
  const { data, error, refetch } = useOwner('getTimeZone');
  const change = useChange(['getTimeZone'], async (timeZone: string) => {
    await ask('setTimeZone', { body: { timeZone } });
    notifyDone(`Months begin and end by the clock of ${timeZone}.`);
  });
  return (
    <Panel title="Time zone" note="Monthly budgets and the hours in a policy follow this time zone.">
      <Stack gap="sm">
        <ErrorNote error={error} onRetry={() => void refetch()} />
        {data !== undefined && (
          <Select
            aria-label="Time zone"
            data={zonesWith(data.timeZone)}
            value={data.timeZone}
            onChange={(zone) => void (zone !== null && zone !== data.timeZone && change.run(zone))}
            disabled={change.isBusy}
            searchable
            allowDeselect={false}
            nothingFoundMessage="No time zone has that name."
          />
        )}
        <ErrorNote error={change.error} notDone="The time zone was not changed." />
        <Here zone={data?.timeZone} />
      </Stack>
    </Panel>
  );
};

const here = (): string => new Intl.DateTimeFormat().resolvedOptions().timeZone;

/** The zone may be an older name of one that the browser lists. */
const zonesWith = (zone: string): string[] => [
  ...new Set([...Intl.supportedValuesOf('timeZone'), 'UTC', zone]),
];

const Here = ({ zone }: { zone: string | undefined }) =>
  zone === undefined || zone === here() ? null : <Text c="dimmed">This browser is in {here()}.</Text>;
