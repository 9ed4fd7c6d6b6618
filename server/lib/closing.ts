import type { Server } from 'node:http';
import type { Socket } from 'node:net';

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
