// Ways to connect a program to one agent: its MCP host, or code of the owner's own. The texts contain the agent's API key,
// so they are built from data that the screen already holds, and stored nowhere.
import { Code, Group, Stack, Tabs, Text } from '@mantine/core';
import { useConnection } from '../../stores/connection.ts';
import { useTreasury } from '../../stores/treasury.ts';
import { CodeBlock, CopyButton } from '../../shared/ui/CopyButton.tsx';
import { Fold } from '../../shared/ui/Fold.tsx';
import { Install } from './Install.tsx';
import { anyHost, mcpHosts, type McpConfig, type McpHost } from './mcp-hosts.ts';
import { languages, type Language, type Purchase } from './programs.ts';

export const McpConfiguration = ({ agentId, config }: { agentId: string; config: McpConfig }) => {
  const purchase = usePurchase(agentId, config);
  return (
    <Tabs defaultValue={mcpHosts[0]?.id ?? null} variant="pills" keepMounted={false} autoContrast>
      <Tabs.List aria-label="Program that runs the agent">
        {[...mcpHosts, ...languages].map(({ id, name }) => (
          <Tabs.Tab key={id} value={id} px="sm" py={6}>
            {name}
          </Tabs.Tab>
        ))}
      </Tabs.List>
      {mcpHosts.map((host) => (
        <Tabs.Panel key={host.id} value={host.id} pt="sm">
          <Host host={host} agentId={agentId} text={host.text(config)} />
        </Tabs.Panel>
      ))}
      {languages.map((language) => (
        <Tabs.Panel key={language.id} value={language.id} pt="sm">
          <Program language={language} purchase={purchase} />
        </Tabs.Panel>
      ))}
    </Tabs>
  );
};

/** In the desktop the page has an origin of its own. */
const usePurchase = (agentId: string, { env }: McpConfig): Purchase => {
  const port = useConnection(({ desktop }) => desktop?.port);
  const isSandbox = useTreasury(({ snapshot }) => snapshot?.network === 'sandbox');
  const treasury = port === undefined ? location.origin : `http://127.0.0.1:${port}`;
  return {
    agentId,
    owner: env['TREASURY_OWNER'] ?? '',
    apiKey: env['TREASURY_API_KEY'] ?? '',
    treasury,
    url: isSandbox ? `${treasury}/sandbox/weather?city=Lisbon` : 'https://api.example/a-paid-address',
  };
};

const Host = ({ host, agentId, text }: { host: McpHost; agentId: string; text: string }) =>
  host.id === anyHost ? (
    <HostText host={host} text={text} />
  ) : (
    <Stack gap="sm">
      <Install host={host} agentId={agentId} />
      <Fold label="Or paste it by hand">
        <HostText host={host} text={text} />
      </Fold>
    </Stack>
  );

const HostText = ({ host: { name, place, note }, text }: { host: McpHost; text: string }) => (
  <Stack gap="xs">
    <Group justify="space-between" gap="xs">
      <Text>
        <Place place={place} />
      </Text>
      <CopyButton text={text} what={`the configuration for ${name}`} label="Copy" secret />
    </Group>
    <CodeBlock label={`Configuration for ${name}`}>{text}</CodeBlock>
    {note !== undefined && (
      <Text size="xs" c="dimmed">
        {note}
      </Text>
    )}
  </Stack>
);

const Program = ({ language: { name, how, text }, purchase }: { language: Language; purchase: Purchase }) => (
  <Stack gap="xs">
    <Group justify="space-between" gap="xs">
      <Text>{how}</Text>
      <Group gap="xs">
        <CopyButton text={purchase.apiKey} what="the key" label="Copy the key" secret />
        <CopyButton text={text(purchase)} what={`the ${name} text`} label="Copy" secret />
      </Group>
    </Group>
    <CodeBlock label={`First call with ${name}`}>{text(purchase)}</CodeBlock>
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
