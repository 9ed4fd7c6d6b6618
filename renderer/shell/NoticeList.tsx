// The newest notices, each of which opens what it is about, and the way to all of them.
import { Stack, Text, UnstyledButton } from '@mantine/core';
import { Link } from 'wouter';
import { placeOfNotice } from '../../server/contract/notices/notices.ts';
import type { Reply } from '../../server/contract/schemas.ts';
import { pathOfSettings } from '../parts.ts';
import { ErrorNote } from '../shared/ui/ErrorNote.tsx';
import { Moment } from '../shared/ui/Moment.tsx';

interface NoticeListProps {
  /** Newest first. */
  notices: Reply<'listNotices'>['notices'];
  error: Error | null;
  /** One was chosen. */
  onOpen: () => void;
}

export default function NoticeList({ notices, error, onOpen }: NoticeListProps) {
  return (
    <>
      <Stack component="ul" gap={0} m={0} p={0} mah="min(460px, 70vh)" className="scrolls">
        {notices.map((notice) => (
          <li key={notice.noticeId} className="divided">
            <UnstyledButton
              component={Link}
              href={placeOfNotice(notice)}
              onClick={onOpen}
              display="block"
              px="md"
              py="xs"
            >
              <Text fw={600} className="break-anywhere">
                {notice.title}
              </Text>
              <Text size="xs" className="break-anywhere" lineClamp={2}>
                {notice.text}
              </Text>
              <Text size="xs" c="dimmed">
                <Moment iso={notice.timestamp} />
              </Text>
            </UnstyledButton>
          </li>
        ))}
      </Stack>
      <ErrorNote error={error} />
      {error === null && notices.length === 0 && (
        <Text c="dimmed" px="md" pt="sm">
          No notices yet.
        </Text>
      )}
      <UnstyledButton
        component={Link}
        href={pathOfSettings('notices')}
        onClick={onOpen}
        display="block"
        fz="sm"
        px="md"
        py="sm"
        style={{ borderTop: '1px solid var(--mantine-color-default-border)' }}
      >
        All notices, and where they go
      </UnstyledButton>
    </>
  );
}
