// An agent that waits: for the owner, for the chain, for a picture. Through the bridge it hears at once, whatever happens to
// the stream, the API key, the bridge or the host meanwhile. The client beneath asks no more often than it has to, at a
// pretended treasury.
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { createAgentClient } from '../../server/client/agent-client.ts';
import { createNews, type Heard } from '../../server/client/agent-news.ts';
import { useFolders } from '../harness/folders.ts';
import { createImageServer, type Asked, type ImageServer } from '../harness/programs/image-server.ts';
import { apiKeyOfTest, pretendTreasury, type Pretended } from '../harness/programs/pretended-treasury.ts';
import { deploy, openTreasury, until, type TestAgent, type Treasury } from '../harness/treasury.ts';
import { envOf, openBridge, type Bridge, type Called } from './bridge.ts';

const newFolder = useFolders();
const waitSeconds = 50;

const askForBudget = async (bridge: Bridge): Promise<string> =>
  String((await bridge.call('request_budget', { dailyBudget: '9' })).content['approvalId']);
const paidBy = async (agent: TestAgent): Promise<unknown[]> =>
  (await agent.client.get(`/v1/agents/${agent.agentId}/spend-history`)).body['payments'];
/** The last part of a request's path. */
const pathOf = ({ url }: IncomingMessage): string => url?.split('?')[0]?.split('/').at(-1) ?? '';

describe('through the bridge', () => {
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
});

describe('a request that the treasury holds', () => {
  let host: Pretended;
  let answer: (response: ServerResponse) => void;
  beforeEach(async () => {
    host = await pretendTreasury((_request, response) => answer(response));
  });
  afterEach(() => host.close());

  const ask = () =>
    createAgentClient({
      env: { TREASURY_URL: host.url, TREASURY_OWNER: 'me' },
      identify: () => ({ agentId: 'scout', apiKey: apiKeyOfTest }),
      answersWithinMs: 200,
    }).ask(
      'fetch',
      { body: { url: 'https://a.example/' } },
      { key: 'key-1', waitSeconds: 1, sellerSeconds: 1 },
    );
  const keys = () => host.asked.map(({ headers }) => headers['idempotency-key']);

  it('waits for the treasury, for the owner or the chain, and for the seller', async () => {
    answer = (response) => void setTimeout(() => response.end('{"status":200}'), 1_700);
    expect((await ask()).body).toEqual({ status: 200 });
    expect([host.asked[0]?.headers['prefer'], keys()]).toEqual(['wait=1', ['key-1']]);
  });

  it('does not wait as long a second time for an answer that did not come', async () => {
    answer = () => undefined;
    await expect(ask()).rejects.toMatchObject({
      code: 'halted',
      message: expect.stringContaining('did not answer in time'),
      details: { lost: true },
    });
    expect(keys()).toHaveLength(1);
  });

  it('asks again under the same key when the connection breaks', async () => {
    let broken = 2;
    answer = (response) => {
      broken -= 1;
      if (broken < 0) response.end('{"status":200}');
      else response.destroy();
    };
    expect((await ask()).body).toEqual({ status: 200 });
    expect(keys()).toEqual(['key-1', 'key-1', 'key-1']);
  });
});

// The requests of a wait, counted at a host that streams what the test says.
const event = (type: string, data: object): string => `event: ${type}\ndata: ${JSON.stringify(data)}\n\n`;
const told = (approvalId: string, status: string): string =>
  event('approval', { approvalId, kind: 'policy', status, expiresAt: '', decidedAt: null });
const stop = { suspended: false, frozen: false, locked: false, halted: false };

describe('the client', () => {
  let host: Pretended;
  let streams: ServerResponse[];
  /** The approval's state at the host. */
  let status: string;
  let onStream: (response: ServerResponse) => void;
  let client: ReturnType<typeof createAgentClient>;
  let news: ReturnType<typeof createNews>;
  /** Ends the waits of a test that has failed. */
  let over: AbortController;
  const asked = (): string[] => host.asked.map(pathOf);
  const connect = (response: ServerResponse): void => {
    response.writeHead(200, { 'content-type': 'text/event-stream' }).write(': connected\n\n');
    streams.push(response);
  };
  const send = (text: string): void => void streams.at(-1)?.write(text);

  beforeEach(async () => {
    [streams, status, onStream] = [[], 'pending', connect];
    over = new AbortController();
    host = await pretendTreasury((request, response) => {
      if (pathOf(request) === 'events') onStream(response);
      else response.end(JSON.stringify({ status }));
    });
    const env = { TREASURY_URL: host.url, TREASURY_OWNER: 'me' };
    client = createAgentClient({ env, identify: () => ({ agentId: 'scout', apiKey: apiKeyOfTest }) });
    news = createNews(client);
  });
  afterEach(async () => {
    vi.useRealTimers();
    over.abort();
    await host.close();
  });

  /** Than a test may take: the end of the time is no way out of a wait. */
  const longer = 600_000;
  type Looked = Heard<{ body: { status: string } }>;
  const waitFor = (approvalId = 'a', signal = over.signal, waitMs = longer): Promise<Looked> =>
    news.until(
      () => client.ask('getApproval', { params: { approvalId } }),
      ({ body }) => body.status !== 'pending',
      { concerns: ({ type, data }) => type === 'approval' && data.approvalId === approvalId, waitMs, signal },
    );
  /** Resolves once the wait has looked, connected, and looked again. */
  const connected = (looks = 2): Promise<unknown> =>
    until('the stream', () => streams.length > 0 && asked().filter((path) => path === 'a').length === looks);

  describe('a wait', () => {
    it('asks nothing while nothing happens, however long, and returns what was there last', async () => {
      vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'] });
      const waiting = waitFor('a', over.signal, 45_000);
      while (asked().length < 3) await nextTurn();
      await vi.advanceTimersByTimeAsync(44_999);
      send(': ping\n\n');
      expect(asked()).toEqual(['a', 'events', 'a']);
      await vi.advanceTimersByTimeAsync(1);
      expect(await waiting).toMatchObject({ found: { body: { status: 'pending' } }, stop: null });
      expect(asked()).toEqual(['a', 'events', 'a']);
    });

    it('is woken by what concerns it alone', async () => {
      const waiting = waitFor();
      await connected();
      send(
        told('b', 'granted') + event('policy', {}) + event('of_a_later_version', {}) + told('a', 'pending'),
      );
      await connected(3);
      status = 'granted';
      // In two pieces, as a network may cut it.
      const text = told('a', 'granted');
      send(text.slice(0, 20));
      send(text.slice(20));
      expect((await waiting).found.body.status).toBe('granted');
      expect(asked()).toEqual(['a', 'events', 'a', 'a', 'a']);
    });

    it('of no seconds, or of what is decided, opens no stream', async () => {
      expect((await waitFor('a', undefined, 0)).found.body.status).toBe('pending');
      status = 'denied';
      expect((await waitFor()).found.body.status).toBe('denied');
      expect(asked()).toEqual(['a', 'a']);
    });

    it('shares its stream with others, and misses nothing that was told before it joined', async () => {
      const first = waitFor();
      await connected();
      const second = waitFor('b');
      await until('its look', () => asked().filter((path) => path === 'b').length === 2);
      status = 'granted';
      send(told('a', 'granted') + told('b', 'granted'));
      expect((await Promise.all([first, second])).map(({ found }) => found.body.status)).toEqual([
        'granted',
        'granted',
      ]);
      expect(streams).toHaveLength(1);
    });

    it.each([{ frozen: true }, { suspended: true }, { locked: true }, { halted: true }])(
      'ends at once when %j is told, and not when a stop is lifted',
      async (which) => {
        const waiting = waitFor();
        await connected();
        send(event('stop', stop));
        send(event('stop', { ...stop, ...which }));
        expect(await waiting).toMatchObject({ found: { body: { status: 'pending' } }, stop: which });
      },
    );

    it('ends at once when its caller leaves', async () => {
      const leaving = new AbortController();
      const waiting = waitFor('a', leaving.signal);
      await connected();
      leaving.abort();
      expect((await waiting).found.body.status).toBe('pending');
    });
  });

  describe('a stream that is cut', () => {
    it('is opened anew, and what happened meanwhile is found', async () => {
      const waiting = waitFor();
      await connected();
      onStream = (response) => {
        status = 'granted';
        connect(response);
      };
      streams[0]?.destroy();
      expect((await waiting).found.body.status).toBe('granted');
      expect(streams).toHaveLength(2);
    });

    it.each<[string, (response: ServerResponse) => void]>([
      [
        'is refused',
        (response) => void response.writeHead(429).end('{"code":"too_many_requests","error":""}'),
      ],
      ['is unknown, and answered with no JSON', (response) => void response.writeHead(404).end('<html>')],
      ['carries nonsense', (response) => void response.writeHead(200).end('event: stop\ndata: {"x\n\n')],
    ])('or that %s, leaves the wait to its looks', async (_, refuse) => {
      onStream = refuse;
      const waiting = waitFor();
      await until('a second look', () => asked().filter((path) => path === 'a').length >= 2);
      status = 'granted';
      expect((await waiting).found.body.status).toBe('granted');
    });

    it('while the treasury is away is an error only at the end of the wait', async () => {
      const waiting = waitFor('a', undefined, 2_000);
      await connected();
      await host.close();
      await expect(waiting).rejects.toMatchObject({ code: 'halted' });
    });
  });
});
