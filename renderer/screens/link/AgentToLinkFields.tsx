// The agent that a machine is linked to, and its limits. For an existing agent, it asks before adding an API key.
import { SimpleGrid, Stack, Text } from '@mantine/core';
import { IconKey } from '@tabler/icons-react';
import { MoneyInput } from '../../shared/ui/MoneyInput.tsx';
import { Notice } from '../../shared/ui/Notice.tsx';
import { AgentIdInput } from '../agents/AgentIdInput.tsx';
import { Safeguards } from '../agents/new/Safeguards.tsx';
import type { Linking } from './use-linking.ts';

export const AgentToLinkFields = ({ linking: { form, taken } }: { linking: Linking }) => (
  <Stack gap="sm">
    <SimpleGrid type="container" cols={{ base: 1, '580px': 3 }} spacing="sm">
      <AgentIdInput
        label="Agent"
        description="Its ID; can’t be changed later"
        {...form.getInputProps('agentId')}
      />
      <MoneyInput label="Daily budget" description="In any 24 hours" {...form.getInputProps('dailyBudget')} />
      <MoneyInput
        label="Maximum per payment"
        description="A larger payment is refused"
        {...form.getInputProps('maxPerPayment')}
      />
    </SimpleGrid>
    {taken === null && (
      <Safeguards
        value={form.values.askBefore}
        onChange={(askBefore) => form.setFieldValue('askBefore', askBefore)}
      />
    )}
    {taken !== null && (
      <Notice color="yellow" icon={<IconKey aria-hidden />} title={`You already have an agent “${taken}”`}>
        <Text inherit className="break-anywhere">
          The machine can get another key for it: it then pays with that agent’s funds, within that agent’s
          limits. Or choose another name for a new agent.
        </Text>
      </Notice>
    )}
  </Stack>
);
