// Entries of other MCP servers, as each host writes them: what an entry starts or reaches, and the entry that does the
// same through the proxy.
import { isTable, memberOf, membersOf, type McpConfig, type Refused, type Values } from './format.ts';

/** The members that a host reads. */
export interface Form {
  command: string;
  env: string;
  /** Of an endpoint. */
  urls: readonly string[];
  headers: string;
  /** Whether `type` may say that it is a command. */
  isTyped: boolean;
}

export const form: Form = {
  command: 'command',
  env: 'env',
  urls: ['url'],
  headers: 'headers',
  isTyped: true,
};
/** https://github.com/openai/codex: `RawMcpServerConfig`. */
export const codexForm: Form = { ...form, headers: 'http_headers', isTyped: false };
/** https://github.com/google-gemini/gemini-cli: `MCPServerConfig`. */
export const geminiForm: Form = { ...form, urls: ['httpUrl', 'url'], isTyped: false };
/** https://github.com/block/goose: `ExtensionConfig`. */
export const gooseForm: Form = { ...form, command: 'cmd', env: 'envs', urls: ['uri'] };

export type Server = { command: string[] } | { url: string; headers: Readonly<Record<string, string>> };

/** Members of an endpoint's entry that let the host find a token by itself, which the proxy cannot do. */
const signIns = /^(?:auth|authProviderType|oauth|oauth_resource|scopes|headersHelper)$/;
const fromVariables = /^(?:bearer_token_env_var|env_http_headers)$/;

/** What the entry starts or reaches, or the reason why the proxy cannot. */
export const serverIn = (known: Form, values: Values): Server | Refused => {
  const program = memberOf(values, known.command);
  const url = known.urls.map((name) => memberOf(values, name)).find((one) => one !== undefined);
  if (program !== undefined && url !== undefined) return { refused: 'it has both a command and a URL' };
  if (program !== undefined) return commandIn(program, memberOf(values, 'args'));
  if (typeof url !== 'string') return { refused: 'it has neither a command nor a URL that is text' };
  if (memberOf(values, 'type') === 'sse')
    return { refused: 'it is reached over SSE alone, and the proxy speaks streamable HTTP' };
  for (const name of Object.keys(values)) {
    if (signIns.test(name)) return { refused: `its ${name} lets the host sign in, which the proxy cannot` };
    if (fromVariables.test(name))
      return { refused: `its ${name} names a variable; write the header itself under ${known.headers}` };
  }
  const headers = textsIn(memberOf(values, known.headers) ?? {});
  if (headers === null) return { refused: `its ${known.headers} are not all text` };
  // Goose puts variables into headers, and not into arguments.
  if (known.command === 'cmd' && Object.values(headers).some((value) => value.includes('$')))
    return { refused: `its ${known.headers} name a variable; write the value itself` };
  return { url, headers };
};

const commandIn = (program: unknown, args: unknown = []): Server | Refused => {
  const words: unknown[] = Array.isArray(args) ? [program, ...(args as unknown[])] : [null];
  return words.every((word) => typeof word === 'string') && program !== ''
    ? { command: words }
    : { refused: 'its command and args are not all text' };
};

const textsIn = (value: unknown): Record<string, string> | null =>
  isTable(value) && Object.values(value).every((one) => typeof one === 'string')
    ? (value as Record<string, string>)
    : null;

/** The entry with this command in place of its own, or of its endpoint. Every other member stays. */
export const throughCommand = (known: Form, values: Values, { command, args, env }: McpConfig): Values => {
  const gone = [...known.urls, known.headers, ...(known.isTyped ? [] : ['type'])];
  const kept = Object.fromEntries(Object.entries(values).filter(([name]) => !gone.includes(name)));
  return {
    ...kept,
    ...('type' in kept ? { type: 'stdio' } : {}),
    [known.command]: command,
    args,
    [known.env]: { ...membersOf(memberOf(values, known.env)), ...env },
  };
};
