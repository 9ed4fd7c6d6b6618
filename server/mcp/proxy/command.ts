// The arguments of the proxy, as the command `treasury` and the bridge's own program take them.
import type { Command } from 'commander';
import { z } from 'zod';
import { mcpName } from '../../contract/catalog/mcp-names.schemas.ts';
import { AppError } from '../../errors.ts';
import type { Wrapped } from './run.ts';
import { jsonIn } from '../../lib/base64-json.ts';

type Env = () => Readonly<Record<string, string | undefined>>;

export interface ProxyOptions {
  name?: string;
  url?: string;
  header: string[];
}

/** The variable with the server of an entry that is reached by URL: JSON of its url and headers, often with secrets. */
export const serverVariable = 'TREASURY_SERVER';

const collect = (value: string, before: string[]): string[] => [...before, value];

/** Its options, and what it does with them. */
export const describeProxy = (proxy: Command, env: Env, run: (wrapped: Wrapped) => Promise<void>): void => {
  proxy
    .description(
      'run another MCP server, or reach it by its URL, and pay for its tools under the agent’s policy',
    )
    .argument('[command...]')
    .option('--name <name>', 'the name under which its owner registered the command')
    .option('--url <url>', 'the endpoint of a server that is reached over HTTP, in place of a command')
    .option(
      '--header <header>',
      'sent with each request to --url, as "Name: value"; may be repeated',
      collect,
      [],
    )
    .action((command: string[], options: ProxyOptions) => run(wrappedBy(command, options, env())));
};

/**
 * @param env holds the server where the arguments name none
 * @throws AppError `bad_request` for anything but a command with its name, or a URL with its headers
 */
export const wrappedBy = (
  command: readonly string[],
  { name, url, header }: ProxyOptions,
  env: ReturnType<Env> = {},
): Wrapped => {
  const kept = env[serverVariable];
  if (kept !== undefined && url === undefined && command.length === 0) return serverIn(kept);
  if (url !== undefined) {
    if (command.length > 0 || name !== undefined)
      throw wrong('Give either --url, or --name and the command of a server.');
    return { url: urlOf(url), headers: Object.fromEntries(header.map(headerIn)) };
  }
  if (command.length === 0)
    throw wrong('Name the server: treasury mcp proxy --name NAME -- COMMAND, or --url URL.');
  if (header.length > 0) throw wrong('--header is for a server that --url names.');
  return { name: nameOf(name ?? programIn(command)), command };
};

const wrong = (message: string): AppError => new AppError('bad_request', message);

const nameOf = (name: string): string => {
  if (mcpName.safeParse(name).success) return name;
  throw wrong('--name must be a name of letters, digits, dots, underscores and hyphens, such as weather.');
};

const urlOf = (text: string): URL => {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || !/^https?:$/.test(url.protocol)) throw wrong('--url must be an https URL.');
  if (url.username !== '' || url.password !== '')
    throw wrong(
      '--url must have no user and password: give them in a header, as --header "Authorization: …".',
    );
  return url;
};

const headerIn = (text: string): [name: string, value: string] => {
  const [, name = '', value = ''] = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+):\s*(.*)$/.exec(text) ?? [];
  if (name !== '') return [name, value];
  throw wrong('--header must be written as "Name: value".');
};

const serverSchema = z.strictObject({ url: z.string(), headers: z.record(z.string(), z.string()) });

/** @throws AppError `bad_request` for any other text than `install` writes */
const serverIn = (text: string): Wrapped => {
  const read = serverSchema.safeParse(jsonIn(text));
  if (!read.success) throw wrong(`${serverVariable} must be JSON with a url and headers.`);
  const headers = Object.entries(read.data.headers).map((pair) => headerIn(pair.join(': ')));
  return { url: urlOf(read.data.url), headers: Object.fromEntries(headers) };
};

/** Programs that run another: its name is that of the server. */
export const runners = /^(?:npx|bunx|uvx|pnpx|node|bun|deno|python\d?|uv|docker)$/;

/** The server's own name where a runner starts it: `npx -y @scope/weather-mcp@2` is `weather-mcp`. */
const programIn = (command: readonly string[]): string => {
  const names = command
    .filter((word) => !word.startsWith('-'))
    .map((word) => word.replace(/^.*[\\/]/, '').replace(/@[^@]*$|\.(?:[cm]?[jt]s|py|exe|cmd)$/g, ''));
  return names.find((name) => name !== '' && !runners.test(name)) ?? '';
};
