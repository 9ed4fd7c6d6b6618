// From a server in Python to its first sales: the official clients of each protocol and a treasury buy through the gate.
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { freePort } from '../harness/programs/free-port.ts';
import { deploy, openTreasury, type Treasury } from '../harness/treasury.ts';
import { openBazaar, type Bazaar, type ClientName } from '../paywall/bazaar.ts';
import { openGate, send, type Opened } from './open-gate.ts';

let bazaar: Bazaar;
let opened: Opened;
let python: ChildProcess;
let treasury: Treasury;
const came: string[] = [];
beforeAll(async () => {
  bazaar = await openBazaar();
  const { market, facilitator } = bazaar;
  const site = join(market.dataDir, 'site');
  mkdirSync(site);
  writeFileSync(join(site, 'report'), '{"report":"fine"}');
  const port = await freePort();
  const server = ['-u', '-m', 'http.server', String(port), '--bind', '127.0.0.1', '--directory', site];
  python = spawn('python3', server, { stdio: ['ignore', 'pipe', 'pipe'] });
  python.stderr?.on('data', (line) => came.push(String(line)));
  await once(python.stdout as NodeJS.ReadableStream, 'data');
  const routes = `settle: ${facilitator.says['url']}
routes:
  - { method: GET, path: /report, price: '0.001', description: A report, input: { type: object }, output: { type: object } }
`;
  opened = await openGate(market, `http://127.0.0.1:${port}`, routes);
  treasury = await openTreasury({ args: ['--rpc', market.rpcUrl, '--allow-origin', opened.origin] });
}, 60_000);
afterAll(async () => {
  await treasury.close();
  await opened.close();
  python.kill();
  await bazaar.close();
});

it.each<ClientName>(['x402-v2', 'x402-v1', 'mpp'])('the official client of %s buys', async (name) => {
  const { status, body, settlement } = await bazaar.buy(name, `${opened.origin}/report`);
  expect([status, body]).toEqual([200, '{"report":"fine"}']);
  expect(settlement).not.toBeNull();
});

it('a treasury buys, and the server has been asked once for each sale', async () => {
  await treasury.client.post('/v1/sandbox/faucet', { amount: '100' });
  const agent = await deploy(treasury.client, 'buyer');
  const asked = { url: `${opened.origin}/report`, method: 'GET' };
  const bought = await agent.client.post('/v1/agents/buyer/fetch', asked, { key: 'first' });
  expect(bought.body, bought.text).toMatchObject({
    status: 200,
    payment: { amount: '0.001', status: 'confirmed' },
  });
  expect(came.join('').match(/"GET \/report HTTP/g)).toHaveLength(4);
  expect((await send(opened.origin, '/report')).status).toBe(402);
});
