// The newest notices, behind a bell that says whether one has come since the owner last looked.
import { ActionIcon, Indicator, Popover, Tooltip } from '@mantine/core';
import { useLocalStorage } from '@mantine/hooks';
import { IconBell } from '@tabler/icons-react';
import { useState } from 'react';
import { chunk } from '../shared/chunk.tsx';
import { useOwner } from '../stores/queries.ts';
import { useTreasury } from '../stores/treasury.ts';

const shown = { query: { limit: '10' } };

const NoticeList = chunk(() => import('./NoticeList.tsx'), { what: 'The list of notices' });

export const Bell = () => {
  const [isOpen, setOpen] = useState(false);
  // The snapshot, of which every screen is drawn, comes first.
  const enabled = useTreasury(({ snapshot }) => snapshot !== null);
  const { data, error } = useOwner('listNotices', shown, { enabled });
  const [seen, setSeen] = useLocalStorage({
    key: 'notices-seen',
    defaultValue: 0,
    getInitialValueInEffect: false,
  });
  const notices = data?.notices ?? [];
  const newest = notices[0]?.cursor ?? 0;
  const isNew = newest > seen;
  return (
    <Popover
      position="bottom-end"
      width={340}
      trapFocus
      opened={isOpen}
      onChange={setOpen}
      onOpen={() => setSeen(newest)}
    >
      <Popover.Target>
        <Tooltip label="Notices" disabled={isOpen}>
          <ActionIcon
            variant="default"
            size={36}
            flex="none"
            onClick={() => setOpen(!isOpen)}
            aria-label={isNew ? 'Notices, some of them new' : 'Notices'}
          >
            <Indicator disabled={!isNew} size={8} offset={2} color="red">
              <IconBell size={18} aria-hidden />
            </Indicator>
          </ActionIcon>
        </Tooltip>
      </Popover.Target>
      <Popover.Dropdown p={0} aria-label="Newest notices">
        <NoticeList notices={notices} error={error} onOpen={() => setOpen(false)} />
      </Popover.Dropdown>
    </Popover>
  );
};
