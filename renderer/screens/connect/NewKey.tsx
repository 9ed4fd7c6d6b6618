// An agent's new API key, shown once, with the configuration that contains it.
import { Alert, Stack, Text } from '@mantine/core';
import { IconKey } from '@tabler/icons-react';
import { McpConfiguration } from './McpConfiguration.tsx';
import type { McpConfig } from './mcp-hosts.ts';

export const NewKey = ({ config }: { config: McpConfig }) => (
  <Stack gap="md">
    <Alert color="yellow" icon={<IconKey aria-hidden />} title="This key is shown only once">
      <Text size="sm" c="var(--mantine-color-text)">
        Copy it into the program that runs this agent before you close this. If you lose it, just add another
        key.
      </Text>
    </Alert>
    <McpConfiguration config={config} />
  </Stack>
);
