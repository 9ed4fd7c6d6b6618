// The notices that were sent, newest first, and those that could not be.
import { Button, Group, Stack, Switch, Text } from '@mantine/core';
import { useState } from 'react';
import { deliveryText } from '../../../../server/contract/notices/notices.ts';
import { ask } from '../../../api/owner.ts';
import { cursorAfter, usePages } from '../../../shared/hooks/use-pages.ts';
import { ErrorNote } from '../../../shared/ui/ErrorNote.tsx';
import { Moment } from '../../../shared/ui/Moment.tsx';
import { Panel } from '../../../shared/ui/Panel.tsx';
import { MorePages } from '../../../shared/ui/ShowMore.tsx';
import { useChange } from '../../../shared/hooks/use-command.ts';
import { changedBy } from '../../../stores/queries.ts';
import type { Notice } from './channel.ts';

const pageSize = 10;

export const History = () => {
  const [failed, setFailed] = useState(false);
  const pages = usePages(
    'listNotices',
    { limit: String(pageSize), failed: String(failed) },
    (page) => page.notices,
    ({ notices }) => cursorAfter(notices, pageSize),
  );
  const { data, rows: notices, error, refetch } = pages;
  if (!failed && error === null && notices.length === 0) return null;
  return (
    <Panel
      title="Sent notices"
      note="From the last 30 days."
      actions={
        <Switch
          size="sm"
          label="Failed only"
          checked={failed}
          onChange={(event) => setFailed(event.currentTarget.checked)}
        />
      }
    >
      <ErrorNote error={error} onRetry={() => void refetch()} />
      {data !== undefined && notices.length === 0 && <Text>Nothing failed in the last 30 days.</Text>}
      {notices.length > 0 && (
        <Stack component="ul" gap={0} p={0} m={0}>
          {notices.map((notice) => (
            <Line key={notice.noticeId} notice={notice} />
          ))}
        </Stack>
      )}
      <MorePages of={pages} />
    </Panel>
  );
};

const Line = ({ notice }: { notice: Notice }) => {
  const { noticeId, title, text, count, timestamp, deliveries } = notice;
  const retry = useChange(changedBy.notices, () => ask('retryNotice', { params: { noticeId } }));
  const isOpen = deliveries.some(({ state }) => state !== 'delivered');
  return (
    <Group component="li" className="divided" justify="space-between" gap="sm" wrap="nowrap" py="xs">
      <div>
        <Text fw={600} className="break-anywhere">
          {title}
          {count > 1 && ` (${count} times)`}
        </Text>
        <Text className="break-anywhere">{text}</Text>
        <Text size="xs" c="dimmed" className="break-anywhere">
          <Moment iso={timestamp} />
          {deliveries.map((one) => (
            <span key={one.channelId}> · {deliveryText(one)}</span>
          ))}
        </Text>
        <ErrorNote error={retry.error} notDone="It was not tried again." />
      </div>
      {isOpen && (
        <Button
          size="xs"
          variant="default"
          flex="none"
          loading={retry.isBusy}
          aria-label={`Try again: ${title}`}
          onClick={() => void retry.run()}
        >
          Try again
        </Button>
      )}
    </Group>
  );
};
