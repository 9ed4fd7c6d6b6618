// An API key that the owner revokes pays nothing more, not even a payment that it had begun.
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { openRich, seller, useSeller } from '../harness/seller-treasury.ts';
import { deploy, type TestAgent, type Treasury } from '../harness/treasury.ts';

useSeller();
let slow: Server;
let slowUrl = '';
let beforeOffer: () => Promise<unknown>;
let treasury: Treasury;
let agent: TestAgent;
let n = 0;

beforeAll(async () => {
  // Answers with the same 402 as the other seller, but later.
  slow = createServer((_request, response) => {
    const offered = beforeOffer().then(() => fetch(`${seller.url}/data`));
    void offered.then(({ headers }) => {
      response.statusCode = 402;
      response.setHeader('payment-required', headers.get('payment-required') ?? '').end('{}');
    });
  }).listen(0, '127.0.0.1');
  await once(slow, 'listening');
  slowUrl = `http://127.0.0.1:${(slow.address() as AddressInfo).port}`;
  treasury = await openRich({}, slowUrl);
});
afterAll(async () => {
  await treasury.close();
  slow.close();
});
beforeEach(async () => {
  n += 1;
  agent = await deploy(treasury.client, `buyer-${n}`, { allocate: '1.00' });
});

const rows = () => [
  ...treasury.host.engine.context.store.transfers.iterate({ agentId: agent.agentId, kinds: ['payment'] }),
];
const revoke = async (): Promise<void> => {
  const keys = `/v1/agents/${agent.agentId}/keys`;
  const [{ keyId }] = (await treasury.client.get(keys)).body['keys'] as [{ keyId: string }];
  expect((await treasury.client.call('DELETE', `${keys}/${keyId}`)).status).toBe(200);
};

describe('a key that is revoked', () => {
  it('while its seller has yet to name a price reserves nothing', async () => {
    beforeOffer = revoke;
    const answer = await agent.client.post(`/v1/agents/${agent.agentId}/fetch`, { url: `${slowUrl}/data` });
    expect([answer.status, answer.body['code']]).toEqual([401, 'unauthorized']);
    expect(rows()).toEqual([]);
  });

  it('between reservation and signature has nothing signed, and gives back what was reserved', async () => {
    const { chain, store } = treasury.host.engine.context;
    const { lifetime } = chain;
    chain.lifetime = async () => {
      await revoke();
      return lifetime();
    };
    try {
      const answer = await agent.pay('0.1', { prefer: 'wait=20' });
      expect([answer.status, answer.body['code']]).toEqual([401, 'unauthorized']);
    } finally {
      chain.lifetime = lifetime;
    }
    expect(rows()).toMatchObject([{ state: 'cancelled', signed: null, refusal: { code: 'unauthorized' } }]);
    expect(store.spend.at(agent.agentId, Date.now()).open).toBe(0n);
  });
});
