// JSON over connections that stay open: with a local RPC, opening one costs more than the answer.
import { Agent as HttpAgent, request as httpRequest } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import { invariant } from '../errors.ts';

const maxAnswerBytes = 2 * 1024 * 1024;
const maxSockets = 64;

export interface RpcClient {
  /** POSTs JSON and returns the body of a 200; rejects for anything else and after `timeoutMs`. */
  post(body: string): Promise<string>;
}

export const createRpcClient = (url: URL, timeoutMs: number): RpcClient => {
  const secure = url.protocol === 'https:';
  invariant(secure || url.protocol === 'http:', 'an RPC URL is http or https');
  const agent = secure
    ? new HttpsAgent({ keepAlive: true, maxSockets })
    : new HttpAgent({ keepAlive: true, maxSockets });
  const send = secure ? httpsRequest : httpRequest;

  const once = (body: string) =>
    new Promise<string>((resolve, reject) => {
      const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) };
      const signal = AbortSignal.timeout(timeoutMs);
      const request = send(url, { method: 'POST', agent, signal, headers }, (response) => {
        const chunks: Buffer[] = [];
        let size = 0;
        response.on('data', (chunk: Buffer) => {
          chunks.push(chunk);
          size += chunk.length;
          if (size > maxAnswerBytes) response.destroy(new Error('the answer of the RPC is too long'));
        });
        response.on('error', reject);
        response.on('end', () => {
          if (response.statusCode === 200) resolve(Buffer.concat(chunks).toString('utf8'));
          else reject(new Error(`the RPC answers ${response.statusCode}`));
        });
      });
      request.on('error', (error: NodeJS.ErrnoException) => {
        const stale = request.reusedSocket && (error.code === 'ECONNRESET' || error.code === 'EPIPE');
        reject(stale ? new StaleConnection(error) : error);
      });
      request.end(body);
    });

  return {
    // A server may close an idle connection just as we use it again; reading twice does no harm.
    post: (body) =>
      once(body).catch((error: unknown) =>
        error instanceof StaleConnection ? once(body) : Promise.reject(error),
      ),
  };
};

class StaleConnection extends Error {
  constructor(cause: Error) {
    super('the connection was closed while idle', { cause });
  }
}
