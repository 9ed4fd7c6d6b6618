// An agent that waits through the bridge: for the owner, for the chain, for a picture. It hears at once, whatever happens
// to the stream, the API key, the bridge or the host meanwhile.
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { IncomingMessage } from 'node:http';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { useFolders } from '../harness/folders.ts';
import { createImageServer, type Asked, type ImageServer } from '../harness/image-server.ts';
import { deploy, openTreasury, until, type TestAgent, type Treasury } from '../harness/treasury.ts';
import { envOf, openBridge, type Bridge, type Called } from './bridge.ts';

const newFolder = useFolders();
const waitSeconds = 50;

let treasury: Treasury;
let provider: ImageServer;
let modelId: string;
/** The requests to the host with an agent's API key, in order; the last part of each path. */
let asked: { what: string; cut(): void }[] = [];
const count = (message: unknown): void => {
  const { request } = message as { request: IncomingMessage };
  if (!String(request.headers.authorization).startsWith('Bearer atk_')) return;
  const { pathname } = new URL(request.url ?? '/', 'http://a');
  asked.push({ what: pathname.split('/').at(-1) ?? '', cut: () => void request.socket.destroy() });
};
const looksAt = (what: unknown): number => asked.filter((one) => one.what === what).length;

beforeAll(async () => {
  subscribe('http.server.request.start', count);
  treasury = await openTreasury();
  provider = await createImageServer();
  await treasury.client.post('/v1/image-providers/openai', { apiKey: 'sk-test', baseUrl: provider.url });
  const { models } = (await treasury.client.get('/v1/models/settings')).body;
  modelId = models.find(({ providerId }: { providerId: string }) => providerId === 'openai').id;
});
afterAll(async () => {
  unsubscribe('http.server.request.start', count);
  await treasury.close();
  await provider.close();
});
const open: Bridge[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((bridge) => bridge.close()));
  provider.answer = (one) => one.succeed();
  asked = [];
});

let agents = 0;
const newBridge = async (policy = {}): Promise<{ agent: TestAgent; bridge: Bridge }> => {
  const agent = await deploy(treasury.client, `waiter-${(agents += 1)}`, { policy });
  return { agent, bridge: await bridgeOf(agent) };
};
const bridgeOf = async (agent: TestAgent, where = treasury): Promise<Bridge> => {
  const bridge = await openBridge(envOf(agent, where));
  open.push(bridge);
  return bridge;
};
/** The wait has looked, connected, and looked again. */
const waitsFor = (what: unknown): Promise<unknown> =>
  until('the wait', () => looksAt('events') === 1 && looksAt(what) === 2);
const grant = async (approvalId: string): Promise<void> => {
  const { hash } = (await treasury.client.get(`/v1/approvals/${approvalId}`)).body;
  const { status } = await treasury.client.post(`/v1/approvals/${approvalId}/grant`, { hash });
  expect(status).toBe(200);
};
const askForBudget = async (bridge: Bridge): Promise<string> =>
  String((await bridge.call('request_budget', { dailyBudget: '9' })).content['approvalId']);

/** Each picture waits until the test lets the provider answer. */
const holdPictures = (): (() => Promise<Asked>) => {
  let held: Asked | undefined;
  provider.answer = (one) => void (held = one);
  return () => until('the request for a picture', () => held);
};

describe('an agent that waits for the owner', () => {
  it('hears the answer, and asks only at the start and when something has happened', async () => {
    const { bridge } = await newBridge();
    const approvalId = await askForBudget(bridge);
    const waiting = bridge.call('get_approval', { approvalId, waitSeconds });
    await waitsFor(approvalId);
    await grant(approvalId);
    expect((await waiting).content).toMatchObject({ status: 'granted' });
    expect([looksAt('events'), looksAt(approvalId)]).toEqual([1, 3]);
  });

  it('hears it although its stream was cut at that moment', async () => {
    const { bridge } = await newBridge();
    const approvalId = await askForBudget(bridge);
    const waiting = bridge.call('get_approval', { approvalId, waitSeconds });
    await waitsFor(approvalId);
    asked.find(({ what }) => what === 'events')?.cut();
    await grant(approvalId);
    expect((await waiting).content).toMatchObject({ status: 'granted' });
  });

  it('is told that its API key was replaced', async () => {
    const { agent, bridge } = await newBridge();
    const approvalId = await askForBudget(bridge);
    const waiting = bridge.call('get_approval', { approvalId, waitSeconds });
    await waitsFor(approvalId);
    const { keys } = (await treasury.client.get(`/v1/agents/${agent.agentId}/keys`)).body;
    const path = `/v1/agents/${agent.agentId}/keys/${keys[0].keyId}/rotate`;
    await treasury.client.post(path, { now: true });
    expect(await waiting).toMatchObject({ isError: true, content: { code: 'unauthorized' } });
  });

  it('is told of a freeze and of its own suspension at once', async () => {
    for (const [stop, end, words] of [
      ['freeze', 'unfreeze', 'the owner stopped all payments'],
      ['agents/ID/kill', 'agents/ID/resume', 'this agent was suspended'],
    ] as const) {
      asked = [];
      const { agent, bridge } = await newBridge({ approveAbove: '0' });
      const held = await agent.pay('0.1');
      const paymentId = held.body['paymentId'];
      const waiting = bridge.call('get_payment', { paymentId, waitSeconds });
      await waitsFor(paymentId);
      await treasury.client.post(`/v1/${stop.replace('ID', agent.agentId)}`);
      const { content, text } = await waiting;
      expect(content).toMatchObject({ status: 'denied', failure: { code: 'approval_cancelled' } });
      expect(text).toContain(words);
      await treasury.client.post(`/v1/${end.replace('ID', agent.agentId)}`);
    }
  });
});

describe('an agent that waits for a picture', () => {
  it('hears that it is made, and asks nothing meanwhile', async () => {
    const request = holdPictures();
    const { bridge } = await newBridge();
    const waiting = bridge.call('generate_image', { prompt: 'a pier', modelId, waitSeconds });
    const picture = await request();
    await until('the stream', () => looksAt('events') === 1);
    const before = asked.length;
    await picture.succeed();
    const { content, images } = await waiting;
    expect(content).toMatchObject({ status: 'success' });
    expect(images).toHaveLength(1);
    // One look for each state that it went through, and the look at the start.
    expect(looksAt(content['taskId'])).toBeLessThanOrEqual(4);
    expect(asked.length - before).toBeLessThanOrEqual(5);
  });

  it('is told of a freeze at once, and gets the picture later, paid once', async () => {
    const request = holdPictures();
    const { agent, bridge } = await newBridge();
    const args = { prompt: 'a mole', modelId, waitSeconds };
    const waiting = bridge.call('generate_image', args);
    const picture = await request();
    await until('the stream', () => looksAt('events') === 1);
    await treasury.client.post('/v1/freeze');
    const stopped = await waiting;
    expect(stopped).toMatchObject({ isError: false, content: { status: 'generating' } });
    expect(stopped.text).toContain('the owner stopped all payments');
    await picture.succeed();
    const { taskId } = stopped.content as { taskId: string };
    expect((await bridge.call('get_task', { taskId, waitSeconds })).content['status']).toBe('success');
    await treasury.client.post('/v1/unfreeze');
    expect(await paidBy(agent)).toHaveLength(1);
  });

  it('gets the same picture when its bridge was killed and started again meanwhile', async () => {
    const request = holdPictures();
    const { agent, bridge } = await newBridge();
    const args = { prompt: 'a quay', modelId, waitSeconds };
    const lost = bridge.call('generate_image', args).catch(() => null);
    const picture = await request();
    await until('the stream', () => looksAt('events') === 1);
    bridge.kill();
    expect(await lost).toBeNull();
    open.splice(0);
    asked = [];
    const again = (await bridgeOf(agent)).call('generate_image', args);
    await until('the stream', () => looksAt('events') === 1);
    await picture.succeed();
    expect((await again).content).toMatchObject({ status: 'success' });
    expect(await paidBy(agent)).toHaveLength(1);
    expect(provider.asked.filter(({ prompt }) => prompt === 'a quay')).toHaveLength(1);
  });
});

const paidBy = async (agent: TestAgent): Promise<unknown[]> =>
  (await agent.client.get(`/v1/agents/${agent.agentId}/spend-history`)).body['payments'];

describe('an agent that waits for the chain', () => {
  it('hears that its payment is confirmed, also from a host that has restarted meanwhile', async () => {
    const dataDir = newFolder();
    const slow = ['--confirm-ms', '1500', '--finalize-ms', '0'];
    let host = await openTreasury({ dataDir, args: slow });
    const agent = await deploy(host.client, 'patient');
    const bridge = await bridgeOf(agent, host);
    const pay = async (): Promise<string> => {
      asked = [];
      const paid = await bridge.call('pay', { service: 'sandbox-weather', amount: '0.1', waitSeconds: 0 });
      expect(paid.content).toMatchObject({ status: 'pending' });
      return String(paid.content['paymentId']);
    };
    const ask = async (paymentId: string): Promise<Called> => {
      const called = await bridge.call('get_payment', { paymentId, waitSeconds });
      expect(called.content, called.text).toMatchObject({ paymentId, status: 'confirmed' });
      expect(called.content['xPaymentHeader']).toEqual(expect.any(String));
      return called;
    };
    await ask(await pay());

    const paymentId = await pay();
    const asking = ask(paymentId);
    await until('the wait', () => looksAt(paymentId) > 0);
    await host.close();
    host = await openTreasury({ dataDir, args: slow });
    await asking;
    expect(await paidBy({ ...agent, client: host.client })).toHaveLength(2);
    await bridge.close();
    open.splice(0);
    await host.close();
  });
});
