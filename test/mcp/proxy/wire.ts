// An MCP host that speaks the protocol's lines itself, so that a test sees each message as it came.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { programOf } from '../../harness/programs/programs.ts';

// oxlint-disable-next-line typescript/no-explicit-any -- messages of every shape
export type Line = Record<string, any>;

const cli = programOf('server/cli/main.ts');

export interface Wire {
  /** All that the server said, in order. */
  heard: Line[];
  /** Sends a request and resolves with its response. @throws when the program has ended without one */
  ask(method: string, params?: Line, id?: unknown): Promise<Line>;
  send(message: Line): void;
  /** Answers requests of the server. */
  onRequest(answer: (request: Line) => Line): void;
  stderr(): string;
  pid: number;
  /** As a host that ends: closes the server's input. */
  end(): Promise<number | null>;
  kill(): void;
  exited: Promise<number | null>;
}

const unknown = (_request: Line): Line => ({ error: { code: -32601, message: 'unknown' } });

export const openWire = (command: readonly string[], env: NodeJS.ProcessEnv = process.env): Wire => {
  const [program = '', ...args] = command;
  const child = spawn(program, args, { stdio: ['pipe', 'pipe', 'pipe'], env });
  const heard: Line[] = [];
  const waiting = new Map<string, (line: Line) => void>();
  let answer = unknown;
  let [errors, next] = ['', 0];
  child.stderr.on('data', (chunk: Buffer) => (errors += chunk.toString()));
  child.stdin.on('error', () => {});
  const exited = once(child, 'exit').then(([code]) => code as number | null);
  const gone = once(child, 'close').then(([code]) =>
    Promise.reject(new Error(`it ended with ${String(code)}: ${errors}`)),
  );
  // Nobody may have asked.
  gone.catch(() => {});
  const send = (message: Line): void => void child.stdin.write(`${JSON.stringify(message)}\n`);
  createInterface(child.stdout).on('line', (text) => {
    const line = JSON.parse(text) as Line;
    heard.push(line);
    if ('method' in line && 'id' in line) send({ jsonrpc: '2.0', id: line['id'], ...answer(line) });
    else if ('id' in line) waiting.get(JSON.stringify(line['id']))?.(line);
  });
  return {
    heard,
    send,
    ask(method, params, id = (next += 1)) {
      const response = new Promise<Line>((resolve) => waiting.set(JSON.stringify(id), resolve));
      send({ jsonrpc: '2.0', id, method, ...(params === undefined ? {} : { params }) });
      return Promise.race([response, gone]);
    },
    onRequest: (given) => (answer = given),
    stderr: () => errors,
    pid: child.pid ?? 0,
    end() {
      child.stdin.end();
      return exited;
    },
    kill: () => void child.kill('SIGKILL'),
    exited,
  };
};

export const proxied = (...args: readonly string[]): string[] => [
  process.execPath,
  cli,
  'mcp',
  'proxy',
  ...args,
];

export const initialize = async (wire: Wire, capabilities: Line = {}): Promise<Line> => {
  const response = await wire.ask('initialize', {
    protocolVersion: '2025-11-25',
    capabilities,
    clientInfo: { name: 'test', version: '1' },
  });
  wire.send({ jsonrpc: '2.0', method: 'notifications/initialized' });
  return response;
};
