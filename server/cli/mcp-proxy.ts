// `treasury mcp proxy` runs an MCP server whose paid tools the treasury pays for; `treasury mcp add` registers one.
import type { Command } from 'commander';
import { mcpName } from '../contract/mcp-names.ts';
import type { Reply } from '../contract/schemas.ts';
import type { Wrapped } from '../mcp/proxy/run.ts';
import { Ending } from './ending.ts';
import { asOwner } from './session.ts';
import { inert } from './table.ts';
import { show, type Terminal } from './terminal.ts';

interface ProxyOptions {
  name?: string;
  url?: string;
  header: string[];
}

const collect = (value: string, before: string[]): string[] => [...before, value];

export const addMcpProxy = (mcp: Command, terminal: () => Terminal): void => {
  mcp
    .command('proxy [command...]')
    .description(
      'run another MCP server, or reach it by its URL, and pay for its tools under the agent’s policy',
    )
    .option('--name <name>', 'the name under which its owner registered the command')
    .option('--url <url>', 'the endpoint of a server that is reached over HTTP, in place of a command')
    .option(
      '--header <header>',
      'sent with each request to --url, as "Name: value"; may be repeated',
      collect,
      [],
    )
    .action((command: string[], options: ProxyOptions) => proxy(terminal(), command, options));
  mcp
    .command('add <name> <command...>')
    .description('register an MCP server of this machine, so that agents can pay it as mcp:NAME')
    .action((name: string, command: string[]) => add(terminal(), name, command));
};

const proxy = async ({ io, dataDir }: Terminal, command: string[], options: ProxyOptions): Promise<void> => {
  const wrapped = wrappedBy(command, options);
  // Loaded here only, so that no other subcommand waits for the proxy's modules.
  const { runProxy } = await import('../mcp/proxy/run.ts');
  process.exit(await runProxy(wrapped, { ...io.env, TREASURY_DATA: dataDir }));
};

/** @throws Ending for anything but a command with its name, or a URL with its headers */
export const wrappedBy = (command: readonly string[], { name, url, header }: ProxyOptions): Wrapped => {
  if (url !== undefined) {
    if (command.length > 0 || name !== undefined)
      throw new Ending('usage', 'Give either --url, or --name and the command of a server.');
    return { url: urlOf(url), headers: Object.fromEntries(header.map(headerOf)) };
  }
  if (command.length === 0)
    throw new Ending('usage', 'Name the server: treasury mcp proxy --name NAME -- COMMAND, or --url URL.');
  if (header.length > 0) throw new Ending('usage', '--header is for a server that --url names.');
  return { name: nameOf(name ?? programIn(command)), command };
};

const nameOf = (name: string): string => {
  if (mcpName.safeParse(name).success) return name;
  throw new Ending(
    'usage',
    `--name: ${inert(name)} is no name of an MCP server: use letters, digits, dots and hyphens.`,
  );
};

const urlOf = (text: string): URL => {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url !== null && /^https?:$/.test(url.protocol)) return url;
  throw new Ending('usage', '--url must be an https URL.');
};

const headerOf = (text: string): [name: string, value: string] => {
  const [, name = '', value = ''] = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+):\s*(.*)$/.exec(text) ?? [];
  if (name !== '') return [name, value];
  throw new Ending('usage', '--header must be written as "Name: value".');
};

const runners = /^(?:npx|bunx|uvx|pnpx|node|bun|deno|python\d?|uv|docker)$/;

/** The server's own name where a runner starts it: `npx -y @scope/weather-mcp@2` is `weather-mcp`. */
const programIn = (command: readonly string[]): string => {
  const names = command
    .filter((word) => !word.startsWith('-'))
    .map((word) => word.replace(/^.*[\\/]/, '').replace(/@[^@]*$|\.(?:[cm]?[jt]s|py|exe|cmd)$/g, ''));
  return names.find((name) => name !== '' && !runners.test(name)) ?? '';
};

const add = async (terminal: Terminal, name: string, command: string[]): Promise<void> => {
  const service = await asOwner(terminal).ask('addMcpServer', { body: { name, command } });
  show(terminal, service, () => [registered(service)]);
};

export const registered = ({ id }: Reply<'addMcpServer'>): string =>
  `Agents can pay it as ${id}. You are asked once for each of its payees.`;
