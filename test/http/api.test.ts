// /v1 as a whole: every endpoint, every decision of design.md, section 4, and the shape of every answer.
import { Keypair, PublicKey } from '@solana/web3.js';
import { readFileSync } from 'node:fs';
import { get as httpGet } from 'node:http';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { routes, type Route, type RouteName } from '../../server/contract/routes.ts';
import {
  deploy,
  openTreasury,
  removeFolder,
  temporaryFolder,
  until,
  type TestAgent,
  type Treasury,
} from '../harness/treasury.ts';
import { checked, type Checked } from './contract-client.ts';

let treasury: Treasury;
let client: Checked;
let payer: TestAgent;
const logs = temporaryFolder();
const logFile = join(logs, 'log');
beforeAll(async () => {
  treasury = await openTreasury({ logFile });
  client = checked(treasury.client);
  payer = await deploy(client, 'payer', { dailyBudget: '100', maxPerPayment: '2', allocate: '50' });
});
afterAll(async () => {
  await treasury.close();
  removeFolder(logs);
});

const settled = (): Promise<unknown> =>
  until('all to be final', () => treasury.host.engine.context.store.transfers.open().length === 0);
const wallet = (): string => Keypair.generate().publicKey.toBase58();
const isIso = (text: string): boolean => new Date(text).toISOString() === text;

describe('deploy', () => {
  it('answers with the agent, what an MCP host starts, and what to do next; the key is in it once', async () => {
    const body = { agentId: 'fresh', dailyBudget: '5', maxPerPayment: '1.5' };
    const answer = await client.post('/v1/agents/deploy', body);
    expect(answer.status).toBe(200);
    const { agent, mcpConfig, nextSteps } = answer.body;
    expect(agent).toMatchObject({ agentId: 'fresh', displayName: 'fresh', status: 'active' });
    expect(isIso(agent.createdAt)).toBe(true);
    expect(new PublicKey(agent.walletAddress).toBase58()).toBe(agent.walletAddress);
    expect(mcpConfig.env).toMatchObject({ TREASURY_OWNER: treasury.owner, TREASURY_AGENT_ID: 'fresh' });
    const key = mcpConfig.env.TREASURY_API_KEY as string;
    expect(key).toMatch(/^atk_[\w-]{43}$/);
    expect(JSON.stringify([mcpConfig.command, mcpConfig.args])).not.toContain(key);
    expect(nextSteps.length).toBeGreaterThan(0);
    expect((await client.as(key).get('/v1/agents/fresh/balance')).body).toEqual({
      agentId: 'fresh',
      walletAddress: agent.walletAddress,
      balance: '0.00',
      currency: 'USDC',
    });
    expect((await client.get('/v1/agents/fresh/policy')).body['policy']).toEqual({
      dailyBudget: '5.00',
      maxPerPayment: '1.50',
      cooldownSeconds: 0,
      allowedServices: [],
      approveAbove: null,
      newPayees: 'allow',
      approvalMinutes: 15,
    });
  });

  it('is 409 for an id that exists, and the case of an id counts', async () => {
    const body = {
      agentId: 'PAYER',
      dailyBudget: '5',
      maxPerPayment: '1',
      displayName: ' Second\u202e  payer ',
    };
    const answer = await client.post('/v1/agents/deploy', body);
    expect(answer.body['agent'].displayName).toBe('Second   payer');
    const again = await client.post('/v1/agents/deploy', body);
    expect([again.status, again.body['code']]).toEqual([409, 'conflict']);
  });

  it('takes ids of every allowed form, also `deploy` itself', async () => {
    for (const agentId of ['deploy', '0', 'a.b_c-d', 'x'.repeat(64)]) {
      expect(
        (await client.post('/v1/agents/deploy', { agentId, dailyBudget: '1', maxPerPayment: '1' })).status,
      ).toBe(200);
      expect((await client.get(`/v1/agents/${agentId}/balance`)).status).toBe(200);
    }
  });
});

describe('a policy', () => {
  it('changes in the fields that are sent and in no others; nothing sent changes nothing', async () => {
    const path = '/v1/agents/fresh/policy';
    const { policies } = treasury.host.engine.context.store;
    const before = (await client.get(path)).body['policy'];
    const { version } = policies.get('fresh');
    expect((await client.post(path, {})).body['policy']).toEqual(before);
    expect((await client.post(path)).body['policy']).toEqual(before);
    expect(policies.get('fresh').version).toBe(version);
    const change = { cooldownSeconds: 2_592_000, allowedServices: ['no-such-service'], approveAbove: '0.5' };
    const { body } = await client.post(path, change);
    expect(body).toEqual({ agentId: 'fresh', policy: { ...before, ...change, approveAbove: '0.50' } });
    expect((await client.get(path)).body).toEqual(body);
    const back = {
      cooldownSeconds: 0,
      allowedServices: [],
      approveAbove: null,
      newPayees: 'approve',
      approvalMinutes: 1_440,
    };
    expect((await client.post(path, back)).body['policy']).toEqual({ ...before, ...back });
  });
});

describe('allocate and recall', () => {
  it('move USDC and answer with the movement and the agent’s balance', async () => {
    const first = await client.post('/v1/agents/fresh/allocate', { amount: '3.5', currency: 'USDC' });
    expect(first.status).toBe(200);
    expect(first.body).toMatchObject({
      agentId: 'fresh',
      amount: '3.50',
      currency: 'USDC',
      status: 'confirmed',
      balance: '3.50',
    });
    const back = await client.post('/v1/agents/fresh/recall', { amount: '1' });
    expect(back.body).toMatchObject({
      agentId: 'fresh',
      amount: '1.00',
      status: 'confirmed',
      balance: '2.50',
    });
  });

  it('are 402 beyond what is there', async () => {
    const more = await client.post('/v1/agents/fresh/allocate', { amount: '100000' });
    expect([more.status, more.body['code']]).toEqual([402, 'insufficient_balance']);
    const back = await client.post('/v1/agents/fresh/recall', { amount: '100' });
    expect([back.status, back.body['code']]).toEqual([402, 'insufficient_balance']);
  });

  it('are made once under one key', async () => {
    const send = (): Promise<{ text: string }> =>
      client.post('/v1/agents/fresh/allocate', { amount: '0.1' }, { key: 'once' });
    const [one, two] = await Promise.all([send(), send()]);
    await settled();
    expect(JSON.parse(one.text).transferId).toBe(JSON.parse(two.text).transferId);
    expect((await client.get('/v1/agents/fresh/balance')).body['balance']).toBe('2.60');
  });
});

describe('kill, resume and rename', () => {
  it('answer with the status, also when nothing changed', async () => {
    for (const [verb, status] of [
      ['kill', 'suspended'],
      ['kill', 'suspended'],
      ['resume', 'active'],
      ['resume', 'active'],
    ] as const) {
      const answer = await client.post(`/v1/agents/fresh/${verb}`);
      expect([answer.status, answer.body]).toEqual([200, { agentId: 'fresh', status }]);
    }
  });

  it('block a suspended agent’s payments with 403 and keep its wallet', async () => {
    await client.post('/v1/agents/fresh/kill');
    const body = { service: 'sandbox-weather', amount: '0.01', currency: 'USDC' };
    const refused = await client.post('/v1/agents/fresh/pay', body);
    expect([refused.status, refused.body['code']]).toEqual([403, 'suspended']);
    expect((await client.get('/v1/agents/fresh/balance')).body['balance']).toBe('2.60');
    await client.post('/v1/agents/fresh/resume');
  });

  it('change the label alone', async () => {
    const answer = await client.post('/v1/agents/fresh/rename', { displayName: 'Ännchen 😀' });
    expect(answer.body).toEqual({ agentId: 'fresh', displayName: 'Ännchen 😀' });
    const { body } = await client.get('/v1/agents');
    expect(body['agents'].find((one: { agentId: string }) => one.agentId === 'fresh')).toMatchObject({
      displayName: 'Ännchen 😀',
    });
  });
});

describe('pay', () => {
  const path = '/v1/agents/payer/pay';

  it('answers with the result of the specification, and its receipt opens the paid API', async () => {
    const { status, body } = await payer.pay('0.01');
    expect(status).toBe(200);
    expect(body).toMatchObject({ amount: '0.01', currency: 'USDC', status: 'confirmed' });
    expect(body['xPaymentHeader']).toMatch(/^v1\.[A-Za-z0-9+/]+=*$/);
    const url = `${treasury.host.url}/sandbox/weather?city=Bern`;
    expect((await fetch(url)).status).toBe(402);
    expect((await fetch(url, { headers: { 'X-Payment': body['xPaymentHeader'] } })).status).toBe(200);
    const { body: told } = await client.get(`/v1/agents/payer/payments/${body['paymentId']}`);
    expect(told).toMatchObject({ ...body, service: 'sandbox-weather', agentId: 'payer', failure: null });
  });

  it('is 404 for a service that is unknown', async () => {
    const unknown = await payer.client.post(path, {
      service: 'no such service',
      amount: '0.01',
      currency: 'USDC',
    });
    expect([unknown.status, unknown.body['code']]).toEqual([404, 'not_found']);
  });

  it('that is not waited for is 202, and can be asked about', async () => {
    const { status, body } = await payer.pay('0.02', { prefer: 'wait=0' });
    expect([status, body['status']]).toEqual([202, 'pending']);
    const told = await until('confirmation', async () => {
      const answer = await client.get(`/v1/agents/payer/payments/${body['paymentId']}`);
      return answer.body['status'] === 'confirmed' && answer.body;
    });
    expect(told['xPaymentHeader']).toMatch(/^v1\./);
  });

  it.each([
    ['maxPerPayment', { maxPerPayment: '0.5' }, '0.51', 'max_per_payment'],
    ['dailyBudget', { dailyBudget: '0' }, '0.01', 'daily_budget'],
    ['cooldownSeconds', { cooldownSeconds: 3_600 }, '0.01', 'cooldown'],
    ['allowedServices', { allowedServices: ['another'] }, '0.01', 'service_not_allowed'],
  ])('is 402 by the rule %s, names it, and is no approval', async (rule, policy, amount, code) => {
    const { policy: before } = (await client.get('/v1/agents/payer/policy')).body;
    await client.post('/v1/agents/payer/policy', policy);
    const { status, body, headers } = await payer.pay(amount);
    expect([status, body['code'], body['details'].rule]).toEqual([402, code, rule]);
    if (code === 'cooldown') {
      expect(Date.parse(body['details'].retryAt)).toBeGreaterThan(Date.now());
      expect(Number(headers['retry-after'])).toBeGreaterThan(3_000);
    } else expect(headers['retry-after']).toBeUndefined();
    const { body: told } = await client.get(`/v1/agents/payer/payments/${body['details'].paymentId}`);
    expect(told).toMatchObject({
      status: 'denied',
      txSignature: null,
      xPaymentHeader: null,
      failure: { code },
    });
    await client.post('/v1/agents/payer/policy', before);
  });

  it('is 402 beyond what the wallet holds', async () => {
    const poor = await deploy(client, 'poor', { allocate: null });
    const { status, body } = await poor.pay('0.01');
    expect([status, body['code'], body['details'].available]).toEqual([402, 'insufficient_balance', '0.00']);
  });
});

describe('the histories', () => {
  beforeAll(async () => {
    for (let n = 0; n < 45; n += 1) await payer.pay(`0.0${n + 10}`);
    await payer.pay('2.01');
    await settled();
  });
  const amounts = (body: Record<string, { amount: string }[]>): string[] =>
    body['payments']?.map(({ amount }) => amount) ?? [];

  it('of spending are newest first, 20 unless asked otherwise, without what was denied', async () => {
    const { body } = await payer.client.get('/v1/agents/payer/spend-history');
    expect(body['payments']).toHaveLength(20);
    expect(amounts(body)[0]).toBe('0.054');
    expect(body['payments'][0]).toMatchObject({
      service: 'Sandbox Weather',
      serviceId: 'sandbox-weather',
      agentId: 'payer',
      currency: 'USDC',
      status: 'confirmed',
    });
    const all = await payer.client.get('/v1/agents/payer/spend-history?limit=500');
    expect(amounts(all.body)).not.toContain('2.01');
    const times = all.body['payments'].map((one: { timestamp: string }) => one.timestamp);
    expect(times.toSorted().toReversed()).toEqual(times);
    expect((await payer.client.get('/v1/agents/payer/spend-history?limit=1')).body['payments']).toHaveLength(
      1,
    );
  });

  it('of spending go on at a cursor, without a gap or a repetition', async () => {
    const all = (await payer.client.get('/v1/agents/payer/spend-history?limit=500')).body['payments'];
    const paged: unknown[] = [];
    for (let before = ''; ;) {
      const { body } = await payer.client.get(`/v1/agents/payer/spend-history?limit=7${before}`);
      if (body['payments'].length === 0) break;
      paged.push(...body['payments']);
      before = `&before=${body['payments'].at(-1).cursor}`;
    }
    expect(paged).toEqual(all);
  });

  it('on the dashboard hold denials, at most 50 entries, and the time in UTC', async () => {
    const { body } = await client.get('/v1/dashboard');
    expect(body['recentActivity']).toHaveLength(50);
    const [denied, approved] = body['recentActivity'];
    expect(denied).toMatchObject({
      agent: 'payer',
      venue: 'Sandbox Weather',
      amount: '2.01',
      rail: 'sol',
      status: 'denied',
    });
    expect(approved).toMatchObject({ status: 'approved' });
    for (const { time, timestamp } of body['recentActivity']) expect(time).toBe(timestamp.slice(11, 16));
    const own = body['agents'].find((one: { agentId: string }) => one.agentId === 'payer');
    const paid = (await client.get('/v1/agents/payer/spend-history?limit=500')).body['payments'] as {
      amount: string;
    }[];
    expect(own.lifetimePayments).toBe(paid.length);
    expect(Number(own.lifetimeSpent)).toBeCloseTo(
      paid.reduce((sum, { amount }) => sum + Number(amount), 0),
      6,
    );
    expect(own.spentToday).toBe(own.lifetimeSpent);
    expect(own.policy).toEqual({ dailyBudget: '100.00' });
    expect(body['treasury']).toMatchObject({ walletAddress: treasury.owner, currency: 'USDC', decimals: 6 });
    expect(body['treasury'].amount).toMatch(/^\d+$/);
    expect(body).toMatchObject({ network: 'sandbox', frozen: false, locked: false, pendingApprovals: 0 });
  });

  it('of deposits are what came from outside: newest first, with a cursor, without recalls', async () => {
    const one = await client.post('/v1/sandbox/faucet', { amount: '1.25' });
    expect(one.body).toMatchObject({ amount: '1.25', currency: 'USDC' });
    const two = await client.post('/v1/sandbox/faucet', { amount: '0.000001' });
    const { body } = await client.get('/v1/treasury/deposits');
    expect(body['deposits'].map((one: { amount: string }) => one.amount)).toEqual([
      '0.000001',
      '1.25',
      '1000.00',
    ]);
    expect(body['deposits'][0].txSignature).toBe(two.body['txSignature']);
    const cursor = body['deposits'][0].cursor;
    const rest = await client.get(`/v1/treasury/deposits?limit=1&before=${cursor}`);
    expect(rest.body['deposits'].map((one: { amount: string }) => one.amount)).toEqual(['1.25']);
  });
});

describe('keys', () => {
  it('are shown once, listed without themselves, rotated and revoked', async () => {
    const added = await client.post('/v1/agents/fresh/keys', { label: 'laptop' });
    const { keyId, apiKey } = added.body as { keyId: string; apiKey: string };
    const rotated = await client.post(`/v1/agents/fresh/keys/${keyId}/rotate`);
    const list = await client.get('/v1/agents/fresh/keys');
    expect(list.body['keys'].map((one: { label: string }) => one.label)).toEqual([
      'first key',
      'laptop',
      'laptop',
    ]);
    expect(list.text).not.toContain('atk_');
    const old = list.body['keys'].find((one: { keyId: string }) => one.keyId === keyId);
    expect(Date.parse(old.expiresAt) - Date.now()).toBeGreaterThan(86_300_000);
    for (const key of [apiKey, String(rotated.body['apiKey'])])
      expect((await client.as(key).get('/v1/agents/fresh/balance')).status).toBe(200);
    const revoked = await client.call('DELETE', `/v1/agents/fresh/keys/${keyId}`);
    expect(isIso(revoked.body['revokedAt'])).toBe(true);
    expect((await client.call('DELETE', `/v1/agents/fresh/keys/${keyId}`)).body).toEqual(revoked.body);
    expect((await client.post(`/v1/agents/fresh/keys/${keyId}/rotate`)).status).toBe(409);
    expect((await client.as(apiKey).get('/v1/agents/fresh/balance')).status).toBe(401);
  });
});

describe('archive', () => {
  it('recalls what is left, ends the keys and hides the agent, whose id stays taken', async () => {
    const old = await deploy(client, 'old', { allocate: '7.5' });
    const { body: before } = await client.get('/v1/dashboard');
    const answer = await client.post('/v1/agents/old/archive');
    expect(answer.body).toMatchObject({ agentId: 'old', recalled: '7.50', status: 'suspended' });
    expect((await old.client.get('/v1/agents/old/balance')).status).toBe(401);
    expect((await client.post('/v1/agents/old/archive')).status).toBe(404);
    const { body } = await client.get('/v1/dashboard');
    expect(BigInt(body['treasury'].amount)).toBe(BigInt(before['treasury'].amount) + 7_500_000n);
    expect(body['agents'].map((one: { agentId: string }) => one.agentId)).not.toContain('old');
    const { body: all } = await client.get('/v1/agents');
    expect(all['agents'].find((one: { agentId: string }) => one.agentId === 'old')).toMatchObject({
      archived: true,
      balance: '0.00',
    });
    const again = await client.post('/v1/agents/deploy', {
      agentId: 'old',
      dailyBudget: '1',
      maxPerPayment: '1',
    });
    expect(again.status).toBe(409);
  });
});

describe('withdraw', () => {
  const withdraw = (body: object, key: string | null = `key ${Math.random()}`) =>
    client.post('/v1/treasury/withdraw', body, key === null ? {} : { key });

  it('needs an Idempotency-Key', async () => {
    const { status, body } = await withdraw({ asset: 'USDC', to: wallet(), amount: '1' }, null);
    expect(status).toBe(400);
    expect(body['error']).toMatch(/^Idempotency-Key: /);
  });

  it('sends USDC once under one key, to a wallet that never had any', async () => {
    const to = wallet();
    const first = await withdraw({ asset: 'USDC', to, amount: '2.000001' }, 'out');
    expect(first.status, first.text).toBe(200);
    expect(first.body).toMatchObject({
      agentId: null,
      amount: '2.000001',
      currency: 'USDC',
      status: 'confirmed',
    });
    await settled();
    const { text } = await withdraw({ asset: 'USDC', to, amount: '2.000001' }, 'out');
    expect(JSON.parse(text).transferId).toBe(first.body['transferId']);
    expect((await withdraw({ asset: 'USDC', to, amount: '2' }, 'out')).status).toBe(409);
  });

  it('sends SOL', async () => {
    const before = Number((await client.get('/v1/dashboard')).body['treasury'].sol);
    const { status, body } = await withdraw({ asset: 'SOL', to: wallet(), amount: '0.5' });
    expect([status, body['amount'], body['currency']]).toEqual([200, '0.50', 'SOL']);
    await treasury.host.engine.context.funds.refreshLamports();
    expect(Number((await client.get('/v1/dashboard')).body['treasury'].sol)).toBeLessThan(before - 0.499);
  });

  it('is 402 beyond what the treasury holds', async () => {
    for (const asset of ['USDC', 'SOL']) {
      const { status, body } = await withdraw({ asset, to: wallet(), amount: '99999' });
      expect([asset, status, body['code']]).toEqual([asset, 402, 'insufficient_balance']);
    }
  });

  it('goes to no address of a program, nor back to the treasury itself', async () => {
    const seeds = [Buffer.from('x')];
    const [derived] = PublicKey.findProgramAddressSync(
      seeds,
      new PublicKey('TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA'),
    );
    for (const to of [derived.toBase58(), treasury.owner, '1'.repeat(44), 'z'.repeat(44)]) {
      for (const asset of ['USDC', 'SOL']) {
        const { status, body } = await withdraw({ asset, to, amount: '0.1' });
        expect([to, status]).toEqual([to, 400]);
        expect(body['error']).toMatch(/^to: /);
      }
    }
  });
});

describe('the owner’s ceiling', () => {
  it('is null at first, is set, read and lifted', async () => {
    const { body } = await client.get('/v1/treasury/policy');
    expect(body['dailyBudget']).toBeNull();
    expect((await client.post('/v1/treasury/policy', { dailyBudget: '0.000001' })).body).toEqual({
      ...body,
      dailyBudget: '0.000001',
    });
    const refused = await payer.pay('0.01');
    expect([refused.status, refused.body['code']]).toEqual([402, 'owner_ceiling']);
    expect((await client.post('/v1/treasury/policy', { dailyBudget: null })).body).toEqual(body);
    expect((await payer.pay('0.01')).status).toBe(200);
  });
});

describe('freeze and lock', () => {
  it('stop payments and allocations with 403 and say what may still land', async () => {
    const frozen = await client.post('/v1/freeze', { reason: 'lunch' });
    expect(frozen.body).toMatchObject({
      frozen: true,
      reason: 'lunch',
      mayStillLand: { payments: 0, amount: '0.00', until: null },
    });
    expect((await client.post('/v1/freeze', { reason: 'other' })).body).toEqual(frozen.body);
    const refused = [
      await payer.pay('0.01'),
      await client.post('/v1/agents/payer/allocate', { amount: '1' }),
    ];
    for (const { status, body } of refused) expect([status, body['code']]).toEqual([403, 'frozen']);
    expect((await client.get('/v1/dashboard')).body['frozen']).toBe(true);
    expect((await client.post('/v1/unfreeze')).body).toMatchObject({
      frozen: false,
      since: null,
      reason: null,
    });
    expect((await payer.pay('0.01')).status).toBe(200);
  });

  it('drop the keys from memory: all that signs is 503, all that reads goes on', async () => {
    expect((await client.post('/v1/lock')).body).toEqual({ locked: true });
    const body = { agentId: 'late', dailyBudget: '1', maxPerPayment: '1' };
    const refused = [
      await payer.pay('0.01'),
      await client.post('/v1/agents/payer/allocate', { amount: '1' }),
      await client.post('/v1/agents/payer/recall', { amount: '1' }),
      await client.post(
        '/v1/treasury/withdraw',
        { asset: 'USDC', to: wallet(), amount: '1' },
        { key: 'locked' },
      ),
      await client.post('/v1/agents/deploy', body),
    ];
    for (const answer of refused) expect([answer.status, answer.body['code']]).toEqual([503, 'locked']);
    expect((await client.get('/v1/dashboard')).body['locked']).toBe(true);
    expect((await payer.client.get('/v1/agents/payer/spend-history')).status).toBe(200);
    const guess = await client.post('/v1/unlock', { passphrase: 'this vault has none' });
    expect([guess.status, guess.body['details'].reason]).toEqual([400, 'no_passphrase']);
    expect((await client.get('/v1/dashboard')).body['locked']).toBe(true);
    expect((await client.post('/v1/unlock')).body).toEqual({ locked: false });
    expect((await payer.pay('0.01')).status).toBe(200);
    expect((await client.post('/v1/agents/deploy', body)).status).toBe(200);
  });
});

describe('a balance', () => {
  let slow: Treasury;
  beforeAll(async () => {
    slow = await openTreasury({ args: ['--slot-ms', '60000', '--confirm-ms', '0', '--finalize-ms', '0'] });
  });
  afterAll(() => slow.close());

  it.fails('that was read in the slot of a payment is read again after it', async () => {
    const agent = await deploy(slow.client, 'reader', { allocate: '1' });
    const read = async (): Promise<string> =>
      (await agent.client.get('/v1/agents/reader/balance')).body['balance'];
    expect(await read()).toBe('1.00');
    expect((await agent.pay('0.6')).status).toBe(200);
    expect(await read()).toBe('0.40');
  });

  it.fails('that was read in the slot of a payment is not spent twice', async () => {
    const agent = await deploy(slow.client, 'spender', { allocate: '1' });
    expect((await agent.client.get('/v1/agents/spender/balance')).body['balance']).toBe('1.00');
    expect((await agent.pay('0.6')).status).toBe(200);
    const refused = await agent.pay('0.6');
    expect([refused.status, refused.body['code']]).toEqual([402, 'insufficient_balance']);
  });
});

describe('the search for services', () => {
  it('finds by words, says how many there are, and needs nobody’s key', async () => {
    const found = await client.get('/v1/services/search?q=weather', { token: null, owner: null });
    expect(found.body).toMatchObject({ query: 'weather', total: 1 });
    expect(found.body['results'][0]).toMatchObject({
      id: 'sandbox-weather',
      pricing: {},
      price: '0.01',
      source: 'svc-native',
    });
    const none = await client.get(`/v1/services/search?q=${encodeURIComponent("%_' 1=1 --")}`, {
      token: null,
    });
    expect([none.status, none.body['total']]).toEqual([200, 0]);
    expect((await client.get('/v1/services/search', { token: null })).status).toBe(200);
  });
});

/** RFC 4180, strictly. */
const parseCsv = (text: string): string[][] => {
  const rows: string[][] = [[]];
  const field = /(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n|$)/y;
  while (field.lastIndex < text.length) {
    const found = field.exec(text);
    if (found === null) throw new Error(`not RFC 4180 at ${field.lastIndex}`);
    const [, quoted, plain = '', end] = found;
    rows.at(-1)?.push(quoted === undefined ? plain : quoted.replaceAll('""', '"'));
    if (end === '\r\n' && field.lastIndex < text.length) rows.push([]);
  }
  return rows;
};

describe('the statement', () => {
  const texts = [
    '=1+1',
    '+1',
    '-1',
    '@SUM(A1)',
    '=HYPERLINK("http://evil.com","x")',
    'a,b',
    'say "hi"',
    'plain',
    "it's",
    '＝1+1',
  ];
  beforeAll(async () => {
    for (const description of texts)
      await payer.client.post('/v1/agents/payer/pay', {
        service: 'sandbox-weather',
        amount: '0.001',
        currency: 'USDC',
        description,
      });
    await settled();
  });

  it('as CSV is RFC 4180, and no field of it starts a formula', async () => {
    const { status, text, headers } = await client.get('/v1/statement');
    expect(status).toBe(200);
    expect(headers['content-type']).toBe('text/csv; charset=utf-8');
    expect(headers['content-disposition']).toContain('attachment');
    expect(text.endsWith('\r\n')).toBe(true);
    const [head = [], ...rows] = parseCsv(text);
    expect(head).toEqual([
      'timestamp',
      'id',
      'kind',
      'agentId',
      'service',
      'amount',
      'currency',
      'status',
      'txSignature',
      'payee',
      'description',
    ]);
    expect(rows).toHaveLength([...treasury.host.engine.context.store.transfers.iterate({})].length);
    for (const row of rows) expect(row).toHaveLength(head.length);
    for (const field of rows.flat()) expect(field).not.toMatch(/^[=+\-@\t\r＝＋－＠]/);
    const descriptions = rows.map((row) => row.at(-1)?.replace(/^'/, ''));
    for (const wanted of texts) expect(descriptions).toContain(wanted);
  });

  it('as JSON holds the same rows, and text as it is', async () => {
    const { text, headers } = await client.get('/v1/statement?format=json');
    expect(headers['content-type']).toContain('application/json');
    const { transfers } = JSON.parse(text) as { transfers: Record<string, string>[] };
    const rows = parseCsv((await client.get('/v1/statement?format=csv')).text).slice(1);
    expect(transfers.map(({ id }) => id)).toEqual(rows.map(([, id]) => id));
    expect(transfers.map(({ description }) => description)).toEqual(expect.arrayContaining(texts));
    expect(new Set(transfers.map(({ kind }) => kind))).toEqual(
      new Set(['payment', 'allocation', 'recall', 'withdrawal']),
    );
  });

  it('holds both ends of its period: days whole, points in time to the millisecond', async () => {
    const count = async (query: string): Promise<number> => {
      const { status, text } = await client.get(`/v1/statement?format=json${query}`);
      expect(status, text).toBe(200);
      return (JSON.parse(text) as { transfers: [] }).transfers.length;
    };
    const all = [...treasury.host.engine.context.store.transfers.iterate({})];
    const day = (offset: number): string =>
      new Date(Date.now() + offset * 86_400_000).toISOString().slice(0, 10);
    const first = new Date(Math.min(...all.map(({ createdAt }) => createdAt))).toISOString();
    const last = new Date(Math.max(...all.map(({ createdAt }) => createdAt))).toISOString();
    expect(await count('')).toBe(all.length);
    expect(await count(`&from=${first.slice(0, 10)}&to=${last.slice(0, 10)}`)).toBe(all.length);
    expect(await count(`&from=${first}&to=${last}`)).toBe(all.length);
    expect(await count(`&to=${day(-2)}`)).toBe(0);
    expect(await count(`&from=${day(2)}`)).toBe(0);
    expect(await count(`&from=${first}&to=${first}`)).toBe(
      all.filter(({ createdAt }) => createdAt === Date.parse(first)).length,
    );
    expect(await count(`&from=${day(1)}&to=${day(-1)}`)).toBe(0);
  });
});

describe('openapi.json', () => {
  it('is OpenAPI 3.1 and tells every route, its parameters, its answers and who may ask', async () => {
    const { body } = await client.get('/v1/openapi.json', { token: null, owner: null });
    expect(body['openapi']).toMatch(/^3\.1\.\d$/);
    expect(body['info']).toMatchObject({ title: expect.any(String), version: expect.any(String) });
    const told = new Set<string>();
    for (const [path, item] of Object.entries(body['paths'] as Record<string, Record<string, any>>)) {
      // oxlint-disable-line typescript/no-explicit-any
      for (const [method, operation] of Object.entries(item)) {
        told.add(`${method.toUpperCase()} ${path.replaceAll(/\{(\w+)\}/g, ':$1')}`);
        const name = operation.operationId as RouteName;
        const route: Route = routes[name];
        const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, one]) => one);
        const parameters = operation.parameters as {
          name: string;
          in: string;
          required: boolean;
          schema: object;
        }[];
        expect(parameters.filter((one) => one.in === 'path').map((one) => one.name)).toEqual(inPath);
        expect(new Set(parameters.map((one) => `${one.in} ${one.name}`)).size).toBe(parameters.length);
        for (const parameter of parameters) expect(typeof parameter.schema).toBe('object');
        expect(parameters.some((one) => one.name === 'owner' && one.required)).toBe(route.access !== 'public');
        expect(operation.security).toEqual(route.access === 'public' ? [] : [{ bearer: [] }]);
        expect(operation.requestBody === undefined).toBe(method === 'get' || method === 'delete');
        for (const response of Object.values(
          operation.responses as Record<string, { description: string; content: object }>,
        )) {
          expect(response.description).not.toBe('');
          for (const media of Object.values(response.content) as { schema: object }[])
            expect(typeof media.schema).toBe('object');
        }
        expect(Object.keys(operation.responses)).toContain('default');
      }
    }
    expect([...told].toSorted()).toEqual(
      Object.values(routes)
        .map(({ method, path }) => `${method} ${path}`)
        .toSorted(),
    );
    const ids = Object.values(body['paths'] as Record<string, object>).flatMap((item) =>
      Object.values(item).map((one) => one.operationId),
    );
    expect(new Set(ids).size).toBe(ids.length);
    const references = [...JSON.stringify(body).matchAll(/"\$ref":"#\/([^"]+)"/g)].map(([, one]) => one ?? '');
    for (const one of new Set(references))
      expect(
        one.split('/').reduce<any>((at, part) => at?.[part], body),
        it,
      ).toBeDefined(); // oxlint-disable-line typescript/no-explicit-any
  });
});

describe('health', () => {
  it('is {ok} and no more', async () => {
    const { status, text } = await client.get('/v1/health', { token: null, owner: null });
    expect([status, text]).toEqual([200, '{"ok":true}']);
  });
});

describe('events', () => {
  it('tell the owner what happens, after it happened, and carry no secret', async () => {
    const token = readFileSync(treasury.host.cookieFile ?? '', 'utf8');
    let text = '';
    const url = new URL(`/v1/events?owner=${treasury.owner}`, treasury.host.url);
    const stream = httpGet(url, { headers: { authorization: `Bearer ${token}` } });
    await new Promise<void>((resolve) => {
      stream.on('response', (response) => {
        expect(response.headers['content-type']).toBe('text/event-stream');
        response.on('data', (chunk: Buffer) => {
          text += chunk.toString();
          resolve();
        });
        response.on('error', () => {});
      });
    });
    const seen = (type: string, part: string): Promise<unknown> =>
      until(`${type} ${part}`, () =>
        text.split('\n\n').some((one) => one.startsWith(`event: ${type}\n`) && one.includes(part)),
      );

    await client.post('/v1/sandbox/faucet', { amount: '0.77' });
    await seen('deposit', '"amount":"0.77"');
    const { body: paid } = await payer.pay('0.033');
    await seen('transfer', `"paymentId":"${paid['paymentId']}"`);
    await client.post('/v1/freeze');
    await seen('freeze', '"frozen":true');
    await client.post('/v1/unfreeze');
    const created = await deploy(client, 'watched', { policy: { approveAbove: '0' } });
    await seen('agent', 'watched');
    const asked = await created.pay('0.1');
    await seen('approval', String(asked.body['approvalId']));
    const key = await client.post('/v1/agents/watched/keys');
    stream.destroy();

    for (const block of text.split('\n\n').filter((one) => one.startsWith('event:'))) {
      const [, data = ''] = block.split('\ndata: ');
      expect(JSON.parse(data)).toBeTypeOf('object');
    }
    for (const secret of [
      token,
      payer.key,
      created.key,
      String(key.body['apiKey']),
      String(paid['xPaymentHeader']),
      'atk_',
      'own_',
    ])
      expect(text).not.toContain(secret);
  });
});

describe('an error inside', () => {
  const secret = 'phrase: abandon abandon ability, key atk_planted';
  const lines = (): string[] =>
    readFileSync(logFile, 'utf8')
      .split('\n')
      .filter((line) => line.includes('"level":"error"'));

  /** The store fails while the work runs. */
  const failing = async (work: () => Promise<void>): Promise<void> => {
    const { agents } = treasury.host.engine.context.store;
    const { list } = agents;
    agents.list = () => {
      throw new Error(secret);
    };
    try {
      await work();
    } finally {
      agents.list = list;
    }
  };

  it('is 500 with nothing of the inside, and is logged whole, once', async () => {
    const before = lines().length;
    await failing(async () => {
      const { status, text } = await client.get('/v1/agents');
      expect(status).toBe(500);
      expect(JSON.parse(text)).toEqual({ error: 'Internal error', code: 'internal' });
    });
    const logged = lines().slice(before);
    expect(logged).toHaveLength(1);
    expect(JSON.parse(logged[0] ?? '')).toMatchObject({
      err: { message: secret, stack: expect.any(String) },
      path: '/v1/agents',
    });
    expect((await client.get('/v1/agents')).status).toBe(200);
  });

  it('in the middle of a stream cuts it, so that half a statement looks like none, and is logged once', async () => {
    const before = lines().length;
    const { transfers } = treasury.host.engine.context.store;
    const { iterate } = transfers;
    transfers.iterate = function* broken(query) {
      yield* [...iterate.call(transfers, query)].slice(0, 3);
      throw new Error(secret);
    };
    try {
      await expect(client.get('/v1/statement')).rejects.toThrow();
    } finally {
      transfers.iterate = iterate;
    }
    expect(lines().slice(before)).toHaveLength(1);
  });
});

describe('the contract', () => {
  it('was kept by every route that there is', () => {
    // Approvals have a file of their own.
    const elsewhere = [
      'listApprovals',
      'getApproval',
      'grantApproval',
      'denyApproval',
      'listGrants',
      'revokeGrant',
      'events',
    ];
    const unseen = (Object.keys(routes) as RouteName[]).filter(
      (name) => !client.seen.has(name) && !elsewhere.includes(name),
    );
    expect(unseen).toEqual([]);
  });
});
