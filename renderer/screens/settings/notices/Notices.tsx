// Notices: the channels on which the owner is notified, and the notices that were sent.
import { Divider, SimpleGrid, Stack, Text } from '@mantine/core';
import { ErrorNote } from '../../../shared/ui/ErrorNote.tsx';
import { Panel } from '../../../shared/ui/Panel.tsx';
import { useOwner } from '../../../stores/queries.ts';
import { AddChannel } from './AddChannel.tsx';
import { ChannelCard } from './ChannelCard.tsx';
import { History } from './History.tsx';
import { LowBalance } from './LowBalance.tsx';

export const Notices = () => {
  const { data, error, refetch } = useOwner('listNoticeChannels');
  return (
    <Panel title="Notices" note="Where notices go, and which of them.">
      <ErrorNote error={error} onRetry={() => void refetch()} />
      {data !== undefined && (
        <>
          {data.channels.length === 0 ? (
            <Text size="sm">Notices appear on this page only. Add a channel below.</Text>
          ) : (
            <SimpleGrid cols={{ base: 1, lg: 2 }} spacing="md" component="ul" p={0} m={0}>
              {data.channels.map((channel) => (
                <ChannelCard key={channel.channelId} channel={channel} />
              ))}
            </SimpleGrid>
          )}
          <SimpleGrid cols={{ base: 1, md: 2 }} spacing="xl">
            <AddChannel
              hasMailServer={data.hasMailServer}
              present={data.channels.map(({ place }) => place.kind)}
            />
            {/* A new key remounts the form when the saved amount changes. */}
            <LowBalance key={data.lowBalance ?? 'never'} kept={data.lowBalance} />
          </SimpleGrid>
          <Divider />
          <Stack gap="sm">
            <History />
          </Stack>
        </>
      )}
    </Panel>
  );
};
