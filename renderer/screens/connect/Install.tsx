// Puts an agent's entry into the configuration of its MCP host: by a button in the desktop; by a line for the terminal in
// a browser, where the key is made by the command and appears nowhere.
import { Anchor, Button, Group, Stack, Text } from '@mantine/core';
import { IconCheck, IconPlugConnected } from '@tabler/icons-react';
import { useState } from 'react';
import { Link } from 'wouter';
import type { DesktopReply } from '../../../electron/ipc/ipc.ts';
import { askDesktop } from '../../api/desktop.ts';
import { isDesktop } from '../../stores/connection.ts';
import { useOwner } from '../../stores/queries.ts';
import { counted } from '../../shared/format.ts';
import { CodeBlock, CopyButton } from '../../shared/ui/CopyButton.tsx';
import { ErrorNote } from '../../shared/ui/ErrorNote.tsx';
import { Notice } from '../../shared/ui/Notice.tsx';
import { useCommand } from '../../shared/hooks/use-command.ts';
import type { McpHost } from './mcp-hosts.ts';
import { lineOf } from '../../shared/shell.ts';
import { LoginCard } from '../approvals/LoginCard.tsx';

interface InstallProps {
  host: Pick<McpHost, 'id' | 'name'>;
  agentId: string;
}

export const Install = (props: InstallProps) =>
  isDesktop ? <InstallButton {...props} /> : <InstallLine {...props} />;

const InstallButton = ({ host, agentId }: InstallProps) => {
  const [installed, setInstalled] = useState<DesktopReply<'installMcp'> | null>(null);
  const install = useCommand(async () =>
    setInstalled(await askDesktop('installMcp', { host: host.id, agentId })),
  );
  return (
    <Stack gap="xs">
      <Group>
        <Button
          leftSection={<IconPlugConnected size={16} aria-hidden />}
          loading={install.isBusy}
          onClick={() => void install.run()}
        >
          Install into {host.name}
        </Button>
      </Group>
      <ErrorNote error={install.error} notDone="Nothing was written." />
      {installed !== null && (
        <Notice color="teal" icon={<IconCheck aria-hidden />} title={`Restart ${host.name} to use it`}>
          <span className="break-anywhere">
            Written to {installed.file}, with its own key.
            {installed.backup !== null && <> The previous file is kept as {installed.backup}.</>}
          </span>
        </Notice>
      )}
    </Stack>
  );
};

const InstallLine = ({ host, agentId }: InstallProps) => {
  const { data, error } = useOwner('about');
  const { logins, others, begin } = useLoginsSince();
  if (data === undefined) return <ErrorNote error={error} />;
  const words = [...data.terminal, 'mcp', 'install', host.id, '--agent', agentId, '--yes'];
  const line = lineOf(words, data.platform);
  return (
    <Stack gap="xs">
      <Group justify="space-between" gap="xs">
        <Text>
          Run this in a terminal of the treasury’s machine. It contains no key: it creates one and saves it in
          the settings of {host.name}.
        </Text>
        <CopyButton text={line} what={`the line for ${host.name}`} label="Copy" onCopied={begin} />
      </Group>
      <CodeBlock label={`Line that installs into ${host.name}`} onCopy={begin}>
        {line}
      </CodeBlock>
      <TerminalLogins logins={logins} others={others} />
    </Stack>
  );
};

/** A login that waited before the line was copied belongs to another terminal, perhaps a stranger's. */
const useLoginsSince = () => {
  const { data } = useOwner('listLogins');
  const waiting = (data?.logins ?? []).filter(({ status }) => status === 'pending');
  const [before, setBefore] = useState<ReadonlySet<string> | null>(null);
  const logins = before === null ? [] : waiting.filter(({ loginId }) => !before.has(loginId));
  return {
    logins,
    others: waiting.length - logins.length,
    begin: () => setBefore((known) => known ?? new Set(waiting.map(({ loginId }) => loginId))),
  };
};

type Shown = Pick<ReturnType<typeof useLoginsSince>, 'logins' | 'others'>;

/** The terminals that ask to log in since the line was copied. */
const TerminalLogins = ({ logins, others }: Shown) => {
  const arrangement = logins.map(({ loginId }) => loginId).join();
  return (
    <Stack gap="sm">
      {logins.map((login) => (
        <LoginCard key={login.loginId} login={login} arrangement={arrangement} onDecided={() => {}} />
      ))}
      {others > 0 && (
        <Text c="dimmed">
          {counted(others, 'other login waits', 'other logins wait')} under{' '}
          <Anchor component={Link} href="/approvals" inherit underline="always">
            Approvals
          </Anchor>
          .
        </Text>
      )}
    </Stack>
  );
};
