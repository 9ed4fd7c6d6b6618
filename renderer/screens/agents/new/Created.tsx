// The result of creating an agent: its configuration, and any problems.
import { Alert, Stack, Text } from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';
import { NewKey } from '../../connect/NewKey.tsx';
import type { CreatedAgent } from './new-agent.ts';

export const Created = ({ created: { mcpConfig, problems } }: { created: CreatedAgent }) => (
  <Stack gap="md">
    {problems.map((problem) => (
      <Alert
        key={problem}
        color="orange"
        icon={<IconAlertTriangle aria-hidden />}
        title="The agent was created, but"
        role="alert"
      >
        <Text c="var(--mantine-color-text)">{problem}</Text>
      </Alert>
    ))}
    <NewKey config={mcpConfig} />
  </Stack>
);
