// The MCP configuration of one agent, ready to paste into its host. It contains the agent's API key, so it is built
// from data that the screen already holds, and stored nowhere.
import { Code, Group, Stack, Tabs, Text } from '@mantine/core';
import { CopyButton } from '../../shared/CopyButton.tsx';
import { mcpHosts, type McpConfig, type McpHost } from './mcp-hosts.ts';

export const McpConfiguration = ({ config }: { config: McpConfig }) => (
  <Tabs defaultValue={mcpHosts[0]?.id ?? null} variant="pills" keepMounted={false} autoContrast>
    <Tabs.List aria-label="Program that runs the agent">
      {mcpHosts.map(({ id, name }) => (
        <Tabs.Tab key={id} value={id} px="sm" py={6}>
          {name}
        </Tabs.Tab>
      ))}
    </Tabs.List>
    {mcpHosts.map((host) => (
      <Tabs.Panel key={host.id} value={host.id} pt="sm">
        <HostText host={host} text={host.text(config)} />
      </Tabs.Panel>
    ))}
  </Tabs>
);

const HostText = ({ host: { name, place, note }, text }: { host: McpHost; text: string }) => (
  <Stack gap="xs">
    <Group justify="space-between" gap="xs">
      <Text size="sm">{place === 'terminal' ? 'Run this in a terminal.' : <Place place={place} />}</Text>
      <CopyButton text={text} what={`the configuration for ${name}`} label="Copy" secret />
    </Group>
    <Code
      block
      tabIndex={0}
      role="region"
      aria-label={`Configuration for ${name}`}
      mah={320}
      className="scrolls"
    >
      {text}
    </Code>
    {note !== undefined && (
      <Text size="xs" c="dimmed">
        {note}
      </Text>
    )}
  </Stack>
);

const Place = ({ place }: { place: string }) =>
  /[./]/.test(place) ? (
    <>
      Goes into <Code>{place}</Code>
    </>
  ) : (
    <>For {place}.</>
  );
