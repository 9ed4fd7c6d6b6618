// The waits of the bridge and the command for a treasury that holds its answer, and the number of their requests.
import { createServer, type ServerResponse } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createAgentClient } from '../../server/client/agent-client.ts';
import { hashOfKey, healthProof } from '../../server/contract/host/health-proof.ts';

const apiKey = 'atk_of_a_test';
let asked: { wait: string; key: string }[];
let answer: (response: ServerResponse) => void;
/** A host that knows the API key, and answers as the test says. */
const server = createServer((request, response) => {
  const url = new URL(request.url ?? '/', 'http://127.0.0.1');
  response.setHeader('content-type', 'application/json');
  if (url.pathname === '/v1/health') {
    const proof = healthProof(hashOfKey(apiKey), url.searchParams.get('nonce') ?? '', ownUrl());
    response.end(JSON.stringify({ ok: true, proof }));
    return;
  }
  asked.push({ wait: String(request.headers['prefer']), key: String(request.headers['idempotency-key']) });
  answer(response);
});
const ownUrl = (): string => `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
beforeEach(async () => {
  asked = [];
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
});
afterEach(() => {
  server.close();
  server.closeAllConnections();
});

const ask = () =>
  createAgentClient({
    env: { TREASURY_URL: ownUrl(), TREASURY_OWNER: 'me' },
    identify: () => ({ agentId: 'scout', apiKey }),
    answersWithinMs: 200,
  }).ask(
    'fetch',
    { body: { url: 'https://a.example/' } },
    { key: 'key-1', waitSeconds: 1, sellerSeconds: 1 },
  );

it('waits for the treasury, for the owner or the chain, and for the seller', async () => {
  answer = (response) => void setTimeout(() => response.end('{"status":200}'), 1_700);
  expect((await ask()).body).toEqual({ status: 200 });
  expect(asked).toEqual([{ wait: 'wait=1', key: 'key-1' }]);
});

it('does not wait as long a second time for an answer that did not come', async () => {
  answer = () => undefined;
  await expect(ask()).rejects.toMatchObject({
    code: 'halted',
    message: expect.stringContaining('did not answer in time'),
    details: { lost: true },
  });
  expect(asked).toHaveLength(1);
});

it('asks again under the same key when the connection breaks', async () => {
  let broken = 2;
  answer = (response) => {
    broken -= 1;
    if (broken < 0) response.end('{"status":200}');
    else response.destroy();
  };
  expect((await ask()).body).toEqual({ status: 200 });
  expect(asked.map(({ key }) => key)).toEqual(['key-1', 'key-1', 'key-1']);
});
