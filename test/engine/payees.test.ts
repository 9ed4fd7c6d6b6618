// Whom an agent pays. A standing approval covers the payees that the owner was shown when giving it, and nobody else. A
// service with pinned payees needs the owner's approval each time that its 402 names another one.
import { randomBytes } from 'node:crypto';
import { PublicKey } from '@solana/web3.js';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { beforeSigning } from '../harness/engine/before-signing.ts';
import { openRich, sandbox, seller, useSeller } from '../harness/chain/seller-treasury.ts';
import { deploy, rpcCall, until, type TestAgent, type Treasury } from '../harness/treasury.ts';

useSeller();
let treasury: Treasury;
let agent: TestAgent;
let others: string;
let n = 0;

/** A wallet that has a token account, so that only the owner's approval stands between it and the money. */
const newPayee = async (): Promise<string> => {
  let payee = '';
  do payee = new PublicKey(randomBytes(32)).toBase58();
  while (!PublicKey.isOnCurve(payee));
  await rpcCall(sandbox.rpcUrl, 'sandbox_fundUsdc', [payee, '0']);
  return payee;
};

beforeAll(async () => {
  treasury = await openRich();
  others = await newPayee();
});
afterAll(() => treasury.close());
beforeEach(async () => {
  n += 1;
  agent = await deploy(treasury.client, `buyer-${n}`, { allocate: '1.00', policy: { newPayees: 'approve' } });
});

const fetch = (what: string, prefer = 'wait=0') =>
  agent.client.post(
    `/v1/agents/${agent.agentId}/fetch`,
    { url: `${seller.url}/data?of=${n}-${what}` },
    { prefer },
  );
const entry = (payTo: string, amount = '10000') => ({
  scheme: 'exact',
  network: 'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp',
  asset: 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v',
  amount,
  payTo,
  maxTimeoutSeconds: 60,
  extra: seller.offer.extra,
});
/** Pays with an offer that the agent brings itself, naming the place that asked. */
const sign = (payTo: string) =>
  agent.client.post(
    `/v1/agents/${agent.agentId}/pay`,
    { x402: entry(payTo), resource: `${seller.url}/data?of=${n}` },
    { prefer: 'wait=0' },
  );
const approvalOf = async (held: { body: Record<string, unknown> }) =>
  (await treasury.client.get(`/v1/approvals/${String(held.body['approvalId'])}`)).body;
const standing = () => ({ upTo: '0.5', until: new Date(Date.now() + 3_600_000).toISOString() });
const grant = async (held: { body: Record<string, unknown> }, more: object = {}) => {
  const { approvalId, hash } = await approvalOf(held);
  return treasury.client.post(`/v1/approvals/${String(approvalId)}/grant`, { hash, ...more });
};
const grants = async () =>
  ((await treasury.client.get('/v1/grants')).body['grants'] as Record<string, unknown>[]).filter(
    ({ agentId }) => agentId === agent.agentId,
  );
/** The first purchase, allowed with further ones up to 0.5 USDC. */
const allowFurther = async (): Promise<void> => {
  const held = await fetch('first');
  expect(held.body['status']).toBe('awaiting_approval');
  expect((await approvalOf(held))['shown']).toMatchObject({ payees: [seller.payee] });
  expect((await grant(held, { standing: standing() })).status).toBe(200);
  await until('the first payment', () => paid() === 1);
  // Every later payment is above this, so that each needs an approval.
  await treasury.client.post(`/v1/agents/${agent.agentId}/policy`, { approveAbove: '0' });
};
const rows = () => [
  ...treasury.host.engine.context.store.transfers.iterate({ agentId: agent.agentId, kinds: ['payment'] }),
];
const paid = (): number => rows().filter(({ state }) => state === 'seen' || state === 'final').length;
const heldBeforeT2 = (pay: () => Promise<unknown>, meanwhile: () => unknown) =>
  beforeSigning(treasury, agent.agentId, pay, meanwhile);
const policy = (change: object) => treasury.client.post(`/v1/agents/${agent.agentId}/policy`, change);
const services = () => treasury.host.engine.context.store.services;
const atomically = <T>(work: () => T): T => treasury.host.engine.context.store.atomically(work);
const pinPlace = (payees: string[]): void => {
  const place = {
    origin: seller.url,
    endpoint: 'GET /data',
    source: 'x402-marketplace',
    vouched: true,
  } as const;
  const words = { name: 'Pinned', description: '', category: 'api', pricing: {}, price: '0.01' };
  atomically(() =>
    services().upsert({ id: `pinned-${n}`, ...place, ...words, payees }, { addedByOwner: true }),
  );
};
afterEach(() => atomically(() => services().remove(`pinned-${n}`)));

describe('a standing approval', () => {
  it('covers the payee that the owner was shown', async () => {
    await allowFurther();
    expect((await fetch('again', 'wait=30')).status).toBe(200);
    expect(await grants()).toMatchObject([{ payees: [seller.payee], used: '0.01', endedBecause: null }]);
  });

  it('covers only the agent that it was given for', async () => {
    await allowFurther();
    agent = await deploy(treasury.client, `other-${n}`, { policy: { newPayees: 'approve' } });
    expect((await fetch('other')).body['status']).toBe('awaiting_approval');
  });

  it('does not cover a seller that now names another payee: the payment is held, and nothing is drawn', async () => {
    await allowFurther();
    seller.offer.payTo = others;
    const swapped = await fetch('swapped');
    expect([swapped.status, swapped.body['status']]).toEqual([202, 'awaiting_approval']);
    expect(await grants()).toMatchObject([{ used: '0.00' }]);
    expect(paid()).toBe(1);
  });

  it('does not cover a place without pinned payees that only the agent names, whoever is to be paid', async () => {
    await allowFurther();
    for (const payTo of [others, seller.payee]) {
      const asked = await sign(payTo);
      expect([asked.status, asked.body['status'], asked.body['x402']]).toEqual([
        202,
        'awaiting_approval',
        undefined,
      ]);
    }
    expect(await grants()).toMatchObject([{ used: '0.00' }]);
    expect(rows().filter(({ signed }) => signed !== null)).toHaveLength(1);
  });

  it('cannot be given for a place that only the agent names', async () => {
    const held = await sign(others);
    expect((await approvalOf(held))['shown']).toMatchObject({ payees: [] });
    const answer = await grant(held, { standing: standing() });
    expect([answer.status, answer.body['error']]).toEqual([400, expect.stringMatching(/^standing: /)]);
    expect((await approvalOf(held))['status']).toBe('pending');
    expect((await grant(held)).body['status']).toBe('granted');
  });

  it('for a pinned service never pays a payee that the service now names instead', async () => {
    pinPlace([seller.payee]);
    await allowFurther();
    seller.offer.payTo = others;
    const swapped = await fetch('swapped');
    expect([swapped.status, swapped.body['status']]).toEqual([202, 'awaiting_approval']);
    expect((await approvalOf(swapped))['shown']).toMatchObject({ because: 'payee_changed', payee: others });
    expect(await grants()).toMatchObject([{ used: '0.00', endedBecause: null }]);
    // The agent may pay the pinned payee under it, and nobody else.
    expect((await sign(others)).body['status']).toBe('awaiting_approval');
    expect((await sign(seller.payee)).body['x402']).toBeDefined();
  });

  it('for a pinned service never pays a payee that it names itself once the service has others', async () => {
    pinPlace([seller.payee]);
    await allowFurther();
    expect((await fetch('again', 'wait=30')).status).toBe(200);
    atomically(() => services().pin(`pinned-${n}`, [others]));
    const before = await grants();
    const held = await fetch('held');
    expect([held.status, held.body['status']]).toEqual([202, 'awaiting_approval']);
    expect((await approvalOf(held))['shown']).toMatchObject({
      because: 'payee_changed',
      payee: seller.payee,
    });
    expect(await grants()).toEqual(before);
  });

  it('covers the payees that were shown, not those that the service got before it was given', async () => {
    pinPlace([seller.payee]);
    const held = await fetch('first');
    pinPlace([seller.payee, others]);
    expect((await grant(held, { standing: standing() })).status).toBe(200);
    expect(await grants()).toMatchObject([{ payees: [seller.payee] }]);
    await until('the first payment', () => paid() === 1);
    seller.offer.payTo = others;
    expect((await fetch('other')).body['status']).toBe('awaiting_approval');
    expect(await grants()).toMatchObject([{ used: '0.00' }]);
  });
});

describe('agreeing to a further payee of a pinned service', () => {
  let pinned: string[];
  beforeEach(async () => {
    await policy({ newPayees: 'allow' });
    pinned = [seller.payee, others];
    pinPlace(pinned);
  });

  it('leaves the others as they were: they are paid without being asked for', async () => {
    expect((await fetch('first', 'wait=30')).status).toBe(200);
    const all = [...pinned, await newPayee()];
    seller.offer.payTo = all[2] ?? '';
    const held = await fetch('further');
    expect(held.body['status']).toBe('awaiting_approval');
    expect((await approvalOf(held))['shown']).toMatchObject({
      because: 'payee_changed',
      payeesSoFar: pinned,
    });
    expect((await grant(held)).status).toBe(200);
    await until('both payments', () => paid() === 2);
    expect(services().get(`pinned-${n}`)?.payees).toEqual(all);
    for (const payTo of all) {
      seller.offer.payTo = payTo;
      expect((await fetch(payTo, 'wait=30')).status).toBe(200);
    }
    expect(
      rows()
        .map(({ payee }) => payee)
        .toSorted(),
    ).toEqual([seller.payee, all[2], ...all].toSorted());
  });

  it('pays nothing if the service names others again before it is signed', async () => {
    seller.offer.payTo = await newPayee();
    const held = await fetch('further');
    const row = await heldBeforeT2(
      () => grant(held),
      () => atomically(() => services().pin(`pinned-${n}`, pinned.slice(0, 1))),
    );
    expect([row.state, row.refusal?.details]).toEqual(['cancelled', { because: 'payee_changed' }]);
  });
});

const pay = () => agent.pay('0.30');

describe('between the reservation and the signature', () => {
  it.each([
    [
      'a lower ceiling',
      'owner_ceiling',
      () => treasury.client.post('/v1/treasury/policy', { dailyBudget: '0.1' }),
    ],
    ['a lower budget', 'daily_budget', () => policy({ dailyBudget: '0.1' })],
    ['a whitelist', 'service_not_allowed', () => policy({ allowedServices: ['x'] })],
    ['a payee that needs an approval', 'approval_cancelled', () => policy({ newPayees: 'approve' })],
    ['an amount that needs an approval', 'approval_cancelled', () => policy({ approveAbove: '0.1' })],
  ] as const)('%s is checked again: nothing is signed', async (_, code, change) => {
    await policy({ newPayees: 'allow', dailyBudget: '5' });
    const row = await heldBeforeT2(pay, change);
    expect([row.state, row.refusal?.code, row.signed]).toEqual(['cancelled', code, null]);
    await treasury.client.post('/v1/treasury/policy', { dailyBudget: null });
  });

  it('a change that still allows it lets it be signed, and its own reservation is not counted twice', async () => {
    await policy({ newPayees: 'allow', dailyBudget: '0.5' });
    const row = await heldBeforeT2(pay, () => policy({ cooldownSeconds: 60, dailyBudget: '0.3' }));
    expect([row.refusal, row.signed === null]).toEqual([null, false]);
  });

  it('the owner’s own payment needs no approval', async () => {
    const body = { service: 'sandbox-weather', amount: '0.3', currency: 'USDC' };
    const row = await heldBeforeT2(
      () => treasury.client.post(`/v1/agents/${agent.agentId}/pay`, body),
      () => policy({ approveAbove: '0' }),
    );
    expect(row.refusal).toBeNull();
  });

  it('a standing approval that was revoked no longer covers it', async () => {
    await allowFurther();
    const [given] = await grants();
    const row = await heldBeforeT2(
      () => fetch('drawn'),
      () => treasury.client.call('DELETE', `/v1/grants/${String(given?.['grantId'])}`),
    );
    expect([row.state, row.refusal?.code]).toEqual(['cancelled', 'approval_cancelled']);
  });

  it('a standing approval that expired no longer covers it', async () => {
    await allowFurther();
    const { time } = treasury.host.engine.context;
    const { now } = time;
    time.now = () => now() + 3_570_000;
    const row = await heldBeforeT2(
      () => fetch('drawn'),
      () => {
        expect(rows().filter(({ grantId }) => grantId !== null)).toHaveLength(1);
        time.now = () => now() + 3_600_001;
      },
    );
    time.now = now;
    expect([row.state, row.refusal?.code]).toEqual(['cancelled', 'approval_cancelled']);
  });

  it('a service that was removed from the catalog, or names other payees now, is not paid', async () => {
    const before = services().get('sandbox-weather');
    if (before === undefined) throw new Error('there is no weather');
    await policy({ newPayees: 'allow' });
    const restore = () => atomically(() => services().upsert(before));
    const changed = await heldBeforeT2(pay, () =>
      atomically(() => services().upsert({ ...before, payees: [others] })),
    );
    restore();
    const removed = await heldBeforeT2(pay, () => atomically(() => services().remove(before.id)));
    restore();
    for (const row of [changed, removed]) {
      expect([row.state, row.refusal?.code]).toEqual(['cancelled', 'approval_cancelled']);
      expect(row.refusal?.details).toEqual({ because: 'payee_changed' });
    }
  });
});
