// Server-sent events: each change after its commit, in the contract's words. An event never contains a secret.
import type { Response } from 'express';
import type { OwnerEvent } from '../contract/owner-api.ts';

const pingMs = 15_000;

export type Subscribe = (listen: (event: OwnerEvent) => void) => () => void;

/** Keeps the connection open until the client leaves or loses its right to listen: session ended, treasury locked. */
export const streamEvents = (response: Response, subscribe: Subscribe, mayListen: () => boolean): void => {
  response.writeHead(200, { 'Content-Type': 'text/event-stream', 'Cache-Control': 'no-store' });
  response.write(': connected\n\n');
  const end = subscribe(({ type, data }) => {
    // A reader that falls behind is disconnected; it reconnects and reads a fresh snapshot.
    if (response.writableLength > 1_048_576 || !mayListen()) response.destroy();
    else response.write(`event: ${type}\ndata: ${JSON.stringify(data)}\n\n`);
  });
  const ping = setInterval(() => {
    if (mayListen()) response.write(': ping\n\n');
    else response.destroy();
  }, pingMs);
  response.on('close', () => {
    clearInterval(ping);
    end();
  });
};
