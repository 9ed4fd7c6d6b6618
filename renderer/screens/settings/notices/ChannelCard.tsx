// One channel: where it leads, what is in the way of its notices, and a test of it.
import { Alert, Badge, Button, Card, Group, Stack, Switch, Text } from '@mantine/core';
import { useState } from 'react';
import type { Reply } from '../../../../server/contract/schemas.ts';
import { entryOf, placeLine } from '../../../../server/contract/notices/channels.ts';
import { troubleText } from '../../../../server/contract/notices/notices.ts';
import { ask } from '../../../api/owner.ts';
import { ErrorNote } from '../../../shared/ui/ErrorNote.tsx';
import { AskFirst } from '../../../shared/ui/AskFirst.tsx';
import { useChange } from '../../../shared/hooks/use-command.ts';
import { changedBy, outdate } from '../../../stores/queries.ts';
import type { Channel } from './channel.ts';
import { keep } from './KindTable.tsx';

export const ChannelCard = ({ channel }: { channel: Channel }) => {
  const { channelId, name, place, trouble } = channel;
  const { label, fixed } = entryOf(place.kind);
  const retry = useChange(changedBy.notices, async () =>
    keep(await ask('retryNotices', { params: { channelId } })),
  );
  return (
    <Card component="li" withBorder padding="md" aria-label={name} style={{ listStyle: 'none' }}>
      <Stack gap="sm">
        <div>
          <Text fw={600} className="break-anywhere" size="md">
            {name}{' '}
            <Badge size="sm" variant="default" tt="none" fw={500}>
              {label}
            </Badge>
          </Text>
          <Text c="dimmed" className="break-anywhere">
            {fixed?.line ?? placeLine(place)}
          </Text>
        </div>
        {trouble !== null && (
          <div>
            <Text c="var(--mantine-color-error)" className="break-anywhere">
              {troubleText(trouble)}
            </Text>
            <Group mt="xs">
              <Button
                size="xs"
                variant="default"
                loading={retry.isBusy}
                aria-label={`Retry all: ${name}`}
                onClick={() => void retry.run()}
              >
                Retry all
              </Button>
            </Group>
          </div>
        )}
        <ErrorNote error={retry.error} notDone="Nothing was tried again." />
        <PhoneLinks channel={channel} />
        <Actions channel={channel} />
      </Stack>
    </Card>
  );
};

/** The links name whole addresses, and let a phone answer: so they go only where the owner wants them. */
const PhoneLinks = ({ channel: { channelId, hasPhoneLinks } }: { channel: Channel }) => {
  const change = useChange(changedBy.notices, async (next: boolean) =>
    keep(await ask('changeNoticeChannel', { params: { channelId }, body: { hasPhoneLinks: next } })),
  );
  return (
    <>
      <Switch
        size="xs"
        label="Send links to answer from a phone"
        description="Approval notices will include full addresses."
        checked={hasPhoneLinks}
        disabled={change.isBusy}
        onChange={(event) => void change.run(event.currentTarget.checked)}
      />
      <ErrorNote error={change.error} notDone="This was not changed." />
    </>
  );
};

const Actions = ({ channel: { channelId, name } }: { channel: Channel }) => {
  const [tested, setTested] = useState<Reply<'testNoticeChannel'> | null>(null);
  const test = useChange(changedBy.notices, async () => {
    setTested(null);
    setTested(await ask('testNoticeChannel', { params: { channelId } }));
  });
  return (
    <>
      <Group gap="xs">
        <Button size="xs" variant="default" loading={test.isBusy} onClick={() => void test.run()}>
          Send a test notice
        </Button>
        <AskFirst
          variant="outline"
          label={`Remove ${name}`}
          title={`Remove “${name}”?`}
          means="No more notices are sent there, including those that are still waiting."
          confirm="Remove"
          run={() =>
            ask('removeNoticeChannel', { params: { channelId } }).finally(() => outdate(changedBy.notices))
          }
          notDone="It was not removed"
        >
          Remove
        </AskFirst>
      </Group>
      <div role="status">
        {tested !== null && (
          <Alert color={tested.delivered ? 'teal' : 'red'} variant="light" py="xs">
            <Text className="break-anywhere">
              {tested.delivered ? 'Delivered.' : 'Not delivered.'} {tested.answer}
            </Text>
          </Alert>
        )}
      </div>
      <ErrorNote error={test.error} notDone="No test was sent." />
    </>
  );
};
