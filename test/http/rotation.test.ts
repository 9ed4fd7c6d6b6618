// API keys that end: at once, or a day after they were rotated.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Client } from '../harness/http-client.ts';
import { deploy, openTreasury, until, type Treasury } from '../harness/treasury.ts';

let wall = Date.now();
let up = 0;
const pass = (ms: number): void => {
  wall += ms;
  up += ms;
};
const day = 24 * 3_600_000;

let treasury: Treasury;
let client: Client;
beforeAll(async () => {
  treasury = await openTreasury({ clock: { wall: () => wall, monotonic: () => up } });
  client = treasury.client;
  await deploy(client, 'bob');
});
afterAll(() => treasury.close());

describe('rotating and revoking', () => {
  it('gives an ending key no more time', async () => {
    const added = (await client.post('/v1/agents/bob/keys')).body;
    const path = `/v1/agents/bob/keys/${added['keyId']}/rotate`;
    expect((await client.post(path)).status).toBe(200);
    pass(day / 2);
    expect((await client.post(path)).status).toBe(200);
    pass(day / 2 + 1_000);
    expect((await client.as(String(added['apiKey'])).get('/v1/agents/bob/balance')).status).toBe(401);
    expect((await client.post(path)).status).toBe(409);
    expect((await client.as(String(added['apiKey'])).get('/v1/agents/bob/balance')).status).toBe(401);
  });

  it.each([
    ['revoking', (id: string) => client.call('DELETE', `/v1/agents/dave/keys/${id}`)],
    ['rotating at once', (id: string) => client.post(`/v1/agents/dave/keys/${id}/rotate`, { now: true })],
  ])('%s ends the waits of a key and cancels its requests', async (_, end) => {
    const { store } = treasury.host.engine.context;
    if (store.agents.get('dave') === undefined)
      await deploy(client, 'dave', { policy: { approveAbove: '0' } });
    const { body } = await client.post('/v1/agents/dave/keys');
    const dave = client.as(String(body['apiKey']));
    const payment = { service: 'sandbox-weather', amount: '0.5', currency: 'USDC' };
    const waiting = dave.post('/v1/agents/dave/pay', payment, { prefer: 'wait=30' });
    const approval = await until('its approval', () => store.approvals.pending('dave')[0]);
    expect((await end(String(body['keyId']))).status).toBe(200);
    expect((await waiting).status).toBeGreaterThanOrEqual(400);
    expect(store.approvals.get(approval.id)?.status).toBe('cancelled');
    expect((await dave.get('/v1/agents/dave/balance')).status).toBe(401);
  });
});
