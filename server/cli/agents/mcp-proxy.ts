// `treasury mcp proxy` runs an MCP server whose paid tools the treasury pays for; `treasury mcp add` registers one.
import type { Command } from 'commander';
import type { Reply } from '../../contract/schemas.ts';
import { describeProxy } from '../../mcp/proxy/command.ts';
import type { Wrapped } from '../../mcp/proxy/run.ts';
import { withExamples } from '../command-row.ts';
import { asOwner } from '../session.ts';
import { show, type Terminal } from '../terminal.ts';

export const addMcpProxy = (mcp: Command, terminal: () => Terminal): void => {
  describeProxy(
    withExamples(mcp.command('proxy'), [
      'treasury mcp proxy --name weather -- npx -y weather-mcp  # as the command of an MCP host',
      'treasury mcp proxy --url https://mcp.example.com/mcp',
    ]),
    () => terminal().io.env,
    (wrapped) => proxy(terminal(), wrapped),
  );
  withExamples(mcp.command('add <name> <command...>'), ['treasury mcp add weather -- npx -y weather-mcp'])
    .description('register an MCP server of this machine, so that agents can pay it as mcp:NAME')
    .action((name: string, command: string[]) => add(terminal(), name, command));
};

const proxy = async ({ io, dataDir }: Terminal, wrapped: Wrapped): Promise<void> => {
  // Loaded here only, so that no other subcommand waits for the proxy's modules.
  const { runProxy } = await import('../../mcp/proxy/run.ts');
  process.exit(await runProxy(wrapped, { ...io.env, TREASURY_DATA: dataDir }));
};

const add = async (terminal: Terminal, name: string, command: string[]): Promise<void> => {
  const service = await asOwner(terminal).ask('addMcpServer', { body: { name, command } });
  show(terminal, service, () => [registered(service)]);
};

export const registered = ({ id }: Reply<'addMcpServer'>): string =>
  `Agents can pay it as ${id}. You are asked once for each of its payees.`;
