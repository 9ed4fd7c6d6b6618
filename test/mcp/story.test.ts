// An agent's day through the bridge, with each client and in each era of the protocol, against a real treasury.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { deploy, openTreasury, until, type TestAgent, type Treasury } from '../harness/treasury.ts';
import { kinds } from '../harness/kinds.ts';
import { envOf, eras, openBridge, type Bridge } from './bridge.ts';

const specified = [
  'check_balance',
  'find_service',
  'get_policy',
  'set_policy',
  'get_spend_history',
  'allocate_budget',
  'deploy_agent',
  'kill_agent',
  'resume_agent',
  'rename_agent',
  'list_models',
];
const further = [
  'pay',
  'paid_fetch',
  'get_payment',
  'get_approval',
  'request_budget',
  'delegate_budget',
  'explain_policy',
  'generate_image',
  'get_task',
];

let treasury: Treasury;
beforeAll(async () => {
  treasury = await openTreasury();
});
afterAll(() => treasury.close());

const grant = async (approvalId: string) => {
  const { body } = await treasury.client.get(`/v1/approvals/${approvalId}`);
  return treasury.client.post(`/v1/approvals/${approvalId}/grant`, { hash: body['hash'] });
};
const deny = (approvalId: string) => treasury.client.post(`/v1/approvals/${approvalId}/deny`);
const weather = (city: string) => `${treasury.host.url}/sandbox/weather?city=${city}`;

describe.each(kinds(eras))('through the bridge, %s', (era) => {
  const agentId = `scout-${era.replace(' ', '-')}`;
  let agent: TestAgent;
  let bridge: Bridge;
  let heard = '';
  const call: Bridge['call'] = async (name, args) => {
    const called = await bridge.call(name, args);
    heard += JSON.stringify(called);
    return called;
  };

  beforeAll(async () => {
    agent = await deploy(treasury.client, agentId, { dailyBudget: '0.05', maxPerPayment: '0.03' });
    bridge = await openBridge(envOf(agent, treasury), era);
  });
  afterAll(() => bridge.close());

  it('speaks the era that the client asks for', () => {
    expect(bridge.era).toBe(era === 'modern' ? 'modern' : 'legacy');
  });

  it('offers every tool of the specification, each well described', () => {
    expect(bridge.tools.map(({ name }) => name).toSorted()).toEqual([...specified, ...further].toSorted());
    for (const { name, title, description, annotations } of bridge.tools) {
      expect(title, name).toBeTruthy();
      expect(description?.length ?? 0, name).toBeGreaterThan(60);
      expect(annotations, name).toHaveProperty('readOnlyHint');
    }
    const paidFetch = bridge.tools.find(({ name }) => name === 'paid_fetch');
    const { properties = {} } = (paidFetch?.inputSchema ?? {}) as { properties?: object };
    expect(Object.keys(properties)).toEqual([
      'url',
      'method',
      'headers',
      'body',
      'maxAmount',
      'reason',
      'timeoutSeconds',
      'maxBytes',
      'waitSeconds',
    ]);
    for (const protocol of ['x402', 'MPP', 'receipts']) expect(paidFetch?.description).toContain(protocol);
  });

  it('reports balance, policy, services and models', async () => {
    expect((await call('check_balance')).content).toEqual({
      agentId,
      walletAddress: agent.wallet,
      balance: '10.00',
      currency: 'USDC',
      treasuryAddress: treasury.owner,
    });
    expect((await call('get_policy')).content).toMatchObject({
      agentId,
      policy: { dailyBudget: '0.05', maxPerPayment: '0.03', cooldownSeconds: 0, allowedServices: [] },
    });
    const found = (await call('find_service', { query: 'weather' })).content;
    expect(found['results']).toHaveLength(1);
    expect(found['results'][0]).toMatchObject({ id: 'sandbox-weather', pricing: '$0.01' });
    expect(found['results'][0].how).toContain(`paid_fetch with url "${treasury.host.url}/sandbox/weather`);
    expect(found['results'][0].how).toContain('method "GET"');
    const nothing = await call('find_service', { query: 'zeppelin' });
    expect(nothing.content).toMatchObject({
      results: [],
      total: 0,
      message: expect.stringContaining('No service fits'),
    });
    expect(nothing.text).toContain('leave query out');
    const models = await call('list_models');
    expect(models.isError).toBe(false);
    expect(models.content['models'].length).toBeGreaterThan(0);
  });

  it('pays for a paid URL, and pays nothing for a free one', async () => {
    const bought = await call('paid_fetch', { url: weather('Lisbon') });
    expect(bought.content).toMatchObject({
      status: 200,
      encoding: 'utf8',
      payment: { service: 'sandbox-weather', amount: '0.01', currency: 'USDC' },
    });
    expect(JSON.parse(bought.content['body'])).toMatchObject({ city: 'Lisbon' });
    // find_service's result is enough to buy the service.
    const { how } = (await call('find_service', { query: 'weather' })).content['results'][0];
    const [, url = '', method = ''] = /url "([^"]+)" and method "(\w+)"/.exec(how) ?? [];
    expect((await call('paid_fetch', { url, method })).content).toMatchObject({ status: 400, payment: null });
    const free = await call('paid_fetch', { url: weather('1') });
    expect(free.content).toMatchObject({ status: 400, payment: null });
    const { payments } = (await call('get_spend_history', { limit: 5 })).content;
    expect(payments).toHaveLength(1);
    expect(payments[0]).toMatchObject({ id: bought.content['payment'].paymentId, status: 'confirmed' });
  });

  it('buys twice when asked twice', async () => {
    const [first, second] = [
      await call('pay', { service: 'sandbox-weather', amount: '0.01' }),
      await call('pay', { service: 'sandbox-weather', amount: '0.01' }),
    ];
    expect(first.content['xPaymentHeader']).toMatch(/^v1\./);
    expect(second.content['paymentId']).not.toBe(first.content['paymentId']);
    const { paymentId } = first.content;
    expect((await call('get_payment', { paymentId })).content).toMatchObject({
      paymentId,
      status: 'confirmed',
    });
  });

  it('predicts the treasury’s refusals, and a refusal says what to do', async () => {
    const over = { service: 'sandbox-weather', amount: '0.03' };
    const foreseen = (await call('explain_policy', over)).content;
    expect(foreseen).toMatchObject({
      verdict: 'would_be_refused',
      spent24h: '0.03',
      leftToday: '0.02',
    });
    expect(foreseen['reasons']).toMatchObject([{ rule: 'dailyBudget', retryAt: expect.any(String) }]);
    const refused = await call('pay', over);
    expect(refused).toMatchObject({ isError: true, content: { code: 'daily_budget' } });
    expect(refused.text).toContain('request_budget');
    expect(Date.parse(refused.content['details'].retryAt)).toBe(Date.parse(foreseen['reasons'][0].retryAt));
    const high = await call('pay', { ...over, amount: '0.04' });
    expect(high).toMatchObject({ isError: true, content: { code: 'max_per_payment' } });
    const wished = await call('paid_fetch', { url: weather('Oslo'), maxAmount: '0.005' });
    expect(wished).toMatchObject({ isError: true, content: { code: 'max_per_payment' } });
    expect((await call('explain_policy', { ...over, amount: '0.01' })).content['verdict']).toBe('would_pass');
  });

  it('asks the owner for more budget, and pays once the owner has agreed', async () => {
    const asked = await call('request_budget', { dailyBudget: '0.10' });
    expect(asked.content).toMatchObject({ status: 'awaiting_approval', approvalId: expect.any(String) });
    expect(asked.text).toContain('get_approval');
    const { approvalId } = asked.content;
    expect((await call('get_approval', { approvalId })).content).toMatchObject({ status: 'pending' });
    await grant(approvalId);
    expect((await call('get_approval', { approvalId })).content).toMatchObject({ status: 'granted' });
    expect((await call('pay', { service: 'sandbox-weather', amount: '0.03' })).isError).toBe(false);
    expect(await call('request_budget', { dailyBudget: '0.01' })).toMatchObject({
      isError: true,
      content: { code: 'bad_request' },
    });
  });

  it('asks the owner for a new agent and for money, and gets no key', async () => {
    const newId = `helper-${agentId}`;
    const limits = { dailyBudget: '1.00', maxPerPayment: '0.10' };
    const asked = (await call('deploy_agent', { agentId: newId, ...limits })).content;
    expect(asked).toMatchObject({
      status: 'awaiting_approval',
      mcpConfig: { command: process.execPath, env: { TREASURY_AGENT_ID: newId } },
    });
    expect(asked['nextSteps'].length).toBeGreaterThan(0);
    expect(asked['mcpConfig'].env).not.toHaveProperty('TREASURY_API_KEY');
    const { created } = (await grant(asked['approvalId'])).body;
    const { content } = await call('get_approval', { approvalId: asked['approvalId'] });
    expect(content['result'].agent.agentId).toBe(newId);
    expect(heard + JSON.stringify(content)).not.toContain(created.apiKey);
    // Only the owner learns that the id is taken.
    const taken = (await call('deploy_agent', { agentId: newId, ...limits })).content;
    expect(taken).toMatchObject({ status: 'awaiting_approval' });
    await deny(taken['approvalId']);

    const money = (await call('allocate_budget', { amount: '1.00' })).content;
    expect(money).toMatchObject({ status: 'awaiting_approval' });
    await deny(money['approvalId']);
    expect((await call('get_approval', { approvalId: money['approvalId'] })).content['status']).toBe(
      'denied',
    );
  });

  it('tightens at once, asks before loosening, and renames', async () => {
    const tight = await call('set_policy', { maxPerPayment: '0.02', cooldownSeconds: 0 });
    expect(tight.content).toMatchObject({ agentId, policy: { maxPerPayment: '0.02' } });
    const loose = await call('set_policy', { maxPerPayment: '5.00' });
    expect(loose.content).toMatchObject({ status: 'awaiting_approval' });
    expect((await call('get_policy')).content['policy'].maxPerPayment).toBe('0.02');
    await deny(loose.content['approvalId']);
    const renamed = await call('rename_agent', { agentId, displayName: 'Scout' });
    expect(renamed.content).toEqual({ agentId, displayName: 'Scout' });
  });

  it('waits for the owner’s approval of a payment without blocking the host, and pays once', async () => {
    await treasury.client.post(`/v1/agents/${agentId}/policy`, { approveAbove: '0.00', dailyBudget: '1.00' });
    const args = { url: weather('Rome') };
    const asking = call('paid_fetch', args);
    const [waits] = await until('the question', async () => {
      const { approvals } = (await treasury.client.get('/v1/approvals')).body;
      const pending = approvals.filter(
        (one: { status: string; agentId: string }) => one.status === 'pending' && one.agentId === agentId,
      );
      return pending.length > 0 && pending;
    });
    // One client waits until the bridge stops waiting; for the others the owner answers meanwhile.
    if (era === 'modern')
      expect((await asking).content).toMatchObject({
        status: 'awaiting_approval',
        approvalId: waits.approvalId,
      });
    await grant(waits.approvalId);
    const bought = await (era === 'modern' ? call('paid_fetch', args) : asking);
    expect(bought.content).toMatchObject({ status: 200, payment: { paymentId: waits.shown.paymentId } });
    await treasury.client.post(`/v1/agents/${agentId}/policy`, { approveAbove: null });
  });

  it('acts for its own agent alone', async () => {
    const other = await deploy(treasury.client, `other-${agentId}`, { allocate: null });
    for (const name of ['kill_agent', 'resume_agent'])
      expect(await call(name, { agentId: other.agentId })).toMatchObject({
        isError: true,
        content: { code: 'unauthorized' },
      });
    const { body } = await treasury.client.get('/v1/dashboard');
    const { status } = body['agents'].find((one: { agentId: string }) => one.agentId === other.agentId);
    expect(status).toBe('active');
  });

  it('stops itself, cannot resume itself, and has revealed no secret', async () => {
    expect((await call('kill_agent', { agentId })).content).toEqual({ agentId, status: 'suspended' });
    const refused = await call('paid_fetch', { url: weather('Paris') });
    expect(refused).toMatchObject({ isError: true, content: { code: 'suspended' } });
    expect(refused.text).toContain('resume_agent');
    const asked = (await call('resume_agent', { agentId })).content;
    expect(asked).toMatchObject({ status: 'awaiting_approval' });
    await grant(asked['approvalId']);
    expect((await call('paid_fetch', { url: weather('Paris') })).content['status']).toBe(200);
    expect(heard.length).toBeGreaterThan(5_000);
    expect(heard + bridge.stderr()).not.toContain(agent.key);
    expect(bridge.stderr()).toBe('');
  });
});
