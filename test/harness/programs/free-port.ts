// A port that is named before a program listens on it, or that a program returns to after a restart.
import { once } from 'node:events';
import { createServer } from 'node:net';
import process from 'node:process';

/**
 * Below the ports that systems hand out by themselves, which begin at 32,768 on Linux and at 49,152 elsewhere: nobody gets
 * one of these between two listeners. Each worker of the tests has a range of its own, and the last is for other programs.
 */
const [lowest, portsPerWorker, workers] = [10_000, 2_200, 10];
const worker = (Number(process.env['VITEST_POOL_ID'] ?? workers) - 1) % workers;
/** Two runs on one machine begin at different ports. */
let next = 2 * (process.pid % (portsPerWorker / 2));

/**
 * A port of 127.0.0.1 that nobody has, nor the one after it, where a chain serves its websocket. This process names each
 * once in 1,100 times: who still looks for a chain that ended finds nobody there.
 */
export const freePort = async (): Promise<number> => {
  for (let tried = 0; tried < portsPerWorker; tried += 2) {
    const port = lowest + worker * portsPerWorker + next;
    next = (next + 2) % portsPerWorker;
    if ((await isFree(port)) && (await isFree(port + 1))) return port;
  }
  throw new Error(`no port is free from ${lowest + worker * portsPerWorker} on`);
};

const isFree = async (port: number): Promise<boolean> => {
  const server = createServer().listen(port, '127.0.0.1');
  try {
    await once(server, 'listening');
  } catch {
    return false;
  }
  await new Promise((resolve) => server.close(resolve));
  return true;
};
