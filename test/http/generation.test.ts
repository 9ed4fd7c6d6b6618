// Pictures: charged once, refunded once when they fail, and never stuck in between.
import { hash } from 'node:crypto';
import { getEventListeners } from 'node:events';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import sharp from 'sharp';
import { allWell, audit, clean } from '../harness/engine/audit.ts';
import type { Answer, Sent } from '../harness/http-client.ts';
import { createImageServer, type ImageServer } from '../harness/programs/image-server.ts';
import { deploy, openTreasury, until, type TestAgent, type Treasury } from '../harness/treasury.ts';
import { checked, type Checked } from './contract/contract-client.ts';

let treasury: Treasury;
let client: Checked;
let provider: ImageServer;
/** The provider's answer, drawn once. */
let drawn: Buffer;
/** A model that the local server draws, and its price. */
let model: { id: string; price: string };
beforeAll(async () => {
  treasury = await openTreasury();
  client = checked(treasury.client);
  provider = await createImageServer();
  const background = { r: 10, g: 120, b: 200 };
  drawn = await sharp({ create: { width: 1_024, height: 1_024, channels: 3, background } })
    .png()
    .toBuffer();
  const { models } = (await client.get('/v1/models/settings')).body;
  const found = models.find(
    (one: { providerId: string; pricing: Record<string, string> }) =>
      one.providerId === 'openai' && one.pricing['1k'] !== undefined,
  );
  model = { id: found.id, price: found.pricing['1k'] };
  await client.post(`/v1/models/${model.id}`, { enabled: true, pricing: { '1k': '0.30' } });
  model.price = '0.30';
});
afterAll(async () => {
  expect(clean(await audit(treasury.host))).toEqual(allWell);
  await treasury.close();
  await provider.close();
});

let agents = 0;
let agent: TestAgent;
beforeEach(async () => {
  await client.post('/v1/image-providers/openai', { apiKey: 'sk-test', baseUrl: provider.url, atOnce: 2 });
  provider.answer = (asked) => asked.send(drawn);
  provider.asked.length = 0;
  agents += 1;
  agent = await deploy(treasury.client, `painter-${agents}`, { dailyBudget: '5', allocate: '5' });
});
afterEach(() => settled());

const settled = (): Promise<unknown> =>
  until('every task and transfer', () => {
    const { store } = treasury.host.engine.context;
    return store.tasks.unsettled().length === 0 && store.transfers.open().length === 0;
  });
const wanted = (body: object = {}) => ({
  prompt: 'a lighthouse',
  modelId: model.id,
  resolution: '1k',
  ...body,
});
const generate = (body: object = {}, sent?: Sent): Promise<Answer> =>
  checked(agent.client).post(`/v1/agents/${agent.agentId}/generate`, wanted(body), sent);
const task = async (taskId: string): Promise<Answer['body']> =>
  (await checked(agent.client).get(`/v1/agents/${agent.agentId}/tasks/${taskId}`)).body;
const ended = (taskId: string): Promise<Answer['body']> =>
  until('the end of the task', async () => {
    const found = await task(taskId);
    return ['success', 'failed'].includes(found['status']) && found;
  });
const refunded = (taskId: string): Promise<Answer['body']> =>
  until('the refund', async () => {
    const found = await task(taskId);
    return found['refund']?.status === 'paid' && found;
  });
const balance = async (): Promise<string> =>
  (await agent.client.get(`/v1/agents/${agent.agentId}/balance`)).body['balance'];
const spent = async () => {
  const { agents: all } = (await client.get('/v1/dashboard')).body;
  const { spentToday, lifetimeSpent, lifetimePayments } = all.find(
    ({ agentId }: { agentId: string }) => agentId === agent.agentId,
  );
  return { spentToday, lifetimeSpent, lifetimePayments };
};

describe('a picture', () => {
  it('is queued, charged to the agent’s wallet, made, and readable by its agent and the owner', async () => {
    const asked = await generate();
    expect(asked).toMatchObject({ status: 200, body: { status: 'queued', estimatedCost: '0.30' } });
    const done = await ended(asked.body['taskId']);
    expect(done).toMatchObject({
      status: 'success',
      cost: '0.30',
      currency: 'USDC',
      image: { mediaType: 'image/png', width: 1024, height: 1024 },
    });
    expect(provider.asked).toHaveLength(1);
    expect(provider.asked[0]).toMatchObject({ prompt: 'a lighthouse', authorization: 'Bearer sk-test' });
    expect(await balance()).toBe('4.70');
    expect(await spent()).toMatchObject({ lifetimePayments: 1 });

    const url = String(done['resultUrl']);
    const read = (key: string): Promise<Response> =>
      fetch(url, { headers: { authorization: `Bearer ${key}` } });
    const picture = Buffer.from(await (await read(agent.key)).arrayBuffer());
    expect(await sharp(picture).metadata()).toMatchObject({ width: 1024, height: 1024, format: 'png' });
    expect(hash('sha256', picture)).toBe(done['image'].sha256);
    expect((await fetch(url)).status).toBe(401);
    const other = await deploy(treasury.client, `other-${agents}`, { allocate: null });
    expect((await read(other.key)).status).toBe(401);
    const { body: gallery } = await client.get('/v1/tasks');
    expect(gallery['tasks'][0]).toMatchObject({ taskId: asked.body['taskId'], prompt: 'a lighthouse' });
    for (const size of ['small', 'whole']) {
      const path = `/v1/tasks/${asked.body['taskId']}/picture?size=${size}`;
      const { body } = await client.get(path);
      expect(body['dataUrl']).toMatch(/^data:image\/(png|webp|jpeg);base64,/);
      expect(body['width']).toBe(size === 'small' ? 512 : 1024);
      expect((await other.client.get(path)).status).toBe(404);
    }
    const { payments } = (await agent.client.get(`/v1/agents/${agent.agentId}/spend-history`)).body;
    expect(payments[0]).toMatchObject({ amount: '0.30', serviceId: model.id });
  });

  it('is charged once however often it is requested under one key', async () => {
    const answers = await Promise.all(Array.from({ length: 20 }, () => generate({}, { key: 'one' })));
    expect(new Set(answers.map(({ body }) => body['taskId'])).size).toBe(1);
    const taskId = answers[0]?.body['taskId'];
    await ended(taskId);
    expect(await generate({}, { key: 'one' })).toMatchObject({
      status: 200,
      body: { taskId, status: 'success' },
    });
    expect((await generate({ prompt: 'another' }, { key: 'one' })).status).toBe(409);
    expect(provider.asked).toHaveLength(1);
    expect(await balance()).toBe('4.70');
  });

  it('leaves no timer behind once it is made', async () => {
    const any = vi.spyOn(AbortSignal, 'any');
    try {
      await ended((await generate()).body['taskId']);
      const signals = any.mock.results.map(({ value }) => value as AbortSignal);
      expect(signals.length).toBeGreaterThan(0);
      // `fetch` leaves a listener of its own, by that name, which holds its request weakly.
      for (const signal of signals)
        expect(getEventListeners(signal, 'abort').filter(({ name }) => name !== 'abort')).toEqual([]);
    } finally {
      any.mockRestore();
    }
  });

  it('is drawn by the sandbox itself where the provider has no key, and says so', async () => {
    await client.post('/v1/image-providers/openai', { apiKey: null, baseUrl: null });
    const { body } = await generate();
    expect(await ended(body['taskId'])).toMatchObject({ status: 'success', image: { width: 1024 } });
    expect(provider.asked).toEqual([]);
  });
});

describe('a picture that cannot be made', () => {
  // Every other wrong field is tried in every-route.test.ts.
  it('is 400 before any charge when no model has its name', async () => {
    const answer = await generate({ modelId: 'no-such-model' });
    expect(answer.status).toBe(400);
    expect(answer.text).toContain('modelId');
    expect(await balance()).toBe('5.00');
  });

  it('has a model that the owner does not offer, or a resolution that the model does not make', async () => {
    await client.post(`/v1/models/${model.id}`, { enabled: false });
    expect((await generate()).status).toBe(400);
    const offered = (await client.get('/v1/models')).body['models'];
    expect(offered.map(({ id }: { id: string }) => id)).not.toContain(model.id);
    const found = (await client.get(`/v1/services/search?q=${model.id}`)).body['results'];
    expect(found.map(({ id }: { id: string }) => id)).not.toContain(model.id);
    await client.post(`/v1/models/${model.id}`, { enabled: true });
    const { models } = (await client.get('/v1/models')).body;
    const lacking = models.find((one: { pricing: object }) => !('4k' in one.pricing));
    if (lacking !== undefined)
      expect((await generate({ modelId: lacking.id, resolution: '4k' })).status).toBe(400);
  });

  it('is refused by the policy', async () => {
    await client.post(`/v1/agents/${agent.agentId}/policy`, { maxPerPayment: '0.29' });
    expect(await generate()).toMatchObject({ status: 402, body: { code: 'max_per_payment' } });
    await client.post(`/v1/agents/${agent.agentId}/policy`, { maxPerPayment: '1', allowedServices: ['x'] });
    expect(await generate()).toMatchObject({ status: 402, body: { code: 'service_not_allowed' } });
    await client.post(`/v1/agents/${agent.agentId}/policy`, {
      allowedServices: [model.id],
      newPayees: 'approve',
    });
    const { body } = await generate();
    expect(body['status']).toBe('queued');
    await ended(body['taskId']);
    await client.post(`/v1/agents/${agent.agentId}/kill`);
    expect(await generate()).toMatchObject({ status: 403 });
    expect(provider.asked).toHaveLength(1);
  });

  it('is of a model that a search for image generation finds', async () => {
    const { body } = await client.get('/v1/services/search?q=image%20generation&limit=50');
    const found = body['results'].map(({ id }: { id: string }) => id);
    const { models } = (await client.get('/v1/models')).body;
    expect(found.slice(0, models.length).toSorted()).toEqual(
      models.map(({ id }: { id: string }) => id).toSorted(),
    );
  });

  it('is a model paid as a service', async () => {
    const body = { service: model.id, amount: '0.3', currency: 'USDC' };
    expect((await agent.client.post(`/v1/agents/${agent.agentId}/pay`, body)).status).toBe(400);
    expect(await balance()).toBe('5.00');
  });
});

const newGroup = async (name: string): Promise<string> =>
  String((await client.post('/v1/groups', { name })).body['groupId']);
const join = (groupId: string): Promise<Answer> =>
  client.post(`/v1/agents/${agent.agentId}/group`, { groupId });
const spentIn = (groupIds: readonly string[]): Promise<string[]> =>
  Promise.all(groupIds.map(async (id) => (await client.get(`/v1/groups/${id}`)).body['spentToday']));

const notAPicture = Buffer.from('<html>sorry</html>');

describe('a picture that fails', () => {
  it.each([
    ['the provider refuses it', (asked) => asked.refuse(400, 'content policy')],
    ['the provider is asked too much', (asked) => asked.refuse(429, 'slow down')],
    ['the provider fails', (asked) => asked.refuse(500, 'oops')],
    ['the provider hangs up', (asked) => asked.drop()],
    ['what comes is no picture', (asked) => asked.send(notAPicture)],
  ] satisfies [string, ImageServer['answer']][])(
    'because %s is refunded, once, and says so',
    async (_, answer) => {
      provider.answer = answer;
      const { body } = await generate();
      const failed = await ended(body['taskId']);
      expect(failed).toMatchObject({ status: 'failed', failure: { message: expect.stringMatching(/\w/) } });
      expect(JSON.stringify(failed)).not.toContain('sk-test');
      const { refund } = await refunded(body['taskId']);
      expect(refund).toMatchObject({ status: 'paid', amount: '0.30', txSignature: expect.any(String) });
      expect(await balance()).toBe('5.00');
      expect(await spent()).toEqual({ spentToday: '0.00', lifetimeSpent: '0.00', lifetimePayments: 0 });
      expect(provider.asked).toHaveLength(1);
    },
  );

  it('is refunded to the group that it was charged to, wherever its agent is by then', async () => {
    const [before, after] = [await newGroup(`before ${agents}`), await newGroup(`after ${agents}`)];
    provider.answer = () => {};
    await join(before);
    const { body } = await generate();
    await until('the request', () => provider.asked.length === 1);
    await join(after);
    expect(await spentIn([before, after])).toEqual(['0.30', '0.00']);
    provider.asked[0]?.refuse(400, 'no');
    await refunded(body['taskId']);
    await settled();
    expect(await spentIn([before, after])).toEqual(['0.00', '0.00']);
    const totals = await client.get(`/v1/activity/totals?agentId=${agent.agentId}&by=model`);
    expect(totals.body).toMatchObject({
      amount: '0.00',
      flows: { in: { amount: '0.30', count: 1 }, out: { amount: '0.30', count: 1 } },
      rows: [{ amount: '0.00', payments: 0 }],
    });
    const { agents: byAgent } = (await client.get('/v1/spending?days=7')).body;
    const its = (rows: { agentId: string }[]) => rows.find(({ agentId }) => agentId === agent.agentId);
    const summed = its(byAgent) ?? { agentId: agent.agentId, amount: '0.00', payments: 0, requests: 0 };
    expect(summed).toEqual({ ...its(totals.body['agents']), requests: 0 });
    expect(await spent()).toMatchObject({ lifetimePayments: totals.body['payments'] });
    // By themselves they are no fewer payments than none.
    expect((await client.get('/v1/activity/totals?kind=refund')).body).toMatchObject({ payments: 0 });
  });

  it('leaves the agent’s budget for another one', async () => {
    await client.post(`/v1/agents/${agent.agentId}/policy`, { dailyBudget: '0.30' });
    provider.answer = (asked) => asked.refuse(400, 'no');
    const { body } = await generate();
    expect((await generate()).status).toBe(402);
    await refunded(body['taskId']);
    provider.answer = (asked) => asked.send(drawn);
    const second = await generate();
    expect(second.status).toBe(200);
    expect((await ended(second.body['taskId']))['status']).toBe('success');
  });
});

const cancel = (id: string | undefined): Promise<Answer> =>
  checked(agent.client).post(`/v1/agents/${agent.agentId}/tasks/${id}/cancel`);

describe('a queue', () => {
  it('asks a provider for a few at once, and for the rest in their order', async () => {
    const held: (() => void)[] = [];
    provider.answer = async (asked) => {
      await new Promise<void>((resolve) => held.push(resolve));
      asked.send(drawn);
    };
    const ids: string[] = [];
    for (let n = 0; n < 5; n += 1) ids.push((await generate({ prompt: `number ${n}` })).body['taskId']);
    await until('two to be asked for', () => held.length === 2);
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(held).toHaveLength(2);
    const statuses = async (): Promise<string[]> =>
      Promise.all(ids.map(async (id) => (await task(id))['status']));
    expect(await statuses()).toEqual(['generating', 'generating', 'queued', 'queued', 'queued']);
    // A queued one can be cancelled; one that is being made cannot.
    expect((await cancel(ids[0])).status).toBe(409);
    expect((await cancel(ids[3])).body).toMatchObject({ status: 'failed', failure: { code: 'cancelled' } });
    expect((await cancel(ids[3])).status).toBe(200);
    for (const next of ['number 2', 'number 4']) {
      held.shift()?.();
      await until(`${next} to be asked for`, () => provider.asked.at(-1)?.prompt === next);
    }
    held.forEach((go) => go());
    await until('all to end', async () =>
      (await statuses()).every((status) => status === 'success' || status === 'failed'),
    );
    await refunded(ids[3] ?? '');
    expect(provider.asked.map(({ prompt }) => prompt)).toEqual([
      'number 0',
      'number 1',
      'number 2',
      'number 4',
    ]);
    expect(await balance()).toBe('3.80');
  });

  it('stops under a freeze: pictures that were not begun are refunded, even under the freeze', async () => {
    const held: (() => void)[] = [];
    provider.answer = async (asked) => {
      await new Promise<void>((resolve) => held.push(resolve));
      asked.send(drawn);
    };
    const ids: string[] = [];
    for (let n = 0; n < 4; n += 1) ids.push((await generate({ prompt: `number ${n}` })).body['taskId']);
    await until('two to be asked for', () => held.length === 2);
    await client.post('/v1/freeze', {});
    for (const id of ids.slice(2)) expect((await ended(id))['failure']).toMatchObject({ code: 'frozen' });
    for (const id of ids.slice(2)) await refunded(id);
    expect((await generate()).status).toBe(403);
    held.splice(0).forEach((go) => go());
    for (const id of ids.slice(0, 2)) expect((await ended(id))['status']).toBe('success');
    expect(provider.asked).toHaveLength(2);
    await client.post('/v1/unfreeze', {});
    expect(await balance()).toBe('4.40');
  });

  it('takes 200 that come at once on one budget, and not one unit over', async () => {
    const answers = await Promise.all(Array.from({ length: 200 }, () => generate()));
    const taken = answers.filter(({ status }) => status === 200);
    // 5.00 a day at 0.30 each, with 5.00 in the wallet.
    expect(taken).toHaveLength(16);
    expect(answers.filter(({ status }) => status === 402)).toHaveLength(184);
    await Promise.all(taken.map(({ body }) => ended(body['taskId'])));
    expect(provider.asked).toHaveLength(16);
    expect(await balance()).toBe('0.20');
  });
});

describe('a picture that needs the owner’s approval', () => {
  beforeEach(() => client.post(`/v1/agents/${agent.agentId}/policy`, { approveAbove: '0.10' }));

  it('waits, is shown with its prompt, and is made once it is allowed', async () => {
    const asked = await generate();
    expect(asked).toMatchObject({ status: 202, body: { status: 'queued', estimatedCost: '0.30' } });
    const { approvalId, taskId } = asked.body;
    const { body: approval } = await client.get(`/v1/approvals/${approvalId}`);
    expect(approval['shown'].description).toBe('1k picture: a lighthouse');
    expect(await balance()).toBe('5.00');
    await client.post(`/v1/approvals/${approvalId}/grant`, { hash: approval['hash'] });
    expect((await ended(taskId))['status']).toBe('success');
    expect(await balance()).toBe('4.70');
  });

  it('is not made, and not charged, when it is refused or cancelled', async () => {
    const refused = await generate();
    await client.post(`/v1/approvals/${refused.body['approvalId']}/deny`);
    expect(await ended(refused.body['taskId'])).toMatchObject({ failure: { code: 'approval_denied' } });
    const given = await generate();
    const path = `/v1/agents/${agent.agentId}/tasks/${given.body['taskId']}/cancel`;
    expect((await agent.client.post(path)).body['failure'].code).toBe('cancelled');
    expect((await client.get(`/v1/approvals/${given.body['approvalId']}`)).body['status']).toBe('cancelled');
    expect(await balance()).toBe('5.00');
    expect(await task(given.body['taskId'])).not.toHaveProperty('refund');
    expect(provider.asked).toEqual([]);
  });
});

describe('a provider that answers late or never', () => {
  it('is abandoned: the task fails and is refunded, and a later answer is ignored', async () => {
    const hasty = await openTreasury({ pictureWithinMs: 700 });
    const late: (() => Promise<void>)[] = [];
    provider.answer = (asked) => void late.push(async () => asked.send(drawn));
    await hasty.client.post('/v1/image-providers/openai', { apiKey: 'sk-test', baseUrl: provider.url });
    const waiter = await deploy(hasty.client, 'waiter');
    const asked = await waiter.client.post('/v1/agents/waiter/generate', wanted());
    const path = `/v1/agents/waiter/tasks/${asked.body['taskId']}`;
    const paid = await until('the refund', async () => {
      const { body } = await waiter.client.get(path);
      return body['refund']?.status === 'paid' && body;
    });
    expect(paid).toMatchObject({
      status: 'failed',
      failure: { message: expect.stringContaining('in time') },
    });
    for (const answer of late) await answer();
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect((await waiter.client.get(path)).body).toEqual(paid);
    expect(late).toHaveLength(1);
    const { store } = hasty.host.engine.context;
    await until('the rest', () => store.transfers.open().length === 0);
    expect(clean(await audit(hasty.host))).toEqual(allWell);
    await hasty.close();
  });
});

describe('a refund of a charge that a fork could still take back', () => {
  it('waits until the charge is final', async () => {
    const slow = await openTreasury({ args: ['--confirm-ms', '0', '--finalize-ms', '2500'] });
    provider.answer = (asked) => asked.refuse(500, 'no');
    await slow.client.post('/v1/image-providers/openai', { apiKey: 'sk-test', baseUrl: provider.url });
    const eager = await deploy(slow.client, 'eager');
    const asked = await eager.client.post('/v1/agents/eager/generate', wanted());
    const path = `/v1/agents/eager/tasks/${asked.body['taskId']}`;
    const { store } = slow.host.engine.context;
    const charge = () => store.transfers.get(store.tasks.get(asked.body['taskId'])?.chargeId ?? '')?.state;
    await until('the failure', async () => (await eager.client.get(path)).body['status'] === 'failed');
    expect(charge()).toBe('seen');
    expect((await eager.client.get(path)).body['refund']).toMatchObject({
      status: 'owed',
      txSignature: null,
    });
    await until('a refund', () => store.transfers.list({ kinds: ['refund'], limit: 1 }).length === 1);
    expect(charge()).toBe('final');
    await until('the end', async () => (await eager.client.get(path)).body['refund'].status === 'paid');
    await slow.close();
  });
});

describe('a refund', () => {
  it('waits until the treasury has the money, and is then paid', async () => {
    let fail: (() => void) | undefined;
    provider.answer = (asked) => void (fail = () => asked.refuse(500, 'late'));
    const { body } = await generate();
    await until('the provider to be asked', () => fail !== undefined);
    const { treasury: held } = (await client.get('/v1/dashboard')).body;
    const units = BigInt(held.amount);
    const amount = `${units / 1_000_000n}.${String(units % 1_000_000n).padStart(6, '0')}`;
    const to = treasury.host.engine.context.store.agents.get(agent.agentId)?.wallet ?? '';
    await client.post('/v1/treasury/withdraw', { to, amount, asset: 'USDC' }, { key: `all-${agents}` });
    fail?.();
    expect((await ended(body['taskId']))['refund']).toMatchObject({ status: 'owed' });
    await new Promise((resolve) => setTimeout(resolve, 1_500));
    expect((await task(body['taskId']))['refund']).toMatchObject({ status: 'owed', txSignature: null });
    await client.post('/v1/sandbox/faucet', { amount: '100' });
    await refunded(body['taskId']);
  });
});
