// The owner’s approval of a payment: when it is needed, and that it is given once, for exactly what was shown.
import { describe, expect, it } from 'vitest';
import { endDueApprovals } from '../../server/engine/payment/owner/approval.ts';
import type { Answer } from '../harness/http-client.ts';
import { type TestAgent, until } from '../harness/treasury.ts';
import { tries } from '../harness/tries.ts';
import {
  approval,
  client,
  grant,
  minute,
  newAgent,
  pass,
  pathOf,
  settled,
  treasury,
  useTreasury,
  wall,
} from './approval-treasury.ts';

useTreasury();

const lower = (agent: TestAgent, policy: object): Promise<unknown> =>
  client.post(pathOf(agent, 'policy'), policy);

describe('a payment', () => {
  it('above approveAbove waits for the owner, who is shown its details; once granted, it is made', async () => {
    const agent = await newAgent();
    expect((await agent.pay('0.5')).status).toBe(200);
    const body = {
      service: 'sandbox-weather',
      amount: '0.51',
      currency: 'USDC',
      description: 'a \u202etac\u0000',
    };
    const asked = await agent.client.post(pathOf(agent, 'pay'), body, { key: 'held' });
    expect(asked.status).toBe(202);
    expect(asked.body).toMatchObject({ status: 'awaiting_approval' });
    const { approvalId, paymentId, expiresAt } = asked.body;
    expect(Date.parse(expiresAt) - wall).toBeLessThanOrEqual(15 * minute);
    expect(Date.parse(expiresAt) - wall).toBeGreaterThan(14 * minute);

    const shown = await approval(approvalId);
    expect(shown).toMatchObject({
      kind: 'payment',
      status: 'pending',
      agentId: agent.agentId,
      result: null,
      decidedAt: null,
    });
    expect(shown['shown']).toMatchObject({
      approvalId,
      paymentId,
      amount: '0.51',
      currency: 'USDC',
      description: 'a  tac',
      expiresAt,
    });
    expect(shown['facts']).toMatchObject({ askAbove: '0.50', listed: '0.01', same: [], balances: null });
    // They tell of other agents.
    expect((await agent.client.get(`/v1/approvals/${String(approvalId)}`)).body).toEqual({
      ...shown,
      facts: null,
    });
    expect((await client.get('/v1/approvals')).body['approvals']).toContainEqual(shown);
    expect((await client.get('/v1/dashboard')).body['pendingApprovals']).toBe(1);

    const granted = await grant(approvalId);
    expect([granted.status, granted.body['status']]).toEqual([200, 'granted']);
    expect(granted.body['result']).toMatchObject({ paymentId });
    await settled(paymentId);
    const replay = await agent.client.post(pathOf(agent, 'pay'), body, { key: 'held' });
    expect([replay.status, replay.body['status'], replay.body['paymentId']]).toEqual([
      200,
      'confirmed',
      paymentId,
    ]);
    expect((await client.get('/v1/dashboard')).body['pendingApprovals']).toBe(0);
  });

  it('to a new payee waits where the policy says so, and later ones to the same payee do not', async () => {
    const agent = await newAgent({ newPayees: 'approve' });
    const asked = await agent.pay('0.01');
    expect(asked.status).toBe(202);
    const { shown } = await approval(asked.body['approvalId']);
    expect(shown).toMatchObject({ because: 'new_payee', payeeIsNew: true });
    await grant(asked.body['approvalId']);
    await settled(asked.body['paymentId']);
    expect((await agent.pay('0.01')).status).toBe(200);
  });

  it('holds no money while it waits', async () => {
    const agent = await newAgent();
    await agent.pay('5');
    const { store, time } = treasury.host.engine.context;
    expect(store.spend.at(agent.agentId, time.now())).toMatchObject({ open: 0n, final: 0n });
    expect((await agent.pay('0.5')).status).toBe(200);
  });

  it('is answered when it is granted, within the time of Prefer: wait', async () => {
    const agent = await newAgent();
    const waiting = agent.pay('1', { prefer: 'wait=60' });
    const { store } = treasury.host.engine.context;
    const pending = await until('its approval', () => store.approvals.pending(agent.agentId)[0]);
    await grant(pending.id);
    const { status, body } = await waiting;
    expect([status, body['status']]).toEqual([200, 'confirmed']);
  });

  it('over a limit is denied and cannot be asked for', async () => {
    const agent = await newAgent();
    const { status, body } = await agent.pay('5.01');
    expect([status, body['code']]).toEqual([402, 'max_per_payment']);
    expect(treasury.host.engine.context.store.approvals.pending(agent.agentId)).toEqual([]);
  });

  it('that the owner makes obeys the limits and needs no approval', async () => {
    const agent = await newAgent();
    const body = { service: 'sandbox-weather', amount: '1', currency: 'USDC' };
    expect((await client.post(pathOf(agent, 'pay'), { ...body, amount: '5.01' })).status).toBe(402);
    expect((await client.post(pathOf(agent, 'pay'), body)).status).toBe(200);
  });
});

describe('granting', () => {
  it('requires the hash of what was shown', async () => {
    const agent = await newAgent();
    const { body } = await agent.pay('1');
    const { hash } = await approval(body['approvalId']);
    const path = `/v1/approvals/${String(body['approvalId'])}/grant`;
    for (const wrong of ['', 'x', hash.toUpperCase(), hash.slice(1), `${hash} `, '0'.repeat(64)]) {
      const answer = await client.post(path, { hash: wrong });
      expect([answer.status, answer.body['code']]).toEqual([409, 'conflict']);
    }
    expect((await approval(body['approvalId']))['status']).toBe('pending');
    expect((await client.post(path, { hash })).status).toBe(200);
  });

  it('is bound to what was shown: a hash of its canonical JSON', async () => {
    const agent = await newAgent();
    const [one, two] = [await agent.pay('1'), await agent.pay('1')];
    const [first, second] = [await approval(one.body['approvalId']), await approval(two.body['approvalId'])];
    expect(first['hash']).not.toBe(second['hash']);
    const crossed = await client.post(`/v1/approvals/${first['approvalId']}/grant`, { hash: second['hash'] });
    expect(crossed.status).toBe(409);
  });

  it('happens once: 100 at the same time carry out one payment', async () => {
    const agent = await newAgent();
    const { body } = await agent.pay('1');
    const { hash } = await approval(body['approvalId']);
    const path = `/v1/approvals/${String(body['approvalId'])}/grant`;
    const answers = await Promise.all(Array.from({ length: 100 }, () => client.post(path, { hash })));
    const byStatus = Map.groupBy(answers, ({ status }) => status);
    expect([byStatus.get(200)?.length, byStatus.get(409)?.length]).toEqual([1, 99]);
    await settled(body['paymentId']);
    expect((await agent.client.get(pathOf(agent, 'spend-history'))).body['payments']).toHaveLength(1);
  });

  it('and denying at the same time end in one of the two', async () => {
    const agent = await newAgent({ approveAbove: '0' });
    for (let race = 0; race < 20; race += 1) {
      const { body } = await agent.pay('0.5');
      const { hash } = await approval(body['approvalId']);
      const path = `/v1/approvals/${String(body['approvalId'])}`;
      const [yes, no] = await Promise.all([
        client.post(`${path}/grant`, { hash }),
        client.post(`${path}/deny`),
      ]);
      expect([yes.status, no.status].toSorted()).toEqual([200, 409]);
      const state = await settled(body['paymentId']);
      expect(state === 'denied').toBe(no.status === 200);
    }
  });

  it('checks everything again: a payment that no longer fits is denied', async () => {
    const agent = await newAgent({ approveAbove: '3', dailyBudget: '6' });
    const held = await agent.pay('4');
    expect((await agent.pay('2.5')).status).toBe(200);
    const { status, body } = await grant(held.body['approvalId']);
    expect([status, body['status']]).toEqual([200, 'denied']);
    expect(body['result'].refusal).toContain('daily budget');
    const told = await client.get(`${pathOf(agent, 'payments')}/${String(held.body['paymentId'])}`);
    expect(told.body).toMatchObject({ status: 'denied', failure: { code: 'daily_budget' } });
    expect((await grant(held.body['approvalId'])).status).toBe(409);
  });

  it('of a payment that was requested under another policy makes it when it still fits', async () => {
    const agent = await newAgent();
    const held = await agent.pay('1');
    await client.post(pathOf(agent, 'policy'), { dailyBudget: '9' });
    expect((await grant(held.body['approvalId'])).body['status']).toBe('granted');
    expect(await settled(held.body['paymentId'])).toBe('final');
  });

  it.each([
    ['the cap', 'max_per_payment', 'maxPerPayment', (agent) => lower(agent, { maxPerPayment: '0.9' })],
    ['the budget', 'daily_budget', 'daily budget', (agent) => lower(agent, { dailyBudget: '0.9' })],
    [
      'the whitelist',
      'service_not_allowed',
      'does not allow',
      (agent) => lower(agent, { allowedServices: ['x'] }),
    ],
    [
      'the ceiling',
      'owner_ceiling',
      'all agents together',
      () => client.post('/v1/treasury/policy', { dailyBudget: '0' }),
    ],
  ] as [string, string, string, (agent: TestAgent) => Promise<unknown>][])(
    'is taken away at once, with the reason, when it no longer fits: %s',
    async (_, code, words, change) => {
      const agent = await newAgent();
      const [held, other] = [await agent.pay('1'), await agent.pay('0.8')];
      await change(agent);
      const { status, result } = await approval(held.body['approvalId']);
      expect([status, result.refusal]).toEqual(['cancelled', expect.stringContaining(words)]);
      const told = await agent.client.get(`${pathOf(agent, 'payments')}/${String(held.body['paymentId'])}`);
      expect(told.body).toMatchObject({ status: 'denied', failure: { code } });
      const stays = code === 'max_per_payment' || code === 'daily_budget' ? 'pending' : 'cancelled';
      expect((await approval(other.body['approvalId']))['status']).toBe(stays);
      await client.post('/v1/treasury/policy', { dailyBudget: null });
    },
  );

  const races = tries(25, 100);
  it(`executes what it shows while the policy is edited: ${races} races`, async () => {
    const agent = await newAgent({ approveAbove: '0' }, { dailyBudget: '1000', allocate: '60' });
    for (let race = 0; race < races; race += 1) {
      const amount = `0.${String(race + 100)}`;
      const { body } = await agent.pay(amount);
      const [answer] = await Promise.all([
        grant(body['approvalId']),
        client.post(pathOf(agent, 'policy'), { dailyBudget: String(1_000 - race) }),
      ]);
      expect(answer.status).toBe(200);
      await settled(body['paymentId']);
      const row = treasury.host.engine.context.store.transfers.get(String(body['paymentId']));
      const { shown, status } = await approval(body['approvalId']);
      expect(row?.state === 'denied').toBe(status === 'cancelled');
      expect([String(row?.amount), row?.payee]).toEqual([
        String(Math.round(Number(shown.amount) * 1e6)),
        shown.payee,
      ]);
    }
  });

  it('waives the cooldown and restarts it', async () => {
    const agent = await newAgent({ approveAbove: '0.5', cooldownSeconds: 600 });
    const held = await agent.pay('1');
    expect(held.status).toBe(202);
    pass(5 * minute);
    expect((await agent.pay('0.1')).status).toBe(200);
    pass(5 * minute);
    await grant(held.body['approvalId']);
    expect(await settled(held.body['paymentId'])).not.toBe('denied');
    pass(6 * minute);
    // More than 600 s after its own payment, and less than that after the granted one.
    expect((await agent.pay('0.1')).body['code']).toBe('cooldown');
    pass(5 * minute);
    expect((await agent.pay('0.1')).status).toBe(200);
  });

  it('is not possible under a freeze or for a suspended agent', async () => {
    const agent = await newAgent();
    const held = await agent.pay('1');
    await client.post(pathOf(agent, 'kill'));
    expect((await approval(held.body['approvalId']))['status']).toBe('cancelled');
    expect((await grant(held.body['approvalId'])).status).toBe(409);
  });
});

describe('an approval', () => {
  it('that is denied refuses the payment for ever', async () => {
    const agent = await newAgent();
    const held = await agent.pay('1', { key: 'no' });
    const denied = await client.post(`/v1/approvals/${String(held.body['approvalId'])}/deny`);
    expect(denied.body['status']).toBe('denied');
    const replay = await agent.pay('1', { key: 'no' });
    expect([replay.status, replay.body['code']]).toEqual([402, 'approval_denied']);
    expect((await agent.pay('1', { key: 'no' })).text).toBe(replay.text);
    expect((await client.post(`/v1/approvals/${String(held.body['approvalId'])}/deny`)).status).toBe(409);
  });

  it('that nobody answers is denied at its deadline, which repeated requests do not move', async () => {
    const agent = await newAgent({ approveAbove: '0.5', approvalMinutes: 2 });
    const held = await agent.pay('1', { key: 'late' });
    pass(minute);
    expect((await agent.client.get(`/v1/approvals/${String(held.body['approvalId'])}`)).body['status']).toBe(
      'pending',
    );
    const { hash } = await approval(held.body['approvalId']);
    pass(minute + 1);
    const late = await client.post(`/v1/approvals/${String(held.body['approvalId'])}/grant`, { hash });
    expect([late.status, late.body['details'].status]).toEqual([409, 'expired']);
    await until('its end', async () => (await approval(held.body['approvalId']))['status'] === 'expired');
    const replay = await agent.pay('1', { key: 'late' });
    expect([replay.status, replay.body['code']]).toEqual([402, 'approval_expired']);
  });

  it('is one of three at most; the fourth is 429 and leaves nothing behind', async () => {
    const agent = await newAgent();
    const asked = [
      await agent.pay('1'),
      await agent.pay('1'),
      await agent.client.post(pathOf(agent, 'allocate'), { amount: '1' }),
    ];
    expect(asked.map(({ status }) => status)).toEqual([202, 202, 202]);
    const { store } = treasury.host.engine.context;
    const before = [...store.transfers.iterate({})].length;
    for (const more of [
      await agent.pay('1', { key: 'fourth' }),
      await agent.client.post(pathOf(agent, 'policy'), { dailyBudget: '100' }),
      await agent.client.post('/v1/agents/deploy', {
        agentId: 'fourth',
        dailyBudget: '1',
        maxPerPayment: '1',
      }),
    ])
      expect([more.status, more.body['code']]).toEqual([429, 'too_many_requests']);
    expect([...store.transfers.iterate({})]).toHaveLength(before);
    expect((await agent.pay('0.1')).status).toBe(200);
    await client.post(`/v1/approvals/${String(asked[0]?.body['approvalId'])}/deny`);
    expect((await agent.pay('1', { key: 'fourth' })).status).toBe(202);
  });

  it('for the same policy is requested once, as long as it waits with the same reason', async () => {
    const agent = await newAgent();
    const ask = async (body: object): Promise<string> => {
      const { status, body: told } = await agent.client.post(pathOf(agent, 'policy'), body);
      expect(status).toBe(202);
      return String(told['approvalId']);
    };
    const first = await ask({ dailyBudget: '100', reason: 'a report' });
    expect(await ask({ dailyBudget: '100', reason: 'a report' })).toBe(first);
    const other = await ask({ dailyBudget: '100', reason: 'another report' });
    const larger = await ask({ dailyBudget: '101' });
    expect(new Set([first, other, larger]).size).toBe(3);
    await client.post(`/v1/approvals/${first}/deny`, { afterMs: 60_000 });
    // The owner has denied it already, and may still undo that.
    const again = await agent.client.post(pathOf(agent, 'policy'), {
      dailyBudget: '100',
      reason: 'a report',
    });
    expect(again.body['approvalId']).not.toBe(first);
  });

  it('is requested 50 times at once, and only three are kept', async () => {
    const agent = await newAgent();
    const answers = await Promise.all(Array.from({ length: 50 }, () => agent.pay('1')));
    expect(answers.filter(({ status }) => status === 202)).toHaveLength(3);
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(47);
  });
});

const seconds = 1_000;
const pathTo = (approvalId: unknown, what: string): string => `/v1/approvals/${String(approvalId)}/${what}`;
const deny = (approvalId: unknown, afterMs = 6 * seconds): Promise<Answer> =>
  client.post(pathTo(approvalId, 'deny'), { afterMs });
const undo = (approvalId: unknown): Promise<Answer> => client.post(pathTo(approvalId, 'undo-deny'));
const sweep = (): void => endDueApprovals(treasury.host.engine.context);
const waitingCount = async (): Promise<unknown> =>
  (await client.get('/v1/dashboard')).body['pendingApprovals'];

describe('a denial that can be undone', () => {
  it('waits, leaves the count of waiting requests at once, and takes effect at its time', async () => {
    const agent = await newAgent();
    const { body } = await agent.pay('1', { key: 'held' });
    const before = Number(await waitingCount());
    const { status, body: denied } = await deny(body['approvalId']);
    expect([status, denied['status']]).toEqual([200, 'pending']);
    expect(Date.parse(denied['denyAt']) - treasury.host.engine.context.time.now()).toBe(6 * seconds);
    expect(await waitingCount()).toBe(before - 1);
    pass(6 * seconds - 1);
    sweep();
    expect((await approval(body['approvalId']))['status']).toBe('pending');
    pass(1);
    await until('it to be denied', async () => (await approval(body['approvalId']))['status'] === 'denied');
    expect(await approval(body['approvalId'])).toMatchObject({ status: 'denied', denyAt: null });
    const replay = await agent.pay('1', { key: 'held' });
    expect([replay.status, replay.body['code']]).toEqual([402, 'approval_denied']);
  });

  it('prevents a grant, even one that was under way', async () => {
    const agent = await newAgent({ approveAbove: '0' });
    for (let race = 0; race < 20; race += 1) {
      const { body } = await agent.pay('0.5');
      const { hash } = await approval(body['approvalId']);
      const [no, yes] = await Promise.all([
        deny(body['approvalId']),
        client.post(pathTo(body['approvalId'], 'grant'), { hash }),
      ]);
      const isDenied = no.status === 200;
      expect([yes.status, no.status].toSorted()).toEqual([200, 409]);
      expect((await approval(body['approvalId']))['status']).toBe(isDenied ? 'pending' : 'granted');
      if (!isDenied) continue;
      const refused = await grant(body['approvalId']);
      expect([refused.status, refused.body['error']]).toEqual([
        409,
        'You declined this a moment ago. Undo that before you allow it.',
      ]);
      pass(6 * seconds);
      sweep();
      expect(await settled(body['paymentId'])).toBe('denied');
    }
  });

  it('is cancelled by an undo, and the request can be granted again', async () => {
    const agent = await newAgent();
    const { body } = await agent.pay('1');
    await deny(body['approvalId']);
    const { status, body: undone } = await undo(body['approvalId']);
    expect([status, undone['status'], undone['denyAt']]).toEqual([200, 'pending', null]);
    pass(7 * seconds);
    sweep();
    expect((await grant(body['approvalId'])).body['status']).toBe('granted');
    expect(await settled(body['paymentId'])).toBe('final');
  });

  it('cannot be undone before it was given, or once it has taken effect', async () => {
    const agent = await newAgent();
    const { body } = await agent.pay('1');
    expect((await undo(body['approvalId'])).status).toBe(409);
    await deny(body['approvalId'], 1);
    pass(1);
    const late = await undo(body['approvalId']);
    expect([late.status, late.body['code']]).toEqual([409, 'conflict']);
    sweep();
    expect((await approval(body['approvalId']))['status']).toBe('denied');
  });

  it('is not delayed by a second one, and is hastened by one without delay', async () => {
    const agent = await newAgent();
    const { body } = await agent.pay('1');
    const first = (await deny(body['approvalId'])).body['denyAt'];
    pass(seconds);
    expect((await deny(body['approvalId'])).body['denyAt']).toBe(first);
    expect((await deny(body['approvalId'], 0)).body['status']).toBe('denied');
  });

  it('stands when a stop, a revoked key or the deadline ends the request first', async () => {
    const frozen = await newAgent();
    const { body: one } = await frozen.pay('1');
    await deny(one['approvalId']);
    await client.post('/v1/freeze');
    await client.post('/v1/unfreeze');
    const late = await newAgent();
    const { body: two } = await late.pay('1');
    pass(15 * minute - seconds);
    await deny(two['approvalId']);
    pass(seconds);
    sweep();
    for (const [agent, { approvalId, paymentId }] of [
      [frozen, one],
      [late, two],
    ] as const) {
      expect((await approval(approvalId))['status']).toBe('denied');
      const { body } = await client.get(`${pathOf(agent, 'payments')}/${String(paymentId)}`);
      expect(body).toMatchObject({ status: 'denied', failure: { code: 'approval_denied' } });
    }
  });
});
