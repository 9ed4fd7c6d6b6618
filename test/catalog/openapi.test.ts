// A seller that is found by its own document: a gate's OpenAPI is a source of the catalog, and an agent buys from it.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openGate, type Opened } from '../gate/open-gate.ts';
import { deploy, openTreasury, until, type Treasury } from '../harness/treasury.ts';
import { closeServer } from '../paywall/seller.ts';
import { createMarket, type Market } from '../x402/market.ts';

const routes = `
about: { title: Reports }
routes:
  - { method: GET,  path: /report, price: '0.01', description: A report }
  - { method: POST, path: /orders, price: '0.02' }
  - { method: GET,  path: /summaries/:id, price: '0.03' }
  - { method: GET,  path: /health, free: true }
`;

let market: Market;
let gate: Opened;
let treasury: Treasury;
const asked: string[] = [];
beforeAll(async () => {
  market = await createMarket();
  gate = await openGate(
    market,
    ({ method, url }, response) => {
      asked.push(`${method} ${url}`);
      response.end('"sold"');
    },
    routes,
  );
  const { rpcUrl } = market;
  const ws = rpcUrl.replace('http', 'ws');
  treasury = await openTreasury({ args: ['--rpc', rpcUrl, '--ws', ws, '--allow-origin', gate.origin] });
  await treasury.client.post('/v1/sandbox/faucet', { amount: '100' });
});
afterAll(async () => {
  await treasury.close();
  await gate.close();
  await market.close();
});

/** The source when its first pass has ended. */
const importFrom = async ({ client }: Treasury, url: string): Promise<Record<string, string>> => {
  const { body } = await client.post('/v1/catalog-sources', { url });
  return until('the import', async () => {
    const all: Record<string, string>[] = (await client.get('/v1/catalog-sources')).body['sources'];
    const one = all.find(({ sourceId }) => sourceId === body['sourceId']);
    return one?.['state'] !== 'running' && Date.parse(one?.['nextRunAt'] ?? '') > Date.now() && one;
  });
};

it('is imported with the price and payee of each 402, which nothing is bought for', async () => {
  expect(await importFrom(treasury, gate.origin)).toMatchObject({ error: null, added: 2, skipped: 0 });
  const { results } = (await treasury.client.get('/v1/services/search?q=Reports')).body;
  const payees = [market.seller.publicKey.toBase58()];
  expect(results).toHaveLength(2);
  expect(results).toContainEqual(
    expect.objectContaining({ name: 'Reports /report', description: 'A report', price: '0.01', payees }),
  );
  expect(results).toContainEqual(
    expect.objectContaining({ endpoint: 'POST /orders', price: '0.02', payees }),
  );
  expect(asked).toEqual([]);
});

it('is bought from by an agent', async () => {
  const scout = await deploy(treasury.client, 'scout');
  const { body } = await scout.client.post('/v1/agents/scout/fetch', {
    url: `${gate.origin}/report`,
    maxAmount: '0.01',
  });
  expect(body).toMatchObject({ status: 200, body: '"sold"', payment: { amount: '0.01' } });
  expect(asked).toEqual(['GET /report']);
});

it('cannot name an address of others, and is refused when it is no document', async () => {
  const paid = { get: { 'x-payment-info': {} } };
  const target = new URL(gate.origin);
  let document: unknown = {
    servers: [{ url: gate.origin }],
    paths: { '@127.0.0.1:1/x': paid, [`@${target.host}/report`]: paid, '/gone': paid },
  };
  const came: string[] = [];
  const server = createServer(({ url }, response) => {
    came.push(String(url));
    response.writeHead(url === '/openapi.json' ? 200 : 404).end(JSON.stringify(document));
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const own = await openTreasury({ args: ['--allow-origin', origin] });
  const { sourceId, ...first } = await importFrom(own, origin);
  expect(first).toMatchObject({ error: null, added: 0, skipped: 1 });
  expect(came).toEqual([expect.stringMatching(/^\/discovery\/resources/), '/openapi.json', '/gone']);
  document = { paths: [] };
  await own.client.call('DELETE', `/v1/catalog-sources/${sourceId}`);
  expect(await importFrom(own, origin)).toMatchObject({
    error: expect.stringContaining('has no list, and no openapi.json'),
  });
  await own.close();
  await closeServer(server);
});
