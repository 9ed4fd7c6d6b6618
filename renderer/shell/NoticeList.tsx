// The newest notices, each of which opens what it is about, and the way to all of them.
import { Menu, Text } from '@mantine/core';
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
}

export default function NoticeList({ notices, error }: NoticeListProps) {
  return (
    <>
      <div className="scrolls" style={{ maxHeight: 'min(460px, 70vh)' }}>
        <ErrorNote error={error} />
        {error === null && notices.length === 0 && (
          <Text size="sm" c="dimmed" p="sm">
            No notices yet.
          </Text>
        )}
        {notices.map((notice) => (
          <Menu.Item key={notice.noticeId} component={Link} href={placeOfNotice(notice)}>
            <Text size="sm" fw={600} className="break-anywhere">
              {notice.title}
            </Text>
            <Text size="xs" className="break-anywhere" lineClamp={2}>
              {notice.text}
            </Text>
            <Text size="xs" c="dimmed">
              <Moment iso={notice.timestamp} />
            </Text>
          </Menu.Item>
        ))}
      </div>
      <Menu.Divider />
      <Menu.Item component={Link} href={pathOfSettings('notices')}>
        All notices and where they go
      </Menu.Item>
    </>
  );
}
