// Starts the sandbox as a process of its own and calls it, for tests that kill it or measure it.
import type { ChildProcess } from 'node:child_process';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { programOf } from '../harness/programs/programs.ts';
import { freePort } from '../harness/programs/free-port.ts';

export interface StandAlone {
  readonly process: ChildProcess;
  readonly rpcUrl: string;
  readonly wsUrl: string;
  call<T>(method: string, ...params: unknown[]): Promise<T>;
  batch<T>(calls: [method: string, ...params: unknown[]][]): Promise<T>;
  /** The process's resident memory (Linux only). */
  residentMb(): number;
  end(signal: NodeJS.Signals): Promise<number | null>;
}

const main = programOf('server/sandbox/main.ts');

export const runMain = (...args: string[]): ChildProcess =>
  spawn(process.execPath, [main, ...args], { stdio: ['ignore', 'pipe', 'pipe'] });

export const startStandAlone = async (dataDir: string, ...args: string[]): Promise<StandAlone> => {
  const child = runMain('--port', `${await freePort()}`, '--data', dataDir, '--log-level', 'silent', ...args);
  if (!child.stdout || !child.stderr) throw new Error('The child has no pipes.');
  const errors: string[] = [];
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => errors.push(chunk));
  const ready = once(createInterface(child.stdout), 'line') as Promise<[string]>;
  const first = await Promise.race([ready, once(child, 'exit')]);
  if (typeof first[0] !== 'string') throw new Error(`The sandbox did not start: ${errors.join('')}`);
  const { rpcUrl, wsUrl } = JSON.parse(first[0]) as { rpcUrl: string; wsUrl: string };
  return {
    process: child,
    rpcUrl,
    wsUrl,
    call: (method, ...params) => call(rpcUrl, method, ...params),
    batch: (calls) => batch(rpcUrl, calls),
    residentMb: () => {
      const status = readFileSync(`/proc/${child.pid}/status`, 'utf8');
      return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1024;
    },
    end: async (signal) => {
      const exit = once(child, 'exit') as Promise<[number | null]>;
      child.kill(signal);
      return (await exit)[0];
    },
  };
};

/** One bare JSON-RPC call. @throws an error of the server with its code and data */
export const call = async <T>(rpcUrl: string, method: string, ...params: unknown[]): Promise<T> => {
  const { result, error } = (await post(rpcUrl, request(method, params))) as Answer<T>;
  if (error) throw Object.assign(new Error(error.message), { code: error.code, data: error.data });
  return result;
};

export const batch = async <T>(
  rpcUrl: string,
  calls: [method: string, ...params: unknown[]][],
): Promise<T> => {
  const requests = calls.map(([method, ...params]) => request(method, params));
  return ((await post(rpcUrl, requests)) as Answer<unknown>[]).map(({ result }) => result) as T;
};

interface Answer<T> {
  result: T;
  error?: { code: number; message: string; data?: unknown };
}

const request = (method: string, params: unknown[]): object => ({ jsonrpc: '2.0', id: 1, method, params });

const post = async (rpcUrl: string, body: unknown): Promise<unknown> => {
  const headers = { 'content-type': 'application/json' };
  const response = await fetch(rpcUrl, { method: 'POST', headers, body: JSON.stringify(body) });
  return response.json();
};
