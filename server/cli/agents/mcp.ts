// `treasury mcp`: the bridge itself, the proxy before other servers, and the bridge's entry in the configuration of an MCP host.
import type { Command } from 'commander';
import { mcpHosts } from '../install/hosts.ts';
import { install, type InstallOptions } from '../install/install.ts';
import { addMcpProxy } from './mcp-proxy.ts';
import type { Terminal } from '../terminal.ts';

export const addMcp = (program: Command, terminal: () => Terminal): void => {
  const mcp = program
    .command('mcp')
    .description('run the MCP server for an agent, on standard input and output')
    .action(() => bridge(terminal()));
  mcp
    .command('install <host>')
    .description(`write the entry into the configuration of ${mcpHosts.map(({ id }) => id).join(', ')}`)
    .option('--agent <id>', 'the agent that gets a key; without it, the agent that this machine is linked to')
    .option(
      '--proxy <name>',
      'put the proxy before the server of this entry, in place of an entry of its own',
    )
    .option('--undo', 'put the entry that --proxy names back as it was, and revoke its API key', false)
    .option('--dry-run', 'show what would be done, and do nothing', false)
    .option('--yes', 'you are sure', false)
    .action((host: string, options: InstallOptions) => install(terminal(), host, options));
  addMcpProxy(mcp, terminal);
};

const bridge = async ({ io, dataDir }: Terminal): Promise<void> => {
  // Loaded here only, so that no other subcommand waits for the bridge's modules.
  const { runBridge } = await import('../../mcp/run.ts');
  runBridge({ ...io.env, TREASURY_DATA: dataDir });
};
