// Requests through the proxy with a plain HTTP client, which adds nothing and hides nothing.
import { request, type ClientRequest, type IncomingMessage, type OutgoingHttpHeaders } from 'node:http';
import { once } from 'node:events';
import type { TestAgent } from '../../harness/treasury.ts';

export interface Asked {
  method?: string;
  headers?: OutgoingHttpHeaders;
  body?: string | Buffer;
  signal?: AbortSignal;
}

export interface Got {
  status: number;
  headers: IncomingMessage['headers'];
  bytes: Buffer;
  text: string;
}

/** The path of a seller's URL through the proxy, byte for byte. */
export const pathThrough = (agentId: string, url: string): string =>
  `/v1/agents/${agentId}/proxy/${url.replace(/^(https?):\/\//, '$1/')}`;

/** The request, without its end, for tests that cut it. */
export const openThrough = (
  host: string,
  { agentId, key }: Pick<TestAgent, 'agentId' | 'key'>,
  url: string,
  { method = 'GET', headers = {}, body, signal }: Asked = {},
): ClientRequest => {
  const { hostname, port } = new URL(host);
  const outgoing = request({
    hostname,
    port,
    path: pathThrough(agentId, url),
    method,
    headers: { 'X-Treasury-Key': key, ...headers },
    agent: false,
    ...(signal === undefined ? {} : { signal }),
  });
  // A request that is refused early is not written to its end.
  outgoing.on('error', () => {});
  if (body !== undefined) outgoing.setHeader('Content-Length', Buffer.byteLength(body));
  outgoing.end(body);
  return outgoing;
};

export const headOf = async (outgoing: ClientRequest): Promise<IncomingMessage> => {
  const [response] = (await once(outgoing, 'response')) as [IncomingMessage];
  return response;
};

/** @throws when the answer does not come whole */
export const wholeOf = async (response: IncomingMessage): Promise<Buffer> => {
  const chunks: Buffer[] = [];
  for await (const chunk of response as AsyncIterable<Buffer>) chunks.push(chunk);
  return Buffer.concat(chunks);
};

export const askThrough = async (...asked: Parameters<typeof openThrough>): Promise<Got> => {
  const response = await headOf(openThrough(...asked));
  const bytes = await wholeOf(response);
  return {
    status: response.statusCode ?? 0,
    headers: response.headers,
    bytes,
    text: bytes.toString('utf8'),
  };
};
