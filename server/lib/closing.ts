import type { Server } from 'node:http';
import type { Socket } from 'node:net';

/**
 * Waits for parts that are ending. Whatever has to last is on disk already, so no part may keep the program from its end.
 * @param withinMs for all of them together
 * @throws Error that names the parts that did not end in time; else, once all have ended, what the first to fail rejects
 *   with
 */
export const endInTime = async (
  parts: Readonly<Record<string, Promise<unknown>>>,
  withinMs: number,
): Promise<void> => {
  const open = new Set(Object.keys(parts));
  const late = Promise.withResolvers<never>();
  const failed: unknown[] = [];
  const timer = setTimeout(() => {
    const message = `still not ended after ${withinMs / 1_000} s: ${[...open].join(', ')}`;
    late.reject(new Error(message, { cause: failed[0] }));
  }, withinMs);
  const ended = Object.entries(parts).map(async ([name, end]) => {
    await end.catch((error: unknown) => failed.push(error));
    open.delete(name);
  });
  await Promise.race([Promise.all(ended), late.promise]).finally(() => clearTimeout(timer));
  if (failed.length > 0) throw failed[0];
};

/**
 * For a server that has not begun to listen. Returns a function that ends it: no new connection, and after the patience no
 * old one, not even a socket that Node no longer counts as the server's (CONNECT, Upgrade).
 * @param patienceMs for what is under way
 */
export const closerOf = (server: Server, patienceMs: number): (() => Promise<void>) => {
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  return () =>
    new Promise((resolve) => {
      server.close(() => resolve());
      server.closeIdleConnections();
      setTimeout(() => {
        for (const socket of sockets) socket.destroy();
      }, patienceMs).unref();
    });
};
