// Which kinds of notices go to which channel, as a table of boxes.
import { Checkbox, Table, Text } from '@mantine/core';
import { useState } from 'react';
import type { Reply } from '../../../../server/contract/schemas.ts';
import {
  noticeGroups,
  noticeKindNames,
  noticeKinds,
  type NoticeKind,
} from '../../../../server/contract/notices/notices.ts';
import { ask } from '../../../api/owner.ts';
import { useChange } from '../../../shared/hooks/use-command.ts';
import { ErrorNote } from '../../../shared/ui/ErrorNote.tsx';
import { changedBy, queries } from '../../../stores/queries.ts';
import type { Channel } from './channel.ts';

/** Three channels fit on a phone; a table of more scrolls. */
const [firstWidth, width] = [108, 66];

const looks = { layout: 'fixed', verticalSpacing: 6, horizontalSpacing: 4 } as const;

type Kinds = readonly NoticeKind[];

export const KindTable = ({ channels }: { channels: readonly Channel[] }) => {
  // As the owner clicked, until the treasury has it: a second click knows of the first.
  const [clicked, setClicked] = useState<ReadonlyMap<string, Kinds>>(new Map());
  const change = useChange(changedBy.notices, async ({ channelId }: Channel, next: Kinds) => {
    setClicked((before) => new Map(before).set(channelId, next));
    try {
      keep(await ask('changeNoticeChannel', { params: { channelId }, body: { kinds: [...next] } }));
    } finally {
      setClicked((latest) =>
        latest.get(channelId) === next ? new Map([...latest].filter(([id]) => id !== channelId)) : latest,
      );
    }
  });
  const wanted = (channel: Channel): Kinds => clicked.get(channel.channelId) ?? channel.kinds;
  return (
    <div className="scrolls">
      <Table {...looks} miw={firstWidth + channels.length * width}>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Notify me when</Table.Th>
            {channels.map(({ channelId, name }) => (
              <Table.Th key={channelId} className="break-anywhere" w={width} fz="xs" ta="center">
                {name}
              </Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        {Object.entries(noticeGroups).map(([group, title]) => (
          <Table.Tbody key={group}>
            <Table.Tr>
              <Table.Th colSpan={channels.length + 1} scope="rowgroup" pt="md">
                {title}
              </Table.Th>
            </Table.Tr>
            {noticeKindNames
              .filter((kind) => noticeKinds[kind].group === group)
              .map((kind) => (
                <Table.Tr key={kind}>
                  <Table.Th scope="row" fw={400}>
                    {noticeKinds[kind].label}
                    <Text size="xs" c="dimmed" visibleFrom="sm">
                      {noticeKinds[kind].when}
                    </Text>
                  </Table.Th>
                  {channels.map((channel) => (
                    <Table.Td key={channel.channelId}>
                      <Checkbox
                        size="sm"
                        display="flex"
                        style={{ justifyContent: 'center' }}
                        aria-label={`${noticeKinds[kind].label}: ${channel.name}`}
                        checked={wanted(channel).includes(kind)}
                        onChange={({ currentTarget: { checked } }) => {
                          const others = wanted(channel).filter((one) => one !== kind);
                          void change.run(channel, checked ? [...others, kind] : others);
                        }}
                      />
                    </Table.Td>
                  ))}
                </Table.Tr>
              ))}
          </Table.Tbody>
        ))}
      </Table>
      <ErrorNote error={change.error} notDone="The notices were not changed." />
    </div>
  );
};

/** Shows a changed channel at once, before the list is read again. */
export const keep = (changed: Channel): void => {
  queries.setQueryData<Reply<'listNoticeChannels'>>(
    ['listNoticeChannels', {}],
    (list) =>
      list && {
        ...list,
        channels: list.channels.map((one) => (one.channelId === changed.channelId ? changed : one)),
      },
  );
};
