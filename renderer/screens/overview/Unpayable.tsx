// The sellers that asked agents for what this treasury cannot pay with.
import { Group, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { demandWords } from '../../../server/contract/payments/unpayable.ts';
import type { Reply } from '../../../server/contract/schemas.ts';
import { counted } from '../../shared/format.ts';
import { Moment } from '../../shared/ui/Moment.tsx';
import { Panel } from '../../shared/ui/Panel.tsx';
import { ShowMore } from '../../shared/ui/ShowMore.tsx';

const firstShown = 5;

export default function Unpayable({ sellers }: Reply<'unpayableSellers'>) {
  const [most, setMost] = useState(firstShown);
  return (
    <Panel
      title="What you could not buy"
      note="These sellers did not ask for USDC on your network. Agents were refused, and nothing was paid."
    >
      <Stack gap="sm" component="ul" m={0} p={0} style={{ listStyle: 'none' }}>
        {sellers.slice(0, most).map((one) => (
          <Group
            key={`${one.seller} ${one.network} ${one.asset}`}
            component="li"
            justify="space-between"
            gap="xs"
          >
            <Text className="break-anywhere">
              {one.seller}: {demandWords(one)}
            </Text>
            <Text c="dimmed">
              {counted(one.times, 'request')} from {counted(one.agents, 'agent')}, the last{' '}
              <Moment iso={one.lastAt} />
            </Text>
          </Group>
        ))}
      </Stack>
      {sellers.length > most && <ShowMore isBusy={false} onMore={() => setMost(sellers.length)} />}
    </Panel>
  );
}
