// An agent's new API key, shown once: how to connect a program with it, and whether it has called.
import { Alert, Stack, Text } from '@mantine/core';
import { IconKey } from '@tabler/icons-react';
import { FirstCall } from './FirstCall.tsx';
import { McpConfiguration } from './McpConfiguration.tsx';
import type { McpConfig } from './mcp-hosts.ts';

export const NewKey = ({ config }: { config: McpConfig }) => {
  const agentId = config.env['TREASURY_AGENT_ID'] ?? '';
  return (
    <Stack gap="md">
      <McpConfiguration agentId={agentId} config={config} />
      <FirstCall agentId={agentId} />
      <Alert color="yellow" icon={<IconKey aria-hidden />} title="This key is shown only once">
        <Text size="sm" c="var(--mantine-color-text)">
          If you paste it by hand, do that before you close this. If you lose it, just add another key.
        </Text>
      </Alert>
    </Stack>
  );
};
