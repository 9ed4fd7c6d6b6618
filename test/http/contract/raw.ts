// Requests byte by byte, as no client would send them.
import { connect } from 'node:net';

export interface RawAnswer {
  /** 0: the connection was closed without an answer. */
  status: number;
  /** Status line and headers, in lower case. */
  head: string;
  body: string;
  /** Everything that came, even more than one answer. */
  all: string;
}

/**
 * Sends bytes on a connection of its own and reads until the server closes it: ask for that with `Connection: close`.
 * @param idleMs after this silence the connection is ended from here, so that the server sees half a request end
 */
export const sendRaw = (port: number, bytes: string | Uint8Array, idleMs = 0): Promise<RawAnswer> =>
  new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1');
    const chunks: Buffer[] = [];
    socket.on('data', (chunk: Buffer) => chunks.push(chunk));
    // The server may cut a request that it does not want to read; its answer until then counts.
    socket.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EPIPE' && error.code !== 'ECONNRESET') reject(error);
    });
    socket.on('close', () => resolve(parse(Buffer.concat(chunks).toString('latin1'))));
    socket.setTimeout(idleMs, () => socket.end());
    socket.write(bytes);
  });

const parse = (all: string): RawAnswer => {
  const border = all.indexOf('\r\n\r\n');
  const head = (border < 0 ? all : all.slice(0, border)).toLowerCase();
  const status = Number(/^http\/1\.1 (\d{3})/.exec(head)?.[1] ?? 0);
  return { status, head, body: border < 0 ? '' : all.slice(border + 4), all };
};

export interface RawRequest {
  method?: string;
  target?: string;
  version?: string;
  /** Lines, in order, as they are sent. */
  headers: readonly string[];
  body?: string;
}

export const requestText = ({
  method = 'GET',
  target = '/v1/health',
  version = 'HTTP/1.1',
  headers,
  body = '',
}: RawRequest): string =>
  `${method} ${target} ${version}\r\n${headers.map((it) => `${it}\r\n`).join('')}\r\n${body}`;
