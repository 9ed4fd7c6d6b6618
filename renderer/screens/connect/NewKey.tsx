// An agent's new API key, shown once: how to connect a program with it, and whether it has called.
import { Stack, Text } from '@mantine/core';
import { FirstCall } from './FirstCall.tsx';
import { McpConfiguration } from './McpConfiguration.tsx';
import type { McpConfig } from './mcp-hosts.ts';

export const NewKey = ({ config }: { config: McpConfig }) => {
  const agentId = config.env['TREASURY_AGENT_ID'] ?? '';
  return (
    <Stack gap="md">
      <McpConfiguration agentId={agentId} config={config} />
      <FirstCall agentId={agentId} />
      <Text size="xs" c="dimmed">
        A key that you paste by hand is shown only here, and only now. If you lose it, add another.
      </Text>
    </Stack>
  );
};
