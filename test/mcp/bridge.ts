// The bridge as a process, with the SDK's own clients: the new one in both eras, and the old one.
import { fileURLToPath } from 'node:url';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { Client as OldClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport as OldTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import type { TestAgent } from '../harness/treasury.ts';

export const script = fileURLToPath(new URL('../../server/mcp/main.ts', import.meta.url));

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
    outputSchema?: object;
    annotations?: object;
  }[];
  /** The client checks the result against the tool's output schema. @throws when it does not fit */
  call(name: string, args?: Record<string, unknown>): Promise<Called>;
  stderr(): string;
  /** Ends it as a crash would. */
  kill(): void;
  close(): Promise<void>;
}

export type Era = 'modern' | 'legacy' | 'old client';
export const eras: readonly Era[] = ['modern', 'legacy', 'old client'];

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
      return {
        isError: result.isError === true,
        text: first?.text ?? '',
        content: (result.structuredContent ?? {}) as Called['content'],
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
