// One channel: which notices it gets, what is in their way, and a test of it.
import { Alert, Badge, Button, Card, Checkbox, Group, SimpleGrid, Stack, Switch, Text } from '@mantine/core';
import { useState } from 'react';
import type { Reply } from '../../../../server/contract/schemas.ts';
import { entryOf, placeLine } from '../../../../server/contract/notices/channels.ts';
import {
  noticeKindNames,
  noticeKinds,
  type NoticeKind,
} from '../../../../server/contract/notices/notices.ts';
import { ask } from '../../../api/owner.ts';
import { ErrorNote } from '../../../shared/ui/ErrorNote.tsx';
import { notifyFailure } from '../../../shared/notify.ts';
import { confirmFirst } from '../../../shared/ui/confirm-first.tsx';
import { useChange } from '../../../shared/hooks/use-command.ts';
import { queries, changedBy } from '../../../stores/queries.ts';
import type { Channel } from './channel.ts';

export const ChannelCard = ({ channel }: { channel: Channel }) => {
  const { name, place, trouble } = channel;
  const { label, fixed } = entryOf(place.kind);
  return (
    <Card component="li" withBorder padding="md" aria-label={name} style={{ listStyle: 'none' }}>
      <Stack gap="sm">
        <div>
          <Text fw={600} className="break-anywhere">
            {name}{' '}
            <Badge size="sm" variant="default" tt="none" fw={500}>
              {label}
            </Badge>
          </Text>
          <Text size="sm" c="dimmed" className="break-anywhere">
            {fixed?.line ?? placeLine(place)}
          </Text>
        </div>
        {trouble !== null && (
          <Text size="sm" c="var(--mantine-color-error)" className="break-anywhere">
            {trouble.waiting === 1 ? 'One notice waits' : `${trouble.waiting} notices wait`}: it could not be
            delivered. {trouble.answer}
          </Text>
        )}
        <Kinds channel={channel} />
        <PhoneLinks channel={channel} />
        <Actions channel={channel} />
      </Stack>
    </Card>
  );
};

const Kinds = ({ channel: { channelId, name, kinds } }: { channel: Channel }) => {
  // As the owner clicked, until the treasury has it: a second click knows of the first.
  const [clicked, setClicked] = useState<readonly NoticeKind[] | null>(null);
  const wanted = clicked ?? kinds;
  const change = useChange(changedBy.notices, async (next: readonly NoticeKind[]) => {
    setClicked(next);
    try {
      keep(await ask('changeNoticeChannel', { params: { channelId }, body: { kinds: [...next] } }));
    } finally {
      setClicked((latest) => (latest === next ? null : latest));
    }
  });
  return (
    <>
      <SimpleGrid cols={2} spacing="xs" verticalSpacing={6} role="group" aria-label={`Kinds for ${name}`}>
        {noticeKindNames.map((kind) => (
          <Checkbox
            key={kind}
            size="xs"
            label={noticeKinds[kind].label}
            title={`When ${noticeKinds[kind].when}`}
            checked={wanted.includes(kind)}
            onChange={(event) =>
              void change.run(
                event.currentTarget.checked ? [...wanted, kind] : wanted.filter((one) => one !== kind),
              )
            }
          />
        ))}
      </SimpleGrid>
      <ErrorNote error={change.error} notDone="The kinds were not changed." />
    </>
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

/** Shows a changed channel at once, before the list is read again. */
const keep = (changed: Channel): void => {
  queries.setQueryData<Reply<'listNoticeChannels'>>(
    ['listNoticeChannels', {}],
    (list) =>
      list && {
        ...list,
        channels: list.channels.map((one) => (one.channelId === changed.channelId ? changed : one)),
      },
  );
};

const Actions = ({ channel: { channelId, name } }: { channel: Channel }) => {
  const [tested, setTested] = useState<Reply<'testNoticeChannel'> | null>(null);
  const test = useChange(changedBy.notices, async () => {
    setTested(null);
    setTested(await ask('testNoticeChannel', { params: { channelId } }));
  });
  const remove = useChange(changedBy.notices, () =>
    ask('removeNoticeChannel', { params: { channelId } }).catch(notifyFailure('It was not removed')),
  );
  return (
    <>
      <Group gap="xs">
        <Button size="xs" variant="default" loading={test.isBusy} onClick={() => void test.run()}>
          Send a test notice
        </Button>
        <Button
          size="xs"
          variant="outline"
          color="red"
          loading={remove.isBusy}
          aria-label={`Remove ${name}`}
          onClick={() =>
            confirmFirst({
              title: `Remove “${name}”?`,
              means: removing,
              confirm: 'Remove',
              isRed: true,
              run: remove.run,
            })
          }
        >
          Remove
        </Button>
      </Group>
      <div role="status">
        {tested !== null && (
          <Alert color={tested.delivered ? 'teal' : 'red'} variant="light" py="xs">
            <Text size="sm" className="break-anywhere">
              {tested.delivered ? 'Delivered.' : 'Not delivered.'} {tested.answer}
            </Text>
          </Alert>
        )}
      </div>
      <ErrorNote error={test.error} notDone="No test was sent." />
    </>
  );
};

const removing = 'No more notices go there. Notices that wait for it are not sent.';
