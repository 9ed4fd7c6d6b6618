// The dry run of a payment: it predicts to the unit what `pay` then does, and leaves no trace. And the preview of a
// policy, which counts each budget over the 24 hours before each payment, as the engine itself does.
import { hash, randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { PublicKey } from '@solana/web3.js';
import Database from 'better-sqlite3';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { allWell, audit, clean } from '../harness/engine/audit.ts';
import type { Answer } from '../harness/http-client.ts';
import {
  deploy,
  openTreasury,
  removeFolder,
  rpcCall,
  temporaryFolder,
  until,
  type TestAgent,
  type Treasury,
} from '../harness/treasury.ts';

const hour = 3_600_000;
let treasury: Treasury;
let later = 0;
let freeBytes = 1e12;
let agents = 0;
const folder = temporaryFolder();
beforeAll(async () => {
  const wall = Date.now();
  const clock = { wall: () => wall + later, monotonic: () => later };
  treasury = await openTreasury({ clock, disk: { freeBytes: () => freeBytes }, sockets: 500 });
});
afterAll(async () => {
  await treasury.close();
  removeFolder(folder);
});

const newAgent = (options?: Parameters<typeof deploy>[2]): Promise<TestAgent> => {
  agents += 1;
  return deploy(treasury.client, `agent-${agents}`, options);
};

const weather = 'sandbox-weather';
const explain = (
  { agentId, client }: Pick<TestAgent, 'agentId' | 'client'>,
  amount: string,
  service = weather,
): Promise<Answer> => client.post(`/v1/agents/${agentId}/policy/explain`, { service, amount });

const pay = ({ agentId, client }: TestAgent, amount: string, service = weather): Promise<Answer> =>
  client.post(`/v1/agents/${agentId}/pay`, { service, amount, currency: 'USDC' });

/** The outcome of `pay`, in the words of `explain`. */
const outcome = async ({ status, body }: Answer) => {
  if (status === 200) return { verdict: 'allowed', code: null };
  if (status === 202) {
    const { body: approval } = await treasury.client.get(`/v1/approvals/${body['approvalId']}`);
    return { verdict: 'approval', code: approval['shown'].because };
  }
  const { paymentId: _, ...details } = body['details'] ?? {};
  return { verdict: 'refused', code: body['code'], message: body['error'], details };
};

/** A payment that becomes final changes when its money leaves the window. */
const settled = () =>
  until('all payments to be final', () => treasury.host.engine.context.store.transfers.open().length === 0);

/** Predicts and then pays; returns the verdict and its code. */
const foretold = async (agent: TestAgent, amount: string, service = weather): Promise<unknown[]> => {
  await settled();
  const { status, body, text } = await explain(agent, amount, service);
  expect(status, text).toBe(200);
  expect(body).toMatchObject(await outcome(await pay(agent, amount, service)));
  return [body['verdict'], body['code']];
};

const policy = (agent: TestAgent, change: object): Promise<Answer> =>
  treasury.client.post(`/v1/agents/${agent.agentId}/policy`, change);
const allowed = ['allowed', null];
const refusedFor = (code: string): string[] => ['refused', code];
const askedFor = (because: string): string[] => ['approval', because];

describe('the dry run of a payment predicts the payment', () => {
  it('at the maximum per payment', async () => {
    const agent = await newAgent({ maxPerPayment: '0.50' });
    expect(await foretold(agent, '0.500001')).toEqual(refusedFor('max_per_payment'));
    expect(await foretold(agent, '0.50')).toEqual(allowed);
  });

  it('at the daily budget, with what is left of it and when it frees', async () => {
    const agent = await newAgent({ dailyBudget: '1.00' });
    expect(await foretold(agent, '0.60')).toEqual(allowed);
    await settled();
    const { body } = await explain(agent, '0.400001');
    expect(body).toMatchObject({
      code: 'daily_budget',
      details: { limit: '1.00', spent: '0.60', amount: '0.400001', retryAt: expect.any(String) },
      budget: { dailyBudget: '1.00', spent: '0.60', left: '0.40' },
    });
    expect(await foretold(agent, '0.400001')).toEqual(refusedFor('daily_budget'));
    expect(await foretold(agent, '0.40')).toEqual(allowed);
    later += 90_000_000;
    expect(await foretold(agent, '1.00')).toEqual(allowed);
  });

  it('at the owner’s ceiling over all agents', async () => {
    const agent = await newAgent();
    const { body } = await treasury.client.get('/v1/treasury/policy');
    const dailyBudget = (Number(body['spent']) + 0.25).toFixed(6);
    await treasury.client.post('/v1/treasury/policy', { dailyBudget });
    expect(await foretold(agent, '0.250001')).toEqual(refusedFor('owner_ceiling'));
    expect(await foretold(agent, '0.25')).toEqual(allowed);
    await treasury.client.post('/v1/treasury/policy', { dailyBudget: null });
  });

  it('to the millisecond of the cooldown', async () => {
    const agent = await newAgent({ policy: { cooldownSeconds: 60 } });
    expect(await foretold(agent, '0.01')).toEqual(allowed);
    later += 59_999;
    expect(await foretold(agent, '0.01')).toEqual(refusedFor('cooldown'));
    later += 1;
    expect(await foretold(agent, '0.01')).toEqual(allowed);
  });

  it('at a service that is not allowed, or not listed', async () => {
    const agent = await newAgent({ policy: { allowedServices: ['maps'] } });
    expect(await foretold(agent, '0.01')).toEqual(refusedFor('service_not_allowed'));
    const [asked, paid] = [await explain(agent, '0.01', 'nowhere'), await pay(agent, '0.01', 'nowhere')];
    expect([asked.status, asked.body]).toEqual([404, paid.body]);
  });

  it('at the last unit of the wallet', async () => {
    const agent = await newAgent({ allocate: '0.30' });
    expect(await foretold(agent, '0.300001')).toEqual(refusedFor('insufficient_balance'));
    expect(await foretold(agent, '0.30')).toEqual(allowed);
  });

  it('at the limits of network fees and of accounts that are opened', async () => {
    const agent = await newAgent();
    const { settings, store, chain } = treasury.host.engine.context;
    await pay(agent, '0.01');
    const [payment] = store.transfers.list({ agentId: agent.agentId, kinds: ['payment'], limit: 1 });
    const fee = payment?.feeLamports ?? 0n;
    settings.feeLimit = 2n * fee - 1n;
    expect(await foretold(agent, '0.01')).toEqual(refusedFor('fee_limit'));
    settings.feeLimit = 2n * fee;
    expect(await foretold(agent, '0.01')).toEqual(allowed);
    settings.feeLimit = null;

    let payee = '';
    for (let n = 1; payee === ''; n += 1) {
      const key = new PublicKey(hash('sha256', `payee ${n}`, 'buffer'));
      if (PublicKey.isOnCurve(key)) payee = key.toBase58();
    }
    const listed = store.services.get(weather);
    if (listed === undefined) throw new Error('the sandbox sells the weather');
    store.atomically(() =>
      store.services.upsert({ ...listed, id: 'unconfirmed', payees: [payee], vouched: false }),
    );
    expect(await foretold(agent, '0.01', 'unconfirmed')).toEqual(askedFor('open_account'));
    settings.rentLimit = 1n;
    expect(await foretold(agent, '0.01', 'unconfirmed')).toEqual(refusedFor('rent_limit'));
    settings.rentLimit = null;
    expect(chain.isWallet(payee)).toBe(true);
  });

  it('where the owner is asked, where a standing approval applies, and where too many approvals wait', async () => {
    const agent = await newAgent({ policy: { approveAbove: '0.05' } });
    expect(await foretold(agent, '0.05')).toEqual(allowed);
    expect(await foretold(agent, '0.050001')).toEqual(askedFor('approve_above'));
    expect(await foretold(agent, '0.06')).toEqual(askedFor('approve_above'));
    expect(await foretold(agent, '0.07')).toEqual(askedFor('approve_above'));
    expect(await foretold(agent, '0.08')).toEqual(refusedFor('too_many_requests'));

    const shy = await newAgent({ policy: { newPayees: 'approve' } });
    expect(await foretold(shy, '0.05')).toEqual(askedFor('new_payee'));
    const { approvals } = (await treasury.client.get('/v1/approvals')).body;
    const [first] = approvals.filter((one: { agentId: string }) => one.agentId === shy.agentId);
    await policy(shy, { approveAbove: '0.00' });
    const end = new Date(Date.now() + later + 3_600_000).toISOString();
    const grant = { hash: first.hash, standing: { upTo: '0.20', until: end } };
    await treasury.client.post(`/v1/approvals/${first.approvalId}/grant`, grant);
    expect((await explain(shy, '0.15')).body['message']).toContain('standing approval');
    expect(await foretold(shy, '0.15')).toEqual(allowed);
    expect(await foretold(shy, '0.16')).toEqual(askedFor('approve_above'));
  });

  it('at every stop', async () => {
    const agent = await newAgent();
    const path = `/v1/agents/${agent.agentId}`;
    const { chain, time } = treasury.host.engine.context;
    await treasury.client.post(`${path}/kill`);
    expect(await foretold(agent, '0.01')).toEqual(refusedFor('suspended'));
    await treasury.client.post(`${path}/resume`);
    await treasury.client.post('/v1/freeze', { reason: 'lunch' });
    expect(await foretold(agent, '0.01')).toEqual(refusedFor('frozen'));
    await treasury.client.post('/v1/unfreeze');
    await treasury.client.post('/v1/lock');
    expect(await foretold(agent, '0.01')).toEqual(refusedFor('locked'));
    await treasury.client.post('/v1/unlock');
    freeBytes = 1;
    expect(await foretold(agent, '0.01')).toEqual(refusedFor('disk_low'));
    freeBytes = 1e12;
    time.suspect('the clock went wrong');
    expect(await foretold(agent, '0.01')).toEqual(refusedFor('clock_unsafe'));
    time.trust();
    const { feeLamports } = chain;
    chain.feeLamports = () => 10n ** 18n;
    expect(await foretold(agent, '0.01')).toEqual(refusedFor('fees_exhausted'));
    chain.feeLamports = feeLamports;
    expect(await foretold(agent, '0.01')).toEqual(allowed);
  });

  it('for an archived agent, to the owner, and for a revoked key to nobody', async () => {
    const agent = await newAgent({ allocate: '1.00' });
    const asOwner = { ...agent, client: treasury.client };
    await policy(agent, { approveAbove: '0.00' });
    // The verdict is the agent's, also when the owner asks.
    expect((await explain(asOwner, '0.01')).body).toMatchObject({ code: 'approve_above' });
    await treasury.client.post(`/v1/agents/${agent.agentId}/archive`);
    const { body } = await explain(asOwner, '0.01');
    expect([body['verdict'], body['code']]).toEqual(['refused', 'not_found']);
    expect((await pay(asOwner, '0.01')).body['code']).toBe('not_found');
    expect([(await explain(agent, '0.01')).status, (await pay(agent, '0.01')).status]).toEqual([401, 401]);
  });

  it('to no other agent', async () => {
    const [agent, other] = [await newAgent(), await newAgent()];
    const asOther = { agentId: agent.agentId, client: other.client };
    const [asked, read] = [
      await explain(asOther, '0.01'),
      await other.client.get(`/v1/agents/${agent.agentId}/policy`),
    ];
    expect([asked.status, asked.body]).toEqual([read.status, read.body]);
    expect(asked.status).toBeGreaterThanOrEqual(400);
  });

  it('and names a wrong field', async () => {
    const agent = await newAgent({ allocate: null });
    const ask = async (body: object): Promise<unknown[]> => {
      const answer = await agent.client.post(`/v1/agents/${agent.agentId}/policy/explain`, body);
      return [answer.status, String(answer.body['error']).split(':')[0]];
    };
    for (const amount of ['1e3', '-1', '0', '0.00', '1000000000', '9'.repeat(10_000), '', 1, null, undefined])
      expect(await ask({ service: weather, amount })).toEqual([400, 'amount']);
    for (const service of ['', 'x'.repeat(201), 'a\u202eb', 1, null, undefined])
      expect(await ask({ service, amount: '0.01' })).toEqual([400, 'service']);
    expect(await ask({ service: weather, amount: '0.01', currency: 'USDC' })).toEqual([400, 'currency']);
  });
});

/** Every table of the database as it is on disk and in the log. */
/** The listing of SOL deposits goes on by itself, and moves its cursor. */
const isNoCursor = (row: unknown): boolean => (row as { name?: unknown }).name !== 'sol-until';

const recordsNow = async (): Promise<Record<string, string>> => {
  const file = join(folder, `${randomUUID()}.db`);
  await treasury.host.engine.context.store.copyTo(file);
  const database = new Database(file, { readonly: true }).defaultSafeIntegers();
  try {
    const names = database.prepare(`SELECT name FROM sqlite_schema WHERE type = 'table'`).pluck().all();
    return Object.fromEntries(
      (names as string[]).map((name) => {
        const rows = database.prepare(`SELECT * FROM "${name}"`).all().filter(isNoCursor);
        const text = JSON.stringify(rows, (_, value: unknown) =>
          typeof value === 'bigint' ? value.toString() : value,
        );
        return [name, `${rows.length} rows ${hash('sha256', text)}`];
      }),
    );
  } finally {
    database.close();
  }
};

describe('a hundred dry runs', () => {
  it('change no byte of the records, whatever the verdict', async () => {
    const [agent, shy] = [
      await newAgent({ allocate: '2.00', maxPerPayment: '3.00' }),
      await newAgent({ policy: { approveAbove: '0.00' } }),
    ];
    await pay(agent, '0.10');
    await settled();
    const { store, funds } = treasury.host.engine.context;
    // Then no reading of a balance is due.
    await until('no balance to be in doubt', () => store.wallets.list().every(({ doubt }) => doubt === 0n));
    await funds.compare();
    later += 1_000;
    const before = { records: await recordsNow(), head: store.journal.head() };
    const told = new Set<string>();
    for (let n = 0; n < 25; n += 1)
      for (const asked of [
        explain(agent, '0.01'),
        explain(agent, '2.00'),
        explain(agent, '4.00'),
        explain(shy, '0.02'),
      ]) {
        const { body } = await asked;
        told.add(`${body['verdict']} ${body['code']}`);
      }
    expect([...told].toSorted()).toEqual([
      'allowed null',
      'approval approve_above',
      'refused insufficient_balance',
      'refused max_per_payment',
    ]);
    expect({ records: await recordsNow(), head: store.journal.head() }).toEqual(before);
    expect(store.refusals.keysOf(agent.agentId)).toBe(0);
  });

  it('neither take nor free room in a budget that many payments use up at once', async () => {
    const agent = await newAgent({ dailyBudget: '0.25' });
    const asked = Array.from({ length: 200 }, (_, n) => explain(agent, n % 2 === 0 ? '0.01' : '0.25'));
    const paid = Array.from({ length: 40 }, () => agent.pay('0.01'));
    const statuses = (await Promise.all(paid)).map(({ status }) => status);
    expect(statuses.filter((status) => status === 200)).toHaveLength(25);
    expect(statuses.filter((status) => status === 402)).toHaveLength(15);
    for (const { status, body } of await Promise.all(asked)) {
      expect(status).toBe(200);
      expect(['allowed', 'refused']).toContain(body['verdict']);
      expect(Number(body['budget'].spent)).toBeLessThanOrEqual(0.25);
    }
    const { store } = treasury.host.engine.context;
    const rows = store.transfers.list({ agentId: agent.agentId, kinds: ['payment'], limit: 500 });
    expect(rows).toHaveLength(40);
    expect((await explain(agent, '0.000001')).body).toMatchObject({
      code: 'daily_budget',
      budget: { spent: '0.25', left: '0.00' },
    });
  });

  it('of one agent wait in its own queue, and another agent’s payment passes them', async () => {
    const [noisy, other] = [await newAgent(), await newAgent()];
    const { turns } = treasury.host.engine.context;
    const { next } = turns;
    const gate = Promise.withResolvers<void>();
    let waiting = 0;
    turns.next = async (lane) => {
      if (lane === noisy.agentId) {
        waiting += 1;
        await gate.promise;
      }
      return next(lane);
    };
    const asked = Array.from({ length: 100 }, () => explain(noisy, '0.01'));
    await until('all to wait', () => waiting === 100);
    expect((await other.pay('0.01')).status).toBe(200);
    turns.next = next;
    gate.resolve();
    expect(new Set((await Promise.all(asked)).map(({ status }) => status))).toEqual(new Set([200]));
  });

  it('leave records and chain in agreement', async () => {
    await settled();
    expect(clean(await audit(treasury.host))).toEqual(allWell);
  });

  it('count USDC that nobody has read from the chain yet', async () => {
    const agent = await newAgent({ allocate: null });
    await rpcCall(treasury.host.rpcUrl, 'sandbox_fundUsdc', [agent.wallet, '700000']);
    expect(await foretold(agent, '0.700001')).toEqual(refusedFor('insufficient_balance'));
    expect(await foretold(agent, '0.70')).toEqual(allowed);
  });
});

describe('the preview of a policy', () => {
  it('frees a budget as payments leave the window, and covers the last 30 days alone', async () => {
    const payer = await newAgent({ dailyBudget: '10', maxPerPayment: '1' });
    const payOnce = async (): Promise<void> => {
      expect((await pay(payer, '0.6')).status).toBe(200);
      await settled();
    };
    const preview = async () =>
      (await treasury.client.post(`/v1/agents/${payer.agentId}/policy/preview`, { dailyBudget: '1.00' }))
        .body;

    await payOnce();
    later += 23 * hour;
    await payOnce();
    expect(await preview()).toMatchObject({
      payments: 2,
      allowed: { payments: 1 },
      refused: [{ rule: 'dailyBudget', payments: 1, amount: '0.60' }],
    });
    later += 2 * hour;
    await payOnce();
    // The second was refused, so that it takes nothing from the third; the first has left.
    expect(await preview()).toMatchObject({ payments: 3, allowed: { payments: 2, amount: '1.20' } });
    // The same days as those of the overview.
    for (const days of [29, 1]) {
      later += days * 24 * hour;
      const { body } = await treasury.client.get('/v1/spending?days=30&zone=owner');
      const spent = body['agents'].find(({ agentId }: { agentId: string }) => agentId === payer.agentId);
      expect(await preview()).toMatchObject({ payments: spent?.payments ?? 0 });
      expect(spent === undefined).toBe(days === 1);
    }
  });
});
