// Server-sent events: each change after its commit, as the contract shows it elsewhere. Secrets are never in one.
import type { Response } from 'express';
import type { OwnerEvent } from '../contract/owner-api.ts';

const pingMs = 15_000;

export type Subscribe = (listen: (event: OwnerEvent) => void) => () => void;

/** Keeps the connection until the client leaves, or may no longer listen: its session ended, the owner locked. */
export const streamEvents = (response: Response, subscribe: Subscribe, mayListen: () => boolean): void => {
  response.writeHead(200, { 'Content-Type': 'text/event-stream', 'Cache-Control': 'no-store' });
  response.write(': connected\n\n');
  const end = subscribe(({ type, data }) => {
    // A reader that does not keep up is let go; it reconnects and reads a fresh snapshot.
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
