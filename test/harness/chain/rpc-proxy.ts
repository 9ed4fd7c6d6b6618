// A Solana RPC that lies, loses answers or is silent: a proxy in front of the real sandbox.
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface RpcRequest {
  id: number;
  method: string;
  // oxlint-disable-next-line typescript/no-explicit-any -- answers of every shape
  params: any[];
}

/** Writes an answer that is no JSON, or has no end. */
export type RawAnswer = (response: ServerResponse) => void;

/** Decides a request's fate: an answer, raw or not, or `null` for none at all (the connection is cut). */
export type Fault = (
  request: RpcRequest,
  forward: () => Promise<unknown>,
) => Promise<unknown> | unknown | null;

export interface Proxy {
  url: string;
  /** Every request that came in, in order. */
  seen: RpcRequest[];
  /** Null for the truth. */
  fault: Fault | null;
  close(): Promise<void>;
}

export const createRpcProxy = async (target: string): Promise<Proxy> => {
  const seen: RpcRequest[] = [];
  const server = createServer((incoming, outgoing) => {
    // Another treasury may look here for the WebSocket of its RPC, which is at the RPC's port + 1.
    if (incoming.method !== 'POST') return void outgoing.destroy();
    const chunks: Buffer[] = [];
    incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
    incoming.on('end', () => {
      const text = Buffer.concat(chunks).toString('utf8');
      const request = JSON.parse(text) as RpcRequest;
      seen.push(request);
      const forward = async (): Promise<unknown> => {
        const answer = await fetch(target, {
          method: 'POST',
          body: text,
          headers: { 'content-type': 'application/json' },
        });
        return answer.json();
      };
      Promise.resolve(proxy.fault === null ? forward() : proxy.fault(request, forward)).then(
        (answer) => {
          if (answer === null) outgoing.destroy();
          else if (typeof answer === 'function') (answer as RawAnswer)(outgoing);
          else outgoing.setHeader('content-type', 'application/json').end(JSON.stringify(answer));
        },
        () => outgoing.destroy(),
      );
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const proxy: Proxy = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    seen,
    fault: null,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
  return proxy;
};

/** The forwarded answer with another result. */
export const withResult = async (
  forward: () => Promise<unknown>,
  // oxlint-disable-next-line typescript/no-explicit-any -- answers of every shape
  change: (result: any) => unknown,
): Promise<unknown> => {
  const answer = (await forward()) as { result: unknown };
  return { ...answer, result: change(answer.result) };
};
