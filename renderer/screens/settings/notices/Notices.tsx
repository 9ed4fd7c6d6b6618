// Notices: the channels on which the owner is notified, and the notices that were sent.
import { SimpleGrid, Text } from '@mantine/core';
import { ErrorNote } from '../../../shared/ui/ErrorNote.tsx';
import { Panel } from '../../../shared/ui/Panel.tsx';
import { useOwner } from '../../../stores/queries.ts';
import { AddChannel } from './AddChannel.tsx';
import { ChannelCard } from './ChannelCard.tsx';
import { History } from './History.tsx';
import { KindTable } from './KindTable.tsx';
import { LowBalance } from './LowBalance.tsx';

export const Notices = () => {
  const { data, error, refetch } = useOwner('listNoticeChannels');
  return (
    <>
      <ErrorNote error={error} onRetry={() => void refetch()} />
      {data !== undefined && (
        <>
          <Panel title="Channels" note="Where your notices are sent.">
            {data.channels.length === 0 ? (
              <Text>
                No notices are sent yet. Add a channel, then choose what goes there: approvals and logins that
                wait for you, payments and balances, and your treasury’s safety.
              </Text>
            ) : (
              <SimpleGrid cols={{ base: 1, lg: 2 }} spacing="md" component="ul" p={0} m={0}>
                {data.channels.map((channel) => (
                  <ChannelCard key={channel.channelId} channel={channel} />
                ))}
              </SimpleGrid>
            )}
            <AddChannel
              hasMailServer={data.hasMailServer}
              present={data.channels.map(({ place }) => place.kind)}
            />
          </Panel>
          {data.channels.length > 0 && (
            <Panel title="Notices" note="Choose what goes to each channel.">
              <KindTable channels={data.channels} />
            </Panel>
          )}
          {/* A new key remounts the form when the saved amount changes. */}
          <LowBalance key={data.lowBalance ?? 'never'} kept={data.lowBalance} />
          <History />
        </>
      )}
    </>
  );
};
