// A service with pinned payees: the owner has to approve each time that its 402 names another payee.
import { Keypair } from '@solana/web3.js';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { beforeSigning } from '../harness/before-signing.ts';
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
import { createX402Seller, type X402Seller } from '../harness/x402-seller.ts';

let sandbox: TestSandbox;
let seller: X402Seller;
let treasury: Treasury;
let agent: TestAgent;
let payees: string[] = [];
let n = 0;

const newPayee = async (): Promise<string> => {
  const payee = Keypair.generate().publicKey.toBase58();
  await rpcCall(sandbox.rpcUrl, 'sandbox_fundUsdc', [payee, '0']);
  return payee;
};
beforeAll(async () => {
  sandbox = await openSandbox();
  seller = await createX402Seller(sandbox.rpcUrl);
  const ws = `ws://127.0.0.1:${new URL(sandbox.rpcUrl).port}`;
  const args = ['--rpc', sandbox.rpcUrl, '--ws', ws, '--allow-origin', seller.url];
  treasury = await openTreasury({ args });
  await treasury.client.post('/v1/sandbox/faucet', { amount: '100' });
});
afterAll(async () => {
  await treasury.close();
  await seller.close();
  await sandbox.close();
});
beforeEach(async () => {
  n += 1;
  payees = [await newPayee(), await newPayee(), await newPayee()];
  agent = await deploy(treasury.client, `buyer-${n}`, { allocate: '2.00' });
  const { store } = treasury.host.engine.context;
  store.atomically(() =>
    store.services.upsert(
      {
        id: `pinned-${n}`,
        name: 'Pinned',
        description: '',
        category: 'api',
        source: 'x402-marketplace',
        endpoint: 'GET /',
        origin: seller.url,
        payees: payees.slice(0, 2),
        pricing: {},
        price: '0.01',
        vouched: true,
      },
      { addedByOwner: true },
    ),
  );
  // One place, one entry: the former one is removed.
  if (n > 1) store.atomically(() => store.services.remove(`pinned-${n - 1}`));
});

const policy = (change: object) => treasury.client.post(`/v1/agents/${agent.agentId}/policy`, change);
/** Makes the seller's 402 name this one of the three. */
const buyFrom = (index: number): Promise<Answer> => {
  seller.offer.payTo = payees[index] ?? '';
  const body = { url: `${seller.url}/data?of=${n}` };
  return agent.client.post(`/v1/agents/${agent.agentId}/fetch`, body, { prefer: 'wait=0' });
};
const paid = async (index: number): Promise<void> => {
  const { store } = treasury.host.engine.context;
  const before = store.transfers.lastSeq();
  const answer = await buyFrom(index);
  expect([200, 202], answer.text).toContain(answer.status);
  expect(answer.body['status']).not.toBe('awaiting_approval');
  await until('it to be final', () => {
    const [row] = store.transfers.list({ agentId: agent.agentId, kinds: ['payment'], limit: 1 });
    return row !== undefined && row.seq > before && row.state === 'final' && row.payee === payees[index];
  });
};
const approvalOf = async ({ body }: Answer): Promise<Answer['body']> =>
  (await treasury.client.get(`/v1/approvals/${body['approvalId']}`)).body;
const grant = async (held: Answer, standing?: object): Promise<void> => {
  const { hash } = await approvalOf(held);
  const answer = await treasury.client.post(`/v1/approvals/${held.body['approvalId']}/grant`, {
    hash,
    ...(standing === undefined ? {} : { standing }),
  });
  expect(answer.status, answer.text).toBe(200);
  const { store } = treasury.host.engine.context;
  await until('it to end', () => store.transfers.openOf(agent.agentId).length === 0);
};

const grants = async () =>
  (await treasury.client.get('/v1/grants')).body['grants'].filter(
    ({ agentId }: { agentId: string }) => agentId === agent.agentId,
  );

describe('agreeing to a further payee', () => {
  it('leaves the others as they were: they are paid without being asked for', async () => {
    await paid(0);
    const held = await buyFrom(2);
    expect(held.body['status']).toBe('awaiting_approval');
    expect((await approvalOf(held))['shown']).toMatchObject({
      because: 'payee_changed',
      payeesSoFar: payees.slice(0, 2),
    });
    await grant(held);
    const { store } = treasury.host.engine.context;
    expect(store.services.get(`pinned-${n}`)?.payees).toEqual(payees);
    for (const index of [0, 1, 2]) await paid(index);
  });

  it('pays nothing if the service names others again before it is signed', async () => {
    const held = await buyFrom(2);
    const { store } = treasury.host.engine.context;
    const row = await beforeSigning(
      treasury,
      agent.agentId,
      () => grant(held),
      () => store.atomically(() => store.services.pin(`pinned-${n}`, payees.slice(0, 1))),
    );
    expect([row.state, row.refusal?.details]).toEqual(['cancelled', { because: 'payee_changed' }]);
  });
});

describe('a standing approval for a pinned service', () => {
  it.each([
    ['above approveAbove', { approveAbove: '0' }],
    ['as a new payee', { newPayees: 'approve' }],
  ])('never pays a payee that the service now names instead, asked for %s', async (_case, change) => {
    await policy(change);
    const end = new Date(Date.now() + 86_400_000).toISOString();
    await grant(await buyFrom(0), { upTo: '1.00', until: end });
    if ('approveAbove' in change) await paid(0);
    const [before] = await grants();
    expect(before.endedBecause).toBeNull();
    const held = await buyFrom(2);
    expect([held.status, held.body['status']]).toEqual([202, 'awaiting_approval']);
    expect((await approvalOf(held))['shown']).toMatchObject({ because: 'payee_changed', payee: payees[2] });
    expect(await grants()).toEqual([before]);
  });

  it('never pays a payee that it names itself once the service has others', async () => {
    await policy({ approveAbove: '0' });
    const end = new Date(Date.now() + 86_400_000).toISOString();
    await grant(await buyFrom(0), { upTo: '1.00', until: end });
    await paid(0);
    const { store } = treasury.host.engine.context;
    store.atomically(() => store.services.pin(`pinned-${n}`, payees.slice(1, 2)));
    const [before] = store.grants.list().filter(({ agentId }) => agentId === agent.agentId);
    const held = await buyFrom(0);
    expect([held.status, held.body['status']]).toEqual([202, 'awaiting_approval']);
    expect((await approvalOf(held))['shown']).toMatchObject({ because: 'payee_changed', payee: payees[0] });
    expect(store.grants.get(before?.id ?? '')).toEqual(before);
  });
});
