// The bridge as a process, with the SDK's own clients: the new one in both eras, and the old one.
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { Client as OldClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport as OldTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import type { TestAgent } from '../harness/treasury.ts';
import { programOf } from '../harness/programs/programs.ts';

export const script = programOf('server/mcp/main.ts');

export interface Called {
  isError: boolean;
  text: string;
  // oxlint-disable-next-line typescript/no-explicit-any -- answers of every shape
  content: Record<string, any>;
  images: { data: string; mimeType: string }[];
}

export interface Bridge {
  era: string;
  tools: {
    name: string;
    title?: string;
    description?: string;
    inputSchema?: object;
    annotations?: object;
  }[];
  /** @throws for a refusal without a next step of its own */
  call(name: string, args?: Record<string, unknown>): Promise<Called>;
  stderr(): string;
  /** Ends it as a crash would. */
  kill(): void;
  close(): Promise<void>;
}

export type Era = 'modern' | 'legacy' | 'old client';
/** All other tests have a modern client. */
export const eras: readonly Era[] = ['old client', 'modern', 'legacy'];

export const envOf = (
  agent: Pick<TestAgent, 'agentId' | 'key'>,
  { owner, dataDir }: { owner: string; dataDir: string },
): Record<string, string> => ({
  TREASURY_OWNER: owner,
  TREASURY_AGENT_ID: agent.agentId,
  TREASURY_API_KEY: agent.key,
  TREASURY_DATA: dataDir,
});

const info = { name: 'test', version: '1' };
/** An MCP host passes on none of its environment; the folder of compiled modules makes the bridge start faster. */
const { NODE_COMPILE_CACHE: compiled } = process.env;

/** The lines that a frame marks as words of others, or all; and the lines before the frame. */
const parted = (text: string): { before: string[]; inside: string[] } => {
  const [, before = '', , inside = ''] = /^(.*)\n<<<([\w-]+)\n(.*)\n\2>>>$/s.exec(text) ?? [];
  return inside === ''
    ? { before: [], inside: text.split('\n') }
    : { before: before.split('\n'), inside: inside.split('\n') };
};

const refusalIn = (text: string): Called['content'] => {
  const { before, inside } = parted(text);
  const next = (before.length === 0 ? inside.at(-2) : before.at(-2)) ?? '';
  if (next.startsWith('Tell your user that the treasury refused')) throw new Error(`No next step: ${text}`);
  const error = inside.slice(0, before.length === 0 ? -2 : -1).join('\n');
  return { ...(JSON.parse(inside.at(-1) ?? '') as object), error, next };
};

export interface Started {
  command?: string;
  args?: readonly string[];
}

export const openBridge = async (
  env: Record<string, string>,
  era: Era = 'modern',
  { command = process.execPath, args = [script] }: Started = {},
): Promise<Bridge> => {
  const cache = compiled === undefined ? {} : { NODE_COMPILE_CACHE: compiled };
  const server = { command, args: [...args], env: { ...cache, ...env }, stderr: 'pipe' as const };
  const isOld = era === 'old client';
  const transport = isOld ? new OldTransport(server) : new StdioClientTransport(server);
  const mode = era === 'modern' ? 'auto' : 'legacy';
  const client = isOld ? new OldClient(info) : new Client(info, { versionNegotiation: { mode } });
  let errors = '';
  transport.stderr?.on('data', (chunk: Buffer) => (errors += chunk.toString()));
  await client.connect(transport as OldTransport & StdioClientTransport);
  const { tools } = await client.listTools();
  return {
    era: (client instanceof Client && client.getProtocolEra?.()) || 'legacy',
    tools: tools as Bridge['tools'],
    async call(name, args_ = {}) {
      const result = await client.callTool({ name, arguments: args_ });
      const [first] = result.content as { text?: string }[];
      const { isError = false } = result as { isError?: boolean };
      const text = first?.text ?? '';
      return {
        isError,
        text,
        content: isError ? refusalIn(text) : (JSON.parse(parted(text).inside.at(-1) ?? '') as object),
        images: (result.content as { type: string }[]).filter(
          ({ type }) => type === 'image',
        ) as unknown as Called['images'],
      };
    },
    stderr: () => errors,
    kill() {
      if (transport.pid !== null) process.kill(transport.pid, 'SIGKILL');
    },
    close: () => client.close(),
  };
};
