// The leanest JSON-RPC over HTTP that is still correct: one POST a call, on connections that stay open.
import { Agent, request } from 'node:http';

export interface JsonRpc {
  call(method: string, params: readonly unknown[]): Promise<unknown>;
  close(): void;
}

interface Answer {
  result?: unknown;
  error?: { message: string };
}

export const createJsonRpc = (url: string): JsonRpc => {
  const agent = new Agent({ keepAlive: true, maxSockets: 64, scheduling: 'lifo' });
  const { hostname, port } = new URL(url);
  let lastId = 0;
  return {
    call: (method, params) =>
      new Promise((resolve, reject) => {
        lastId += 1;
        const body = JSON.stringify({ jsonrpc: '2.0', id: lastId, method, params });
        const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) };
        const sent = request({ hostname, port, path: '/', method: 'POST', agent, headers }, (response) => {
          let text = '';
          response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
          response.on('error', reject).on('end', () => {
            const { result, error } = JSON.parse(text) as Answer;
            if (error === undefined) resolve(result);
            else reject(new Error(`${method}: ${error.message}`));
          });
        });
        sent.on('error', reject).end(body);
      }),
    close: () => agent.destroy(),
  };
};
