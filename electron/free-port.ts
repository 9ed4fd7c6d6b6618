// Finds out whether a port of 127.0.0.1 is taken, and finds a free one.
import { createServer, type AddressInfo } from 'node:net';

/** Resolves to the port, or null when another program has it. 0 picks a free one. */
const tryPort = (port: number): Promise<number | null> =>
  new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(null));
    server.listen(port, '127.0.0.1', () => {
      const { port: bound } = server.address() as AddressInfo;
      server.close(() => resolve(bound));
    });
  });

export const isTaken = async (port: number): Promise<boolean> => port !== 0 && (await tryPort(port)) === null;

export const findFreePort = async (): Promise<number> => (await tryPort(0)) ?? 0;
