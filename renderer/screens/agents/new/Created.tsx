// The result of creating an agent: its configuration, and any problems.
import { Stack } from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';
import { Notice } from '../../../shared/ui/Notice.tsx';
import { NewKey } from '../../connect/NewKey.tsx';
import type { CreatedAgent } from './new-agent.ts';

export const Created = ({ created: { mcpConfig, problems } }: { created: CreatedAgent }) => (
  <Stack gap="md">
    {problems.map((problem) => (
      <Notice
        key={problem}
        color="orange"
        icon={<IconAlertTriangle aria-hidden />}
        title="The agent was created, but"
        role="alert"
      >
        {problem}
      </Notice>
    ))}
    <NewKey config={mcpConfig} />
  </Stack>
);
