// Server-sent events: each change after its commit, in the contract's words. An event never contains a secret.
import type { Response } from 'express';
import type { OwnerEvent } from '../contract/owner-api.ts';
import { whenOver } from './when-over.ts';

const pingMs = 15_000;

export type Subscribe<E = OwnerEvent> = (listen: (event: E) => void) => () => void;

/** Null: nothing to tell, but perhaps the listener has lost its right to listen. */
type Shown = { type: string; data: unknown } | null;

interface Listener {
  /** Whether its credential is still in force. */
  mayListen(): boolean;
  /** A reader that falls behind by more bytes is disconnected; it reconnects and reads a fresh snapshot. */
  mostBehind: number;
}

/** Keeps the connection open until the client leaves or loses its right to listen. */
export const streamEvents = <E extends Shown>(
  response: Response,
  subscribe: Subscribe<E>,
  { mayListen, mostBehind }: Listener,
): void => {
  response.writeHead(200, { 'Content-Type': 'text/event-stream', 'Cache-Control': 'no-store' });
  response.write(': connected\n\n');
  const end = subscribe((event) => {
    if (response.writableLength > mostBehind || !mayListen()) response.destroy();
    else if (event !== null) response.write(`event: ${event.type}\ndata: ${JSON.stringify(event.data)}\n\n`);
  });
  const ping = setInterval(() => {
    if (mayListen()) response.write(': ping\n\n');
    else response.destroy();
  }, pingMs);
  whenOver(response, () => {
    clearInterval(ping);
    end();
  });
};
