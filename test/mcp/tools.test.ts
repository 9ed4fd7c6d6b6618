// The tools as an agent has them: what their list takes of a model's room, their arguments (unknown ones are refused, amounts
// may be written as models write them, and a reason travels along), and pictures, requested, waited for, and shown.
import * as fc from 'fast-check';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { amount } from '../../server/mcp/arguments.ts';
import { nextSteps } from '../../server/mcp/next-steps.ts';
import { createImageServer, type ImageServer } from '../harness/programs/image-server.ts';
import { apiKeyOfTest, pretendTreasury, type Pretended } from '../harness/programs/pretended-treasury.ts';
import { deploy, openTreasury, until, type TestAgent, type Treasury } from '../harness/treasury.ts';
import { createStdioClient, initialize } from '../lab/bench/floors/stdio-client.ts';
import { envOf, eras, openBridge, script, type Bridge, type Called } from './bridge.ts';

let treasury: Treasury;
let agent: TestAgent;
let bridge: Bridge;
beforeAll(async () => {
  treasury = await openTreasury();
  agent = await deploy(treasury.client, 'scout', { dailyBudget: '5', maxPerPayment: '1' });
  bridge = await openBridge(envOf(agent, treasury));
});
afterAll(async () => {
  await bridge.close();
  await treasury.close();
});

const weather = 'sandbox-weather';
const versionOf = (): number => treasury.host.engine.context.store.policies.get('scout').version;
const rows = (): number => [...treasury.host.engine.context.store.transfers.iterate({})].length;
const shownOf = async ({ content }: Called): Promise<unknown> => {
  const path = `/v1/approvals/${String(content['approvalId'])}`;
  const { shown } = (await treasury.client.get(path)).body;
  await treasury.client.post(`${path}/deny`);
  return shown;
};

describe('an argument that a tool does not know', () => {
  it('is in no listed schema', () => {
    for (const { name, inputSchema } of bridge.tools)
      expect(inputSchema, name).toMatchObject({ type: 'object', additionalProperties: false });
  });

  it('is refused by every tool, with its name and the known ones, and nothing is done', async () => {
    const before = [versionOf(), rows()];
    for (const { name, inputSchema } of bridge.tools) {
      const { properties = {} } = inputSchema as { properties?: object };
      const called = await bridge.call(name, { maxperpayment: '4' });
      expect(called, name).toMatchObject({ isError: true, content: { code: 'bad_request' } });
      expect(called.text).toContain(`maxperpayment: is no argument of ${name}`);
      for (const known of Object.keys(properties)) expect(called.content['error']).toContain(known);
    }
    expect([versionOf(), rows()]).toEqual(before);
  });
});

describe('an amount', () => {
  it('may be a number when it is an exact decimal, and the answer says how it was read', async () => {
    const paid = await bridge.call('pay', { service: weather, amount: 0.5 });
    expect(paid.content, paid.text).toMatchObject({ amount: '0.50', status: 'confirmed' });
    expect(paid.text).toMatch(/^amount came as the number 0\.5 and was read as 0\.50 USDC\.\n/);
    const explained = await bridge.call('explain_policy', { service: weather, amount: 1 });
    expect(explained.content['verdict']).toBe('would_pass');
    const told = await bridge.call('explain_policy', { service: weather, amount: '1' });
    expect(told.text).not.toContain('was read as');
  });

  it('is reported as it was read, for every amount, even in a refusal', async () => {
    const over = await bridge.call('pay', { service: weather, amount: 3 });
    expect(over).toMatchObject({ isError: true, content: { code: 'max_per_payment' } });
    expect(over.text).toMatch(/^amount came as the number 3 and was read as 3\.00 USDC\.\n/);
    const policy = await bridge.call('set_policy', {
      dailyBudget: 4.999999,
      maxPerPayment: 1,
      cooldownSeconds: 0,
    });
    expect(policy.text.split('\n').slice(0, 2)).toEqual([
      'dailyBudget came as the number 4.999999 and was read as 4.999999 USDC.',
      'maxPerPayment came as the number 1 and was read as 1.00 USDC.',
    ]);
    expect(policy.content).toMatchObject({ policy: { dailyBudget: '4.999999', maxPerPayment: '1.00' } });
  });

  it('is exact as a number: every decimal that the treasury accepts is read as written', () => {
    const exact = fc.tuple(fc.integer({ min: 0, max: 999_999_999 }), fc.integer({ min: 0, max: 999_999 }));
    fc.assert(
      fc.property(exact, ([whole, rest]) => {
        const text = `${whole}.${String(rest).padStart(6, '0')}`;
        const asNumber = JSON.parse(text) as number;
        expect(amount('x').parse(asNumber)).toBe(amount('x').parse(text));
      }),
      { seed: 11, numRuns: 20_000 },
    );
  });

  it.each([0.1 + 0.2, 1e-7, 1e21, -1, Infinity, '1,5', '', null, true])(
    'is refused with an example otherwise: %s',
    async (wrong) => {
      const before = rows();
      const called = await bridge.call('pay', { service: weather, amount: wrong });
      expect(called, called.text).toMatchObject({ isError: true, content: { code: 'bad_request' } });
      expect(called.content['error']).toMatch(/^amount: must be decimal USDC such as "1\.50"/);
      expect(rows()).toBe(before);
    },
  );
});

describe('set_policy', () => {
  it.each([
    ['nothing', {}],
    ['a reason alone', { reason: 'just so' }],
    ['what is in force already', { maxPerPayment: '1.00' }],
  ])('says with %s that nothing changed', async (_, change) => {
    const called = await bridge.call('set_policy', change);
    expect(called.isError).toBe(false);
    expect(called.text).toMatch(/nothing changed/i);
    expect(called.content).toMatchObject({ policy: { maxPerPayment: '1.00' } });
  });
});

describe('a limit that may be none', () => {
  it('is listed as what else it may be, and null is still taken for none', async () => {
    await bridge.call('set_policy', { weeklyBudget: '4', paymentsPerHour: 3 });
    const lifted = await bridge.call('set_policy', { weeklyBudget: null, paymentsPerHour: null });
    expect(await shownOf(lifted), lifted.text).toMatchObject({
      to: { weeklyBudget: null, paymentsPerHour: null },
    });
    await treasury.client.post('/v1/agents/scout/policy', { weeklyBudget: null, paymentsPerHour: null });
  });
});

describe('a reason', () => {
  const reason = 'the report needs it';
  it.each<[string, object]>([
    ['request_budget', { dailyBudget: '6' }],
    ['set_policy', { maxPerPayment: 2 }],
    ['allocate_budget', { amount: '1' }],
    ['deploy_agent', { agentId: 'helper', dailyBudget: '1', maxPerPayment: '1' }],
  ])('goes with %s to the owner', async (name, args) => {
    expect(await shownOf(await bridge.call(name, { ...args, reason }))).toMatchObject({ reason });
  });

  it('goes with payments, including waiting ones, which are listed apart', async () => {
    await treasury.client.post('/v1/agents/scout/policy', { approveAbove: '0' });
    const url = `${treasury.host.url}/sandbox/weather?city=Bern`;
    const asking = bridge.call('paid_fetch', { url, reason });
    const approvalId = await until('the question', async () => {
      const { approvals } = (await treasury.client.get('/v1/approvals')).body;
      return approvals.find(({ status }: { status: string }) => status === 'pending')?.approvalId;
    });
    const history = await bridge.call('get_spend_history');
    expect(history.content).toMatchObject({ waiting: [{ status: 'awaiting_approval' }] });
    expect(history.text).toContain('1 more wait');
    const { content } = await bridge.call('get_approval', { approvalId });
    expect(await shownOf({ ...history, content })).toMatchObject({ reason });
    expect((await asking).content).toMatchObject({ code: 'approval_denied' });
    await treasury.client.post('/v1/agents/scout/policy', { approveAbove: null });
    const paid = await bridge.call('pay', { service: weather, amount: '0.01', reason });
    const { body } = await treasury.client.get(`/v1/transfers/${String(paid.content['paymentId'])}`);
    expect(body['reason']).toBe(reason);
  });
});

describe('a list', () => {
  it('of services needs no search words', async () => {
    const all = await bridge.call('find_service', {});
    expect(all.content['results'].length).toBeGreaterThan(0);
    expect((await bridge.call('find_service', { query: ' ' })).content).toEqual(all.content);
    expect(all.content['message']).toMatch(/^Services 1 to \d+ of \d+, the most useful first\./);
  });

  it('of services is browsed to its end in pieces, each once', async () => {
    const { total } = (await bridge.call('find_service', { limit: 100 })).content;
    expect(total).toBeGreaterThan(2);
    const seen: string[] = [];
    for (let skip: string | undefined = '0'; skip !== undefined;) {
      const piece: Called = await bridge.call('find_service', { limit: 2, skip: Number(skip) });
      seen.push(...piece.content['results'].map(({ id }: { id: string }) => id));
      skip = /To read on, call it with skip (\d+)\./.exec(piece.text)?.[1];
    }
    expect(seen).toHaveLength(total);
    expect(new Set(seen).size).toBe(total);
    const past = await bridge.call('find_service', { skip: 1_000 });
    expect(past.content['results']).toEqual([]);
    expect(past.text).toContain('no more services');
  });

  it('of payments leaves out those that wait for the owner', async () => {
    const { content, text } = await bridge.call('get_spend_history');
    expect(content['payments'].map(({ status }: { status: string }) => status)).not.toContain(
      'awaiting_approval',
    );
    expect(text).toContain(`${content['payments'].length} payments`);
  });
});

describe('another agent', () => {
  it.each(['kill_agent', 'resume_agent', 'rename_agent', 'allocate_budget'])(
    'is refused by %s, in the tool’s own words',
    async (name) => {
      const more = { rename_agent: { displayName: 'x' }, allocate_budget: { amount: '1' } }[name];
      const called = await bridge.call(name, { agentId: 'somebody', ...more });
      expect(called).toMatchObject({ isError: true, content: { code: 'unauthorized' } });
      expect(called.text).toContain('acts for scout and for no other agent');
      expect(called.text).not.toContain('Bearer');
    },
  );
});

const env = { TREASURY_AGENT_ID: 'scout', TREASURY_API_KEY: apiKeyOfTest, TREASURY_OWNER: 'me' };
const mostCharacters = 14_000;

describe('the list of tools', () => {
  it('has at most 14,000 characters on the wire', async () => {
    const client = createStdioClient(script, env);
    await initialize(client);
    const listed = (await client.call('tools/list', {})) as { tools: { name: string }[] };
    await client.close();
    expect(listed.tools).toHaveLength(20);
    expect(JSON.stringify(listed).length).toBeLessThanOrEqual(mostCharacters);
  });

  it.each(eras)('has no more characters for a client of the kind "%s"', async (era) => {
    const { tools, close } = await openBridge(env, era);
    await close();
    expect(JSON.stringify({ tools }).length).toBeLessThanOrEqual(mostCharacters);
    for (const one of tools) expect(one, one.name).not.toHaveProperty('outputSchema');
    // The proxy's own steps are for calls of other servers' tools.
    const steps = Object.keys(nextSteps).filter((name) => name !== 'proxied_call');
    expect(tools.map(({ name }) => name).toSorted()).toEqual(steps.toSorted());
  });

  it('has one type for each field, and no keyword that a model host refuses', () => {
    const check = (schema: Record<string, unknown>, place: string): void => {
      const { properties = {}, items, additionalProperties } = schema;
      expect(schema['type'], place).toBeTypeOf('string');
      for (const keyword of ['const', 'propertyNames', 'anyOf', 'oneOf', 'allOf', '$ref', '$schema'])
        expect(schema, place).not.toHaveProperty(keyword);
      for (const [name, inner] of Object.entries({ ...(properties as object), items, additionalProperties }))
        if (typeof inner === 'object') check(inner as Record<string, unknown>, `${place}.${name}`);
    };
    for (const { name, inputSchema } of bridge.tools) check({ ...inputSchema }, name);
  });
});

describe('waitSeconds', () => {
  /** Reports each payment as under way. */
  let host: Pretended;
  let waiter: Bridge;
  beforeAll(async () => {
    host = await pretendTreasury(
      (_request, response) =>
        void response.writeHead(202).end('{"paymentId":"pay_1","status":"pending","message":""}'),
    );
    waiter = await openBridge({ ...env, TREASURY_URL: host.url });
  });
  afterAll(async () => {
    await waiter.close();
    await host.close();
  });

  it.each([
    ['pay', { service: 'weather', amount: '1' }],
    ['paid_fetch', { url: 'https://a.example/' }],
  ])('of %s is the time that the treasury may hold its answer', async (name, args) => {
    host.asked.length = 0;
    for (const waitSeconds of [0, 7, undefined])
      await waiter.call(name, waitSeconds === undefined ? args : { ...args, waitSeconds });
    const tooLong = await waiter.call(name, { ...args, waitSeconds: 51 });
    const preferred = host.asked.map(({ headers }) => String(headers['prefer']).split(',')[0]);
    expect(preferred).toEqual(['wait=0', 'wait=7', 'wait=20']);
    expect(tooLong).toMatchObject({ isError: true, content: { code: 'bad_request' } });
    expect(tooLong.text).toContain('waitSeconds: must be at most 50');
  });
});

describe('pictures', () => {
  let provider: ImageServer;
  let painter: TestAgent;
  let paints: Bridge;
  beforeAll(async () => {
    provider = await createImageServer();
    painter = await deploy(treasury.client, 'painter');
    paints = await openBridge(envOf(painter, treasury));
  });
  afterAll(async () => {
    await paints.close();
    await provider.close();
  });

  const models = async () => (await paints.call('list_models')).content['models'];
  const balance = async (): Promise<string> => (await paints.call('check_balance')).content['balance'];

  it('finds models with their prices, without the owner’s settings', async () => {
    const [first] = await models();
    expect(Object.keys(first).toSorted()).toEqual([
      'description',
      'displayName',
      'id',
      'pricing',
      'provider',
    ]);
    expect(first.pricing['1k']).toMatch(/^\$0\.\d+$/);
    const found = await paints.call('find_service', { query: 'image generation' });
    const model = found.content['results'].find(({ id }: { id: string }) => id === first.id);
    expect(model).toMatchObject({ pricing: first.pricing, how: expect.stringContaining('generate_image') });
  });

  it('returns the picture itself, scaled down for a model, beside its address', async () => {
    const [{ id: modelId }] = await models();
    const made = await paints.call('generate_image', { prompt: 'a lighthouse', modelId });
    expect(made.isError).toBe(false);
    expect(made.content).toMatchObject({ status: 'success', currency: 'USDC', image: { width: 1024 } });
    const [picture] = made.images;
    const bytes = Buffer.from(picture?.data ?? '', 'base64');
    expect(await sharp(bytes).metadata()).toMatchObject({ format: picture?.mimeType.replace('image/', '') });
    expect(bytes.byteLength).toBeLessThanOrEqual(512 * 1024);
    const again = await paints.call('get_task', { taskId: made.content['taskId'] });
    expect(again.content).toMatchObject({ status: 'success' });
    expect(again.images).toEqual(made.images);
    const read = (key?: string) =>
      fetch(
        made.content['resultUrl'],
        key === undefined ? {} : { headers: { authorization: `Bearer ${key}` } },
      );
    expect((await read(painter.key)).status).toBe(200);
    expect((await read()).status).toBe(401);
  });

  it('makes as many pictures as requested at once with the same prompt', async () => {
    const [{ id: modelId }] = await models();
    const ask = () => paints.call('generate_image', { prompt: 'a pier', modelId });
    const made = await Promise.all([ask(), ask(), ask(), ask()]);
    expect(made.map(({ isError }) => isError)).toEqual([false, false, false, false]);
    expect(new Set(made.map(({ content }) => content['taskId'])).size).toBe(4);
  });

  it('says what failed, and that it is refunded', async () => {
    await treasury.client.post('/v1/image-providers/openai', { apiKey: 'sk-test', baseUrl: provider.url });
    provider.answer = (asked) => asked.refuse(400, 'no');
    const { models: all } = (await treasury.client.get('/v1/models/settings')).body;
    const { id: modelId } = all.find(({ providerId }: { providerId: string }) => providerId === 'openai');
    const before = await balance();
    const failed = await paints.call('generate_image', { prompt: 'x', modelId });
    expect(failed.content).toMatchObject({
      status: 'failed',
      refund: { amount: failed.content['estimatedCost'] },
    });
    expect(failed.text).toContain('It failed');
    await until('the refund', async () => (await balance()) === before);
    expect(provider.asked).toHaveLength(1);
  });

  it('does not wait for the owner', async () => {
    await treasury.client.post('/v1/agents/painter/policy', { approveAbove: '0' });
    const [{ id: modelId }] = await models();
    const asked = await paints.call('generate_image', { prompt: 'x', modelId });
    expect(asked.content).toMatchObject({ status: 'awaiting_approval', approvalId: expect.any(String) });
  });

  it.each([{ prompt: '' }, { modelId: 'none' }, { resolution: '8k' }])(
    'names the fault of %j',
    async (wrong) => {
      const [{ id: modelId }] = await models();
      const refused = await paints.call('generate_image', { prompt: 'x', modelId, ...wrong }).catch(String);
      if (typeof refused === 'string') expect(refused).toContain(Object.keys(wrong)[0]);
      else
        expect(refused).toMatchObject({
          isError: true,
          text: expect.stringContaining(Object.keys(wrong)[0] ?? ''),
        });
    },
  );
});
