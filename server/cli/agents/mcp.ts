// `treasury mcp`: the bridge itself, the proxy before other servers, and the bridge's entry in the configuration of an MCP host.
import { command, sure, withExamples, type Add } from '../command-row.ts';
import { mcpHosts } from '../install/hosts.ts';
import { install } from '../install/install.ts';
import { addMcpProxy } from './mcp-proxy.ts';
import type { Terminal } from '../terminal.ts';

export const addMcp: Add = (program, terminal) => {
  const mcp = withExamples(program.command('mcp'), ['treasury mcp  # as the command of an MCP host'])
    .description('run the MCP server for an agent, on standard input and output')
    .action(() => bridge(terminal()));
  addInstall(mcp, terminal);
  addMcpProxy(mcp, terminal);
};

const addInstall = command('install <host>', {
  about: `write the entry into the configuration of ${mcpHosts.map(({ id }) => id).join(', ')}`,
  examples: [
    'treasury mcp install claude-code --agent scout --dry-run',
    'treasury mcp install cursor --agent scout',
    'treasury mcp install cursor --agent scout --proxy weather  # its server weather goes through the proxy',
    'treasury mcp install cursor --proxy weather --undo',
  ],
  options: {
    agent: ['id', 'the agent that gets a key; without it, the agent that this machine is linked to'],
    proxy: ['name', 'put the proxy before the server of this entry, in place of an entry of its own'],
    undo: 'put the entry that --proxy names back as it was, and revoke its API key',
    dryRun: 'show what would be done, and do nothing',
    yes: sure,
  },
  run: (terminal, { host, ...options }) => install(terminal, host, options),
});

const bridge = async ({ io, dataDir }: Terminal): Promise<void> => {
  // Loaded here only, so that no other subcommand waits for the bridge's modules.
  const { runBridge } = await import('../../mcp/run.ts');
  runBridge({ ...io.env, TREASURY_DATA: dataDir });
};
