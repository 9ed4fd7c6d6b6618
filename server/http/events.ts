// Server-sent events: each change after its commit, as the contract shows it elsewhere. Secrets are never in one.
import type { Response } from 'express';
import type { EngineEvent } from '../engine/ports.ts';

const pingMs = 15_000;

export type Subscribe = (listen: (event: EngineEvent) => void) => () => void;
export type Render = (event: EngineEvent) => Record<string, unknown>;

/** Keeps the connection until the client leaves. */
export const streamEvents = (response: Response, subscribe: Subscribe, render: Render): void => {
  response.writeHead(200, { 'Content-Type': 'text/event-stream', 'Cache-Control': 'no-store' });
  response.write(': connected\n\n');
  const end = subscribe((event) => {
    // A reader that does not keep up is let go; it reconnects and reads a fresh snapshot.
    if (response.writableLength > 1_048_576) response.destroy();
    else response.write(`event: ${event.type}\ndata: ${JSON.stringify(render(event))}\n\n`);
  });
  const ping = setInterval(() => response.write(': ping\n\n'), pingMs);
  response.on('close', () => {
    clearInterval(ping);
    end();
  });
};
