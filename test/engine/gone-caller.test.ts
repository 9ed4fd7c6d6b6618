// A client dies while the host is suspended, and its successor asks for the same at once: one payment.
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterAll, beforeAll, expect, it } from 'vitest';
import {
  deploy,
  instantly,
  removeFolder,
  spawnTreasury,
  temporaryFolder,
  type Process,
  type TestAgent,
} from '../harness/treasury.ts';

const trials = 150;
const folder = temporaryFolder();
let treasury: Process;
let agent: TestAgent;
beforeAll(async () => {
  treasury = await spawnTreasury(folder, instantly);
  agent = await deploy(treasury.client, 'racer', { allocate: '4.00' });
});
afterAll(async () => {
  await treasury.kill('SIGTERM');
  removeFolder(folder);
});

const request = (amount: string): string => {
  const body = JSON.stringify({ service: 'sandbox-weather', amount, currency: 'USDC' });
  return [
    `POST /v1/agents/racer/pay?owner=${treasury.ready.owner} HTTP/1.1`,
    `Host: ${new URL(treasury.ready.url).host}`,
    `Authorization: Bearer ${agent.key}`,
    'Content-Type: application/json',
    'Prefer: wait=20, continue',
    `Content-Length: ${Buffer.byteLength(body)}`,
    '',
    body,
  ].join('\r\n');
};
const open = async (): Promise<Socket> => {
  const { hostname, port } = new URL(treasury.ready.url);
  const socket = connect(Number(port), hostname).setNoDelay(true);
  socket.on('error', () => {});
  await once(socket, 'connect');
  return socket;
};
/** Without giving the event loop a turn. */
const work = (ms: number): void => {
  const end = performance.now() + ms;
  while (performance.now() < end);
};

it('never pays a continued purchase twice, whenever its first client dies', async () => {
  const { pid } = treasury.ready;
  const twice: string[] = [];
  for (let n = 0; n < trials; n += 1) {
    const amount = `0.00${1_000 + n}`;
    const [first, second] = [await open(), await open()];
    first.write(request(amount));
    if (n % 2 === 1) work((n % 30) * 0.1);
    process.kill(pid, 'SIGSTOP');
    if (n % 2 === 0) work(1);
    first.destroy();
    second.write(request(amount));
    work(1);
    process.kill(pid, 'SIGCONT');
    await once(second, 'data');
    second.destroy();
    const { body } = await agent.client.get('/v1/agents/racer/spend-history?limit=20');
    const paid = (body['payments'] as { amount: string }[]).filter(
      (one) => Number(one.amount) === Number(amount),
    );
    if (paid.length > 1) twice.push(amount);
  }
  expect(twice).toEqual([]);
});
