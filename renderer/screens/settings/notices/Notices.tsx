// Notices: the channels on which the owner is notified, and the notices that were sent.
import { Button, Group, SimpleGrid, Text } from '@mantine/core';
import { ErrorNote } from '../../../shared/ui/ErrorNote.tsx';
import { Panel } from '../../../shared/ui/Panel.tsx';
import { changedBy, useOwner } from '../../../stores/queries.ts';
import { AddChannel } from './AddChannel.tsx';
import { ChannelCard } from './ChannelCard.tsx';
import { History } from './History.tsx';
import { KindTable } from './KindTable.tsx';
import { useState } from 'react';
import { ask } from '../../../api/owner.ts';
import { fieldErrors } from '../../../shared/field-errors.ts';
import { MoneyInput } from '../../../shared/ui/MoneyInput.tsx';
import { notifyDone } from '../../../shared/notify.ts';
import { Form } from '../../../shared/ui/Form.tsx';
import { useChange } from '../../../shared/hooks/use-command.ts';

export const Notices = () => {
  const { data, error, refetch } = useOwner('listNoticeChannels');
  return (
    <>
      <ErrorNote error={error} onRetry={() => void refetch()} />
      {data !== undefined && (
        <>
          <Panel title="Channels">
            {data.channels.length === 0 ? (
              <Text>No notices are sent yet. Add a channel, then choose what it gets.</Text>
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

/** The balance below which an agent's wallet is low. */
const LowBalance = ({ kept }: { kept: string | null }) => {
  const [amount, setAmount] = useState(kept ?? '');
  const set = useChange(changedBy.notices, async () => {
    const text = amount.trim();
    const { lowBalance } = await ask('setLowBalance', { body: { lowBalance: text === '' ? null : text } });
    notifyDone(
      lowBalance === null
        ? 'Low-balance notices are off.'
        : `You are notified when an agent holds less than ${lowBalance} USDC.`,
    );
  });
  const named = fieldErrors(set.error, ['lowBalance']);
  return (
    <Panel
      title="Low balance"
      note="You get a notice when a payment leaves an agent with less than this. Leave it empty to turn this off."
    >
      <Form gap="sm" onSubmit={() => void set.run()}>
        <Group align="flex-start" gap="xs">
          <MoneyInput
            aria-label="Low balance"
            placeholder="Never"
            flex="1 1 150px"
            maw={240}
            value={amount}
            error={named?.['lowBalance']}
            onChange={(event) => setAmount(event.currentTarget.value)}
          />
          <Button type="submit" variant="default" loading={set.isBusy}>
            Save
          </Button>
        </Group>
        {named === null && <ErrorNote error={set.error} notDone="Nothing was changed." />}
      </Form>
    </Panel>
  );
};
