// The leanest client of an MCP server on standard input and output: one line per message, without schema checks.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';

export interface StdioClient {
  /** @throws when the server refuses */
  call(method: string, params: object): Promise<unknown>;
  close(): Promise<void>;
}

interface Message {
  id?: number;
  result?: { isError?: boolean };
  error?: { message: string };
}

export const createStdioClient = (
  script: string,
  env: Record<string, string>,
  args: readonly string[] = [],
): StdioClient => {
  const server = spawn(process.execPath, [script, ...args], { stdio: ['pipe', 'pipe', 'inherit'], env });
  const gone = once(server, 'exit');
  const waiting = new Map<number, (message: Message) => void>();
  let lastId = 0;
  createInterface(server.stdout).on('line', (line) => {
    const message = JSON.parse(line) as Message;
    waiting.get(message.id ?? 0)?.(message);
  });
  return {
    async call(method, params) {
      lastId += 1;
      const id = lastId;
      const answer = new Promise<Message>((resolve) => waiting.set(id, resolve));
      server.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`);
      const { result, error } = await answer;
      waiting.delete(id);
      if (result === undefined || result.isError === true)
        throw new Error(`${method}: ${error?.message ?? JSON.stringify(result)}`);
      return result;
    },
    async close() {
      server.stdin.end();
      await gone;
    },
  };
};

/** The first messages of every MCP host. */
export const initialize = (client: StdioClient): Promise<unknown> =>
  client.call('initialize', {
    protocolVersion: '2025-06-18',
    capabilities: {},
    clientInfo: { name: 'bench', version: '1' },
  });
