// A statement may take any time while it keeps coming, and an incomplete one is not left behind.
import { once } from 'node:events';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { afterEach, expect, it, vi } from 'vitest';
import { createClient, isLost } from '../../server/client/client.ts';
import { writeToken } from '../../server/client/terminal-token.ts';
import { useFolders } from '../harness/folders.ts';
import { run } from './terminal.ts';

const limitMs = 50;
const folder = useFolders();
let close: () => void;
afterEach(() => {
  vi.restoreAllMocks();
  close();
});

/** A treasury that takes three times as long to answer as the client waits for one. */
const openSlow = async (end: (response: ServerResponse) => void) => {
  const timeout = AbortSignal.timeout;
  vi.spyOn(AbortSignal, 'timeout').mockImplementation(() => timeout(limitMs));
  const server = createServer(async (_request, response) => {
    response.write('timestamp,id\r\n');
    await wait(3 * limitMs);
    end(response);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  close = () => {
    server.closeAllConnections();
    server.close();
  };
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const dataDir = folder();
  const endpoint = { url, pid: process.pid, owner: 'own_1', network: 'sandbox' } as const;
  mkdirSync(join(dataDir, 'runtime'));
  writeFileSync(join(dataDir, 'runtime', 'endpoint.json'), JSON.stringify(endpoint));
  writeToken(dataDir, { token: 'of-the-owner', expiresAt: '2100-01-01T00:00:00.000Z' });
  const file = join(folder(), 'statement.csv');
  const statement = (...args: string[]) => run(['--data', dataDir, 'statement', ...args], { home: folder() });
  return { statement, file, client: createClient(endpoint, 'of-the-owner') };
};

it('may take longer than the limit for an answer, which holds for everything else', async () => {
  const { statement, client } = await openSlow((response) => response.end('today,pay_1\r\n'));
  expect(await statement()).toEqual({ code: 0, stderr: '', stdout: 'timestamp,id\r\ntoday,pay_1\r\n' });
  expect(await client.ask('activity').then(() => false, isLost)).toBe(true);
});

it('that breaks off is reported as such, and leaves no file', async () => {
  const { statement, file } = await openSlow((response) => response.destroy());
  const brokenOff = { code: 1, stderr: expect.stringContaining('is not complete. Export it again') };
  expect(await statement()).toMatchObject(brokenOff);
  expect(await statement('--out', file)).toMatchObject(brokenOff);
  expect(existsSync(file)).toBe(false);
});
