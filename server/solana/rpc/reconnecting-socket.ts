// A websocket that opens again after every break.
import { WebSocket } from 'ws';
import type { Log } from '../../log.ts';

interface ReconnectingSocket {
  /** Drops the message while there is no connection. */
  send(message: object): void;
  close(): void;
}

interface Handlers {
  /** Called at every new connection, which knows nothing of the former one. */
  onOpen(): void;
  onText(text: string): void;
}

/** The longest notification is of a transaction's logs, of which a node keeps 10 kB: six times as much as JSON escapes. */
const maxPayload = 256 * 1_024;
const retryMs = { first: 250, most: 15_000 };

/** Connects at once; after a break it reconnects with waits of 250 ms to 15 s. @throws SyntaxError for a URL that is none. */
export const openSocket = (url: string, { onOpen, onText }: Handlers, log: Log): ReconnectingSocket => {
  let socket: WebSocket | undefined;
  let waitMs = retryMs.first;
  let retry: NodeJS.Timeout | undefined;
  let closed = false;

  const connect = (): void => {
    if (closed) return;
    const opening = new WebSocket(url, {
      perMessageDeflate: false,
      handshakeTimeout: 10_000,
      maxPayload,
    });
    socket = opening;
    opening.on('open', () => {
      waitMs = retryMs.first;
      onOpen();
    });
    opening.on('message', (data) => onText(String(data)));
    opening.on('error', (error) => log.debug({ err: error }, 'the RPC websocket failed'));
    opening.on('close', () => {
      if (closed) return;
      retry = setTimeout(connect, waitMs);
      waitMs = Math.min(waitMs * 2, retryMs.most);
    });
  };
  connect();

  return {
    send(message) {
      if (socket?.readyState === WebSocket.OPEN) socket.send(JSON.stringify(message));
    },
    close() {
      closed = true;
      clearTimeout(retry);
      socket?.terminate();
    },
  };
};
