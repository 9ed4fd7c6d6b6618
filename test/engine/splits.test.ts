// A seller that has one payment split among several recipients: each of them counts as a payee of the payment.
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Keypair } from '@solana/web3.js';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Answer } from '../harness/http-client.ts';
import {
  deploy,
  openTreasury,
  rpcCall,
  openSandbox,
  until,
  type TestSandbox,
  type TestAgent,
  type Treasury,
} from '../harness/treasury.ts';
import { challengeOf, mppRequest } from '../x402/dialects/samples.ts';

interface Part {
  recipient: string;
  amount: string;
}

let treasury: Treasury;
let sandbox: TestSandbox;
let server: Server;
let url = '';
let agent: TestAgent;
let n = 0;
let payee = '';
let partner = '';
let splits: Part[] = [];

const newPayee = async (): Promise<string> => {
  const address = Keypair.generate().publicKey.toBase58();
  await rpcCall(sandbox.rpcUrl, 'sandbox_fundUsdc', [address, '0']);
  return address;
};

beforeAll(async () => {
  server = createServer((request, response) => {
    if (request.headers.authorization?.startsWith('Payment ') === true) return void response.end('served');
    const asked = mppRequest({ recipient: payee }, { splits });
    response.writeHead(402, { 'www-authenticate': challengeOf(asked, { id: String(n) }) }).end();
  }).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  sandbox = await openSandbox();
  const ws = sandbox.rpcUrl.replace('http', 'ws');
  treasury = await openTreasury({ args: ['--rpc', sandbox.rpcUrl, '--ws', ws, '--allow-origin', url] });
  await treasury.client.post('/v1/sandbox/faucet', { amount: '100' });
});
afterAll(async () => {
  await treasury.close();
  server.close();
  await sandbox.close();
});
beforeEach(async () => {
  n += 1;
  [payee, partner] = [await newPayee(), await newPayee()];
  splits = [{ recipient: partner, amount: '4000' }];
  agent = await deploy(treasury.client, `buyer-${n}`, { allocate: '2.00' });
});

const store = () => treasury.host.engine.context.store;
const buy = (): Promise<Answer> =>
  agent.client.post(`/v1/agents/${agent.agentId}/fetch`, { url: `${url}/${n}` }, { prefer: 'wait=0' });
const paid = async (): Promise<void> => {
  const before = store().transfers.lastSeq();
  const answer = await buy();
  expect([200, 202], answer.text).toContain(answer.status);
  expect(answer.body['status'], answer.text).not.toBe('awaiting_approval');
  await until('it to be final', () => {
    const [row] = store().transfers.list({ agentId: agent.agentId, kinds: ['payment'], limit: 1 });
    return row !== undefined && row.seq > before && row.state === 'final';
  });
};
const held = async (): Promise<Answer['body']> => {
  const { status, body, text } = await buy();
  expect([status, body['status']], text).toEqual([202, 'awaiting_approval']);
  return (await treasury.client.get(`/v1/approvals/${body['approvalId']}`)).body;
};
const grant = async ({ approvalId, hash }: Answer['body'], standing?: object): Promise<void> => {
  const body = { hash, ...(standing === undefined ? {} : { standing }) };
  const answer = await treasury.client.post(`/v1/approvals/${approvalId}/grant`, body);
  expect(answer.status, answer.text).toBe(200);
  await until('it to end', () => store().transfers.openOf(agent.agentId).length === 0);
};
const policy = (change: object) => treasury.client.post(`/v1/agents/${agent.agentId}/policy`, change);
const list = (payees: readonly string[], id = `shop-${n}`): void =>
  store().atomically(() =>
    store().services.upsert(
      {
        id,
        name: 'Shop',
        description: '',
        category: 'api',
        source: 'x402-marketplace',
        endpoint: 'GET /',
        origin: id.startsWith('shop') ? url : 'https://elsewhere.example',
        payees,
        pricing: {},
        price: '0.01',
        vouched: true,
      },
      { addedByOwner: true },
    ),
  );
const unlist = (id = `shop-${n}`): void => store().atomically(() => store().services.remove(id));

describe('each recipient', () => {
  it('is paid its part, and the budget counts the whole', async () => {
    await paid();
    const [row] = store().transfers.list({ agentId: agent.agentId, kinds: ['payment'], limit: 1 });
    expect(row).toMatchObject({ amount: 10_000n, payee, state: 'final' });
    expect(row?.purchase?.splits).toEqual([{ payee: partner, amount: 4_000n, memo: null }]);
    const { body } = await treasury.client.get(`/v1/transfers/${row?.id ?? ''}`);
    expect(body['purchase'].splits).toEqual([{ payee: partner, amount: '0.004' }]);
    const balances = await treasury.host.engine.context.chain.balances([payee, partner]);
    expect(balances.units).toEqual([6_000n, 4_000n]);
    const asked = { service: 'sandbox-weather', amount: '0.01' };
    const explained = await agent.client.post(`/v1/agents/${agent.agentId}/policy/explain`, asked);
    expect(explained.body['budget'], explained.text).toMatchObject({ spent: '0.01' });
  });

  it('has to be pinned where the service has pinned payees, and a grant pins it', async () => {
    list([payee]);
    try {
      const asked = await held();
      expect(asked['shown']).toMatchObject({
        because: 'payee_changed',
        payee,
        payeeGets: '0.006',
        splits: [{ payee: partner, amount: '0.004', payeeIsNew: true }],
        payeesSoFar: [payee],
      });
      await grant(asked);
      expect(store().services.get(`shop-${n}`)?.payees).toEqual([payee, partner]);
      await paid();
    } finally {
      unlist();
    }
  });

  it('has to be known where the policy asks before new payees', async () => {
    splits = [];
    await paid();
    splits = [{ recipient: partner, amount: '4000' }];
    await policy({ newPayees: 'approve' });
    const asked = await held();
    expect(asked['shown']).toMatchObject({ because: 'new_payee', payeeIsNew: false });
    await grant(asked);
    await paid();
  });

  it('has to be named by a standing approval', async () => {
    await policy({ approveAbove: '0' });
    list([payee]);
    try {
      splits = [];
      await grant(await held(), { upTo: '1.00', until: new Date(Date.now() + 86_400_000).toISOString() });
      await paid();
      splits = [{ recipient: partner, amount: '4000' }];
      store().atomically(() => store().services.pin(`shop-${n}`, [payee, partner]));
      expect((await held())['shown']).toMatchObject({ because: 'approve_above' });
    } finally {
      unlist();
    }
  });

  it('is refused as the payee of a blocked service, and as that of a limited one under another name', async () => {
    list([partner], `other-${n}`);
    try {
      await policy({ serviceLimits: { [`other-${n}`]: { maxPerPayment: '0.001' } } });
      expect((await buy()).body).toMatchObject({ details: { service: `other-${n}` } });
      await policy({ serviceLimits: {} });
      await treasury.client.post(`/v1/services/other-${n}/rules`, { blocked: true });
      expect((await buy()).body).toMatchObject({ code: 'service_blocked' });
      expect(store().transfers.openOf(agent.agentId)).toEqual([]);
    } finally {
      unlist(`other-${n}`);
    }
  });

  it('is blocked with its seller, under any other name', async () => {
    await paid();
    store().atomically(() => store().serviceRules.set(url, { blockedAt: 1 }));
    try {
      for (const one of [payee, partner]) {
        const elsewhere = { serviceId: 'elsewhere', payee: one, url: 'https://elsewhere.example/' };
        expect(store().serviceRules.blocking(elsewhere)).toBe(url);
      }
    } finally {
      store().atomically(() => store().serviceRules.set(url, { blockedAt: null }));
    }
  });

  it('counts for the watch as a payee that is paid for the first time', async () => {
    splits = await Promise.all(
      Array.from({ length: 4 }, async () => ({ recipient: await newPayee(), amount: '1000' })),
    );
    await paid();
    const memory = store().watch.agentMemory(agent.agentId);
    expect(memory?.firstPaid?.map(({ payee: one }) => one)).toEqual([
      payee,
      ...splits.map(({ recipient }) => recipient),
    ]);
  });
});
