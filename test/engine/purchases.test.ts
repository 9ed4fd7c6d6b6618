// The life of a payment whose transaction the facilitator submits: whatever the seller says, there is one signature,
// and the money is held until the chain tells.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { shownEvidence } from '../../server/engine/calls/statements.ts';
import { allWell, audit, clean } from '../harness/engine/audit.ts';
import { deliver, refuse, type X402Seller } from '../harness/chain/x402-seller.ts';
import { openBeside, sandbox, seller, useSeller } from '../harness/chain/seller-treasury.ts';
import {
  deploy,
  removeFolder,
  rpcCall,
  temporaryFolder,
  until,
  type TestAgent,
  type Treasury,
} from '../harness/treasury.ts';

useSeller();
const dataDir = temporaryFolder();
let treasury: Treasury;
let agent: TestAgent;
let n = 0;

const open = async (): Promise<Treasury> => {
  const opened = await openBeside({ dataDir });
  opened.host.engine.onEvent((event) => {
    if (event.type === 'warning') warnings.push(event.message);
  });
  return opened;
};
beforeAll(async () => {
  treasury = await open();
  await treasury.client.post('/v1/sandbox/faucet', { amount: '100' });
});
afterAll(async () => {
  await treasury.close();
  removeFolder(dataDir);
});
const warnings: string[] = [];
beforeEach(async () => {
  n += 1;
  warnings.length = 0;
  agent = await deploy(treasury.client, `buyer-${n}`, { allocate: '1.00' });
});

const rows = () => [
  ...treasury.host.engine.context.store.transfers.iterate({ agentId: agent.agentId, kinds: ['payment'] }),
];
const row = () => {
  const [only, ...others] = rows();
  if (only === undefined || others.length > 0) throw new Error(`${rows().length} payments`);
  return only;
};
const fetch = (key: string, sent: { prefer?: string } = {}, body = {}) =>
  agent.client.post(
    `/v1/agents/${agent.agentId}/fetch`,
    { url: `${seller.url}/data?of=${n}`, ...body },
    { key, ...sent },
  );
const warp = () => rpcCall(sandbox.rpcUrl, 'sandbox_warp', [400]);
const reported = async () => {
  const { agents } = (await treasury.client.get('/v1/dashboard')).body;
  const { lifetimeSpent, lifetimePayments } = agents.find((one: TestAgent) => one.agentId === agent.agentId);
  return { lifetimeSpent, lifetimePayments };
};
const balance = async (): Promise<string> => {
  const { body } = await agent.client.get(`/v1/agents/${agent.agentId}/balance`);
  return String(body['balance']);
};
const ended = () => until('its end', () => ['final', 'failed', 'dead', 'cancelled'].includes(row().state));

describe('a seller that keeps its word', () => {
  it('is paid once, found on the chain by the message, and the same key gives the same answer', async () => {
    const first = await fetch('a');
    expect(first.status).toBe(200);
    expect(first.body).toMatchObject({ status: 200, body: '{"sun":true}', encoding: 'utf8' });
    expect(first.body['payment']).toMatchObject({ amount: '0.01', currency: 'USDC', dialect: 'x402-v2' });
    await until('finality', () => row().state === 'final');
    const again = await fetch('a');
    const settled = { status: 'confirmed', txSignature: row().purchase?.txSignature };
    const payment = { ...(first.body['payment'] as object), ...settled };
    expect(again.body).toEqual({ ...(first.body as object), payment: { ...payment } });
    expect(seller.shown).toHaveLength(1);
    expect(await balance()).toBe('0.99');
    const { body } = await agent.client.get(`/v1/agents/${agent.agentId}/payments/${row().id}`);
    expect(body).toMatchObject({ service: seller.url, ...settled });
    expect(clean(await audit(treasury.host))).toEqual(allWell);
  });

  it('gets each of 50 equal purchases at once in a transaction of its own, also with a memo of its own', async () => {
    const { extra } = seller.offer;
    seller.offer.extra = { ...extra, memo: 'order' };
    const answers = await Promise.all(Array.from({ length: 50 }, (_, index) => fetch(`many-${index}`)));
    seller.offer.extra = extra;
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    await until('all final', () => rows().every(({ state }) => state === 'final'));
    expect(new Set(rows().map(({ signed }) => signed?.messageHash)).size).toBe(50);
    expect(new Set(rows().map(({ purchase }) => purchase?.txSignature)).size).toBe(50);
    expect(await balance()).toBe('0.50');
  });

  it('is asked once for 20 concurrent calls under one key', async () => {
    const answers = await Promise.all(Array.from({ length: 20 }, () => fetch('dup')));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    expect(seller.shown).toHaveLength(1);
    expect(rows()).toHaveLength(1);
    expect((await fetch('dup', {}, { method: 'POST', body: 'other' })).status).toBe(409);
  });

  it('that asks for nothing is not paid, and costs no key', async () => {
    const answer = await fetch('free', {}, { url: `${seller.url}/free` });
    expect(answer.body).toMatchObject({ status: 200, body: 'free', payment: null });
    expect(rows()).toEqual([]);
  });
});

describe('a seller that says no after it was paid', () => {
  it('has the money held until expiry is proven, and never gets a second signature', async () => {
    seller.behave = async ({ response }) => refuse(response);
    const first = await fetch('no');
    expect(first.status).toBe(202);
    expect(first.body).toMatchObject({ status: 'pending', seller: { status: 402, error: 'settle_failed' } });
    expect(await balance()).toBe('1.00');
    expect(treasury.host.engine.context.store.spend.at(agent.agentId, Date.now()).open).toBe(10_000n);
    expect((await fetch('no')).status).toBe(202);
    const transactions = new Set(seller.shown.map(({ transaction }) => transaction));
    expect([seller.shown.length, transactions.size]).toEqual([2, 1]);
    await warp();
    await ended();
    expect(row().state).toBe('dead');
    const last = await fetch('no');
    expect(last.status).toBe(502);
    expect(last.body).toMatchObject({ code: 'payment_failed', details: { paymentId: row().id } });
    expect(seller.shown).toHaveLength(2);
    expect(treasury.host.engine.context.store.spend.at(agent.agentId, Date.now()).open).toBe(0n);
  });

  it.each([
    ['402', async (seen: X402Seller['shown'][number]) => refuse(seen.response)],
    ['500', async (seen: X402Seller['shown'][number]) => refuse(seen.response, 500)],
    ['nothing', async (seen: X402Seller['shown'][number]) => void seen.response.destroy()],
  ])(
    'and took the money (%s): that is noticed and reported, and the payment is shown again on request',
    async (_, answer) => {
      seller.behave = async (seen) => {
        await seen.settle();
        await answer(seen);
      };
      expect([202, 502]).toContain((await fetch('taken')).status);
      await until('finality', () => row().state === 'final');
      const told = await fetch('taken');
      expect(told.status).toBe(502);
      expect(told.body).toMatchObject({
        code: 'not_delivered',
        details: { paymentId: row().id, txSignature: row().purchase?.txSignature },
      });
      expect(row().purchase).toMatchObject({ delivery: 'undelivered', evidence: { shown: 2 } });
      const activity = await treasury.client.get(`/v1/activity?agentId=${agent.agentId}&kind=payment`);
      expect(activity.body['entries'][0]).toMatchObject({
        note: expect.stringMatching(/^Paid, but not delivered/),
      });
      const { body: details } = await treasury.client.get(`/v1/transfers/${row().id}`);
      expect(details['receipt']).toBeNull();
      expect(details['purchase']).toMatchObject({
        url: `${seller.url}/data?of=${n}`,
        delivery: 'undelivered',
      });
      expect(warnings).toEqual([expect.stringContaining(row().id)]);
      seller.behave = async ({ response }) => deliver(response, '');
      expect((await fetch('taken')).body).toMatchObject({ status: 200, payment: { status: 'confirmed' } });
      expect(new Set(seller.shown.map(({ transaction }) => transaction)).size).toBe(1);
      await until('the answer to be kept', () => row().purchase?.delivery === 'delivered');
      expect(await balance()).toBe('0.99');
      expect(clean(await audit(treasury.host))).toEqual(allWell);
    },
  );

  it('and names another transaction on the chain as the payment: it is not believed', async () => {
    await (await seller.fleetingPayee()).leave();
    const { feePayer } = seller.offer.extra;
    const [{ signature: foreign }] = await rpcCall(sandbox.rpcUrl, 'getSignaturesForAddress', [feePayer]);
    seller.behave = async ({ response }) => deliver(response, foreign);
    const told = await fetch('named');
    expect(told.body).toMatchObject({ status: 200, payment: { status: 'pending', txSignature: null } });
    await new Promise((resolve) => setTimeout(resolve, 700));
    expect(row()).toMatchObject({ state: 'sent', purchase: { txSignature: null } });
    expect(await reported()).toEqual({ lifetimeSpent: '0.01', lifetimePayments: 1 });
    await warp();
    await ended();
    expect(row().state).toBe('dead');
    expect(await reported()).toEqual({ lifetimeSpent: '0.00', lifetimePayments: 0 });
    expect(await balance()).toBe('1.00');
    expect(clean(await audit(treasury.host))).toEqual(allWell);
  });

  it('and settles long after it said no: the payment is found and counted', async () => {
    seller.behave = async ({ response }) => refuse(response);
    await fetch('late');
    await seller.shown[0]?.settle();
    await until('it is found', () => row().state === 'final');
    expect((await fetch('late')).body).toMatchObject({ code: 'not_delivered' });
    expect(await balance()).toBe('0.99');
  });

  it('and submits a transaction that the chain refuses: nothing is spent, once that is final', async () => {
    const { payee, leave } = await seller.fleetingPayee();
    const { payTo } = seller.offer;
    seller.offer.payTo = payee;
    seller.behave = async ({ settle, response }) => {
      await leave();
      deliver(response, await settle());
    };
    expect((await fetch('refused')).status).toBe(200);
    seller.offer.payTo = payTo;
    await ended();
    expect(row().state).toBe('failed');
    expect(await balance()).toBe('1.00');
    expect((await fetch('refused')).body).toMatchObject({ status: 200, payment: { status: 'failed' } });
    expect(clean(await audit(treasury.host))).toEqual(allWell);
  });

  it('and has no account to receive USDC: nothing is signed', async () => {
    const { payee, leave } = await seller.fleetingPayee();
    await leave();
    const { payTo } = seller.offer;
    seller.offer.payTo = payee;
    const answer = await fetch('closed');
    seller.offer.payTo = payTo;
    expect(answer.body).toMatchObject({ code: 'not_available' });
    expect(rows()).toEqual([]);
  });
});

describe('a stop', () => {
  it('between signing and submission: the bytes never leave, even after it is lifted', async () => {
    const { machine, store } = treasury.host.engine.context;
    const submitViaFacilitator = machine.submitViaFacilitator;
    machine.submitViaFacilitator = (id) => {
      store.atomically(() => store.freeze.set({ since: Date.now(), reason: 'test' }));
      submitViaFacilitator(id);
    };
    const answer = await fetch('stopped');
    machine.submitViaFacilitator = submitViaFacilitator;
    expect(answer.status).toBe(202);
    expect([row().state, seller.shown.length]).toEqual(['unknown', 0]);
    await treasury.client.post('/v1/unfreeze');
    expect((await fetch('stopped')).body).toMatchObject({ status: 'unknown' });
    expect(seller.shown).toHaveLength(0);
    await warp();
    await ended();
    expect([row().state, seller.shown.length]).toEqual(['dead', 0]);
  });

  it('keeps the seller from being asked', async () => {
    await treasury.client.post('/v1/freeze');
    const before = seller.asked();
    expect((await fetch('frozen')).status).toBe(403);
    await treasury.client.post('/v1/unfreeze');
    expect([seller.asked() - before, rows().length]).toEqual([0, 0]);
  });
});

const approvals = async () => {
  const { body } = await treasury.client.get('/v1/approvals');
  return (body['approvals'] as Record<string, string>[]).filter(
    ({ agentId, status }) => agentId === agent.agentId && status === 'pending',
  );
};
const grant = async () => {
  const [approval] = await approvals();
  return treasury.client.post(`/v1/approvals/${approval?.['approvalId']}/grant`, {
    hash: approval?.['hash'],
  });
};

describe('the owner’s approval', () => {
  beforeEach(() => treasury.client.post(`/v1/agents/${agent.agentId}/policy`, { newPayees: 'approve' }));

  it('given after the call ended: the treasury continues by itself, and the key returns the answer', async () => {
    expect((await fetch('word')).body).toMatchObject({ status: 'awaiting_approval' });
    expect(seller.shown).toHaveLength(0);
    await grant();
    await until('delivery', () => row().purchase?.delivery === 'delivered');
    expect((await fetch('word')).body).toMatchObject({ status: 200, body: '{"sun":true}' });
    expect(seller.shown).toHaveLength(1);
  });

  it('given after a restart: nothing is signed until the agent repeats its request', async () => {
    await fetch('restart');
    await treasury.close();
    treasury = await open();
    agent = { ...agent, client: treasury.client.as(agent.key) };
    await grant();
    // Long enough for a signature to be made.
    await new Promise((resolve) => setTimeout(resolve, 700));
    expect([row().state, seller.shown.length]).toEqual(['reserved', 0]);
    expect((await fetch('restart')).body).toMatchObject({ status: 200, body: '{"sun":true}' });
    expect(seller.shown).toHaveLength(1);
  });

  it('is needed for another payee than the catalog names, whatever the policy; once approved, the payee is pinned', async () => {
    const { store } = treasury.host.engine.context;
    const entry = {
      id: `pinned-${n}`,
      name: 'Pinned',
      description: '',
      category: 'api',
      pricing: {},
      price: '0.01',
    };
    store.atomically(() =>
      store.services.upsert(
        {
          ...entry,
          source: 'x402-marketplace',
          endpoint: 'GET /data',
          origin: seller.url,
          payees: [treasury.owner],
          vouched: true,
        },
        { addedByOwner: true },
      ),
    );
    await treasury.client.post(`/v1/agents/${agent.agentId}/policy`, {
      newPayees: 'allow',
      allowedServices: [entry.id],
    });
    expect((await fetch('swap')).body).toMatchObject({ status: 'awaiting_approval' });
    const [approval] = await approvals();
    expect(approval?.['shown']).toMatchObject({
      because: 'payee_changed',
      payeesSoFar: [treasury.owner],
      request: `GET ${seller.url}/data?of=${n}`,
    });
    await grant();
    await until('delivery', () => row().purchase?.delivery === 'delivered');
    expect((await fetch('swap-2')).status).toBe(200);
    expect(rows().map(({ serviceId }) => serviceId)).toEqual([entry.id, entry.id]);
    store.atomically(() => store.services.remove(entry.id));
  });
});

describe('a service that was removed from the catalog', () => {
  it('while its changed payee waited for the owner is not listed again by the approval', async () => {
    const { store } = treasury.host.engine.context;
    const [id, origin] = [`gone-${n}`, seller.url];
    const words = { name: 'Gone', description: '', category: 'api', pricing: {}, price: '0.01' };
    const place = { source: 'x402-marketplace', endpoint: 'GET /data', origin, vouched: true } as const;
    store.atomically(() => store.services.upsert({ id, ...words, ...place, payees: [treasury.owner] }));
    await fetch('gone');
    store.atomically(() => store.services.remove(id));
    await grant();
    await until('delivery', () => row().purchase?.delivery === 'delivered');
    expect([store.services.listed(id), store.services.get(id)?.payees]).toEqual([undefined, []]);
  });
});

describe('a restart', () => {
  it('while the seller is silent: the payment is found, and the key shows the same one', async () => {
    seller.behave = async ({ settle, response }) => {
      await settle();
      response.destroy();
    };
    await fetch('cut', { prefer: 'wait=1' });
    await treasury.close();
    treasury = await open();
    agent = { ...agent, client: treasury.client.as(agent.key) };
    seller.behave = async ({ response }) => deliver(response, '');
    await until('finality', () => row().state === 'final');
    expect((await fetch('cut')).body).toMatchObject({ status: 200, payment: { status: 'confirmed' } });
    expect(new Set(seller.shown.map(({ transaction }) => transaction)).size).toBe(1);
    expect(clean(await audit(treasury.host))).toEqual(allWell);
  });
});

describe('a receipt that a seller signed, held against the transaction that paid', () => {
  const receipt = { signedBy: 'did:key:z', signature: 'a.b.c', transaction: 'ours', why: null };
  const why = (
    transaction: string | null,
    txSignature: string | null,
    before: string | null = null,
  ): unknown => {
    const evidence = {
      shown: 1,
      statements: { offer: null, receipt: { ...receipt, transaction, why: before } },
    };
    const shown = shownEvidence(evidence, txSignature).evidence as {
      statements: { receipt: { why: unknown } };
    };
    return shown.statements.receipt.why;
  };

  it.each([
    ['that names no transaction holds', null, 'ours', null],
    ['that names the transaction that paid holds', 'ours', 'ours', null],
    ['that names another does not', 'other', 'ours', 'It names another transaction.'],
    [
      'is not known to hold before the transaction is',
      'ours',
      null,
      'The transaction that paid is not known yet.',
    ],
  ])('one %s', (_case, named, paid, told) => {
    expect(why(named, paid)).toBe(told);
  });

  it('one that is wrong for another reason keeps that reason', () => {
    expect(why('other', 'ours', 'Its signature is false.')).toBe('Its signature is false.');
  });

  it('evidence without statements is shown as it is', () => {
    const used = { model: 'm', answeredModel: null, inputTokens: 1, cachedInputTokens: 0 };
    const usage = { ...used, outputTokens: 1, worth: null };
    expect(shownEvidence(null, 'ours')).toEqual({ evidence: null, modelUsage: null });
    expect(shownEvidence({ shown: 1, usage }, 'ours')).toEqual({ evidence: { shown: 1 }, modelUsage: usage });
  });
});
