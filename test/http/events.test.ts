// Events for the owner and for an agent as they happen: what concerns each, nothing of others, for as long as its key is in
// force; and internal errors, whose details nobody is told.
import type { Response } from 'express';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { connect, type AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { agentEvents } from '../../server/contract/agents/agent-events.schemas.ts';
import { streamEvents } from '../../server/http/events.ts';
import { type EventReader, readEvents, type StreamEvent } from '../harness/event-stream.ts';
import { deploy, removeFolder, temporaryFolder, until, type TestAgent } from '../harness/treasury.ts';
import { client, payer, treasury, useTreasury } from './api-treasury.ts';

const logFile = join(temporaryFolder(), 'log');
useTreasury(() => ({ logFile }));
afterAll(() => removeFolder(dirname(logFile)));

let alice: TestAgent;
let bob: TestAgent;
const open: EventReader[] = [];
beforeAll(async () => {
  alice = await deploy(client, 'alice');
  bob = await deploy(client, 'bob');
});
afterEach(() => {
  for (const stream of open.splice(0)) stream.close();
});

const listen = async (agentId: string, token: string): Promise<EventReader> => {
  const url = new URL(`/v1/agents/${agentId}/events?owner=${treasury.owner}`, treasury.host.url);
  const stream = await readEvents(url, token);
  open.push(stream);
  return stream;
};
const seen = (stream: EventReader, type: string, part: object): Promise<StreamEvent> =>
  until(`${type} ${JSON.stringify(part)}`, () =>
    stream.events().find((one) => {
      const wanted = Object.entries(part);
      return one.type === type && wanted.every(([name, value]) => one.data[name] === value);
    }),
  );
/** Every earlier event is on the stream once this one is. */
const caughtUp = async (stream: EventReader, agent: TestAgent): Promise<void> => {
  const { body } = await agent.pay('0.001');
  await seen(stream, 'payment', { paymentId: body['paymentId'] });
};

describe('an owner who listens', () => {
  it('is told of each change after it happened, without a secret', async () => {
    const token = readFileSync(treasury.host.cookieFile ?? '', 'utf8');
    const stream = await readEvents(new URL(`/v1/events?owner=${treasury.owner}`, treasury.host.url), token);
    open.push(stream);
    expect(stream.type).toBe('text/event-stream');
    const told = (type: string, part: string): Promise<unknown> =>
      until(`${type} ${part}`, () =>
        stream.events().some((one) => one.type === type && JSON.stringify(one.data).includes(part)),
      );

    await client.post('/v1/sandbox/faucet', { amount: '0.77' });
    await told('deposit', '"amount":"0.77"');
    const { body: paid } = await payer.pay('0.033');
    await told('transfer', `"id":"${paid['paymentId']}"`);
    await client.post('/v1/freeze');
    await told('freeze', '"frozen":true');
    await client.post('/v1/unfreeze');
    await client.post('/v1/services/sandbox-weather/rules', { blocked: true });
    await told('service', 'sandbox-weather');
    await client.post('/v1/services/sandbox-weather/rules', { blocked: false });
    const created = await deploy(client, 'watched', { policy: { approveAbove: '0' } });
    await told('agent', 'watched');
    const asked = await created.pay('0.1');
    await told('approval', String(asked.body['approvalId']));
    const key = await client.post('/v1/agents/watched/keys');
    for (const hidden of [
      token,
      payer.key,
      created.key,
      String(key.body['apiKey']),
      String(paid['xPaymentHeader']),
      'atk_',
      'own_',
    ])
      expect(stream.text()).not.toContain(hidden);
  });
});

/** The engine may read the records at the same time, and says so too. */
const lines = (): string[] =>
  readFileSync(logFile, 'utf8')
    .split('\n')
    .filter((line) => line.includes('"level":"error"') && line.includes('a request failed inside'));

const secret = 'phrase: abandon abandon ability, key atk_planted';

/** Makes the store fail while the work runs. */
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

describe('an internal error', () => {
  it('is 500 without details, and is logged whole, once', async () => {
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

  it('in the middle of a stream cuts it, so that half a statement cannot pass for a whole one, and is logged once', async () => {
    const before = lines().length;
    const { transfers } = treasury.host.engine.context.store;
    const { iterate } = transfers;
    transfers.iterate = function* broken(query) {
      const rows = [...iterate.call(transfers, query)];
      // More than one chunk, so that some has left.
      for (let n = 0; n < 500; n += 1) yield* rows;
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

describe('an agent that listens', () => {
  it('is told of its payments, approvals, policy, pictures and stops, each by its schema', async () => {
    const stream = await listen('alice', alice.key);
    const { body: paid } = await alice.pay('0.01');
    await seen(stream, 'payment', { paymentId: paid['paymentId'], status: 'confirmed', amount: '0.01' });

    await client.post('/v1/agents/alice/policy', { approveAbove: '0.5' });
    const changed = await seen(stream, 'policy', { agentId: 'alice' });
    expect(changed.data.policy).toMatchObject({ approveAbove: '0.50' });
    const { body: asked } = await alice.pay('0.6');
    await seen(stream, 'approval', { approvalId: asked['approvalId'], status: 'pending' });
    await client.post(`/v1/approvals/${asked['approvalId']}/deny`);
    await seen(stream, 'approval', { approvalId: asked['approvalId'], status: 'denied' });
    await seen(stream, 'payment', { paymentId: asked['paymentId'], status: 'denied' });

    const { models } = (await client.get('/v1/models')).body;
    const picture = { prompt: 'a pier', modelId: models[0].id, resolution: '1k' };
    const { body: made } = await alice.client.post('/v1/agents/alice/generate', picture);
    await seen(stream, 'task', { taskId: made['taskId'], status: 'success' });

    await alice.client.post('/v1/agents/alice/kill');
    await seen(stream, 'stop', { suspended: true, frozen: false });
    await client.post('/v1/agents/alice/resume');
    await client.post('/v1/freeze');
    await seen(stream, 'stop', { suspended: false, frozen: true });
    await client.post('/v1/unfreeze');
    await client.post('/v1/lock');
    await seen(stream, 'stop', { frozen: false, locked: true });
    await client.post('/v1/unlock');
    await seen(stream, 'stop', { frozen: false, locked: false });

    for (const { type, data } of stream.events())
      expect(
        agentEvents[type as keyof typeof agentEvents].strict().safeParse(data).error,
        type,
      ).toBeUndefined();
    for (const hidden of [alice.key, String(paid['xPaymentHeader']), 'atk_', 'own_', 'lnk_'])
      expect(stream.text()).not.toContain(hidden);
  });

  it('is told of a policy and of stops only when they have changed', async () => {
    const stream = await listen('alice', alice.key);
    await alice.client.post('/v1/agents/alice/rename', { displayName: 'Alice' });
    await client.post('/v1/agents/alice/policy', { approveAbove: '0.5' });
    await client.post('/v1/agents/alice/keys');
    await caughtUp(stream, alice);
    expect(stream.events().map(({ type }) => type)).not.toContain('policy');
    expect(stream.events().map(({ type }) => type)).not.toContain('stop');
  });

  it('learns nothing of another agent, nor of the owner', async () => {
    const stream = await listen('alice', alice.key);
    await bob.pay('0.01');
    await client.post('/v1/agents/bob/policy', { approveAbove: '0' });
    const { body: asked } = await bob.pay('0.02');
    await client.post(`/v1/approvals/${asked['approvalId']}/grant`, {
      hash: (await client.get(`/v1/approvals/${asked['approvalId']}`)).body['hash'],
    });
    await bob.client.post('/v1/agents/bob/kill');
    await client.post('/v1/agents/bob/resume');
    await client.post('/v1/sandbox/faucet', { amount: '1' });
    await client.post('/v1/treasury/policy', { dailyBudget: '500' });
    await client.post('/v1/logins', { terminal: 'a stranger' }, { token: null });
    await caughtUp(stream, alice);
    expect(new Set(stream.events().map(({ type }) => type))).toEqual(new Set(['payment']));
    // Three digits alone may stand in an id.
    const budget = '500.00';
    for (const theirs of ['bob', bob.wallet, String(asked['paymentId']), String(asked['approvalId']), budget])
      expect(stream.text()).not.toContain(theirs);
  });
});

describe('the right to listen', () => {
  it('is the agent’s own and the owner’s', async () => {
    expect((await listen('alice', bob.key)).status).toBe(401);
    expect((await listen('alice', 'atk_none')).status).toBe(401);
    const stream = await listen('alice', readFileSync(treasury.host.cookieFile ?? '', 'utf8'));
    expect(stream.status).toBe(200);
    await caughtUp(stream, alice);
  });

  it.each<[string, (agentId: string, keyId: string) => Promise<unknown>]>([
    ['is revoked', (agentId, keyId) => client.call('DELETE', `/v1/agents/${agentId}/keys/${keyId}`)],
    [
      'is replaced at once',
      (agentId, keyId) => client.post(`/v1/agents/${agentId}/keys/${keyId}/rotate`, { now: true }),
    ],
    ['is archived with its agent', (agentId) => client.post(`/v1/agents/${agentId}/archive`)],
  ])('ends when the key %s, without a further event', async (how, end) => {
    const agentId = `ended-${how.length}`;
    const agent = await deploy(client, agentId, { allocate: null });
    const { body: other } = await client.post(`/v1/agents/${agentId}/keys`);
    const [stream, kept] = [await listen(agentId, agent.key), await listen(agentId, other['apiKey'])];
    const { keys } = (await client.get(`/v1/agents/${agentId}/keys`)).body;
    const { keyId } = keys.find((one: { keyId: string }) => one.keyId !== other['keyId']);
    await end(agentId, keyId);
    await stream.ended;
    if (how.includes('archived')) await kept.ended;
    else {
      expect(stream.events()).toEqual([]);
      await client.post(`/v1/agents/${agentId}/policy`, { maxPerPayment: '0.9' });
      await seen(kept, 'policy', { agentId });
    }
  });

  it('is for 16 streams of an agent at once, and another agent has its own', async () => {
    const streams = await Promise.all(Array.from({ length: 16 }, () => listen('alice', alice.key)));
    expect(streams.map(({ status }) => status)).toEqual(Array(16).fill(200));
    const more = await listen('alice', alice.key);
    expect([more.status, JSON.parse(more.text()).code]).toEqual([429, 'too_many_requests']);
    expect((await listen('bob', bob.key)).status).toBe(200);
    streams[0]?.close();
    await until('a free place', async () => (await listen('alice', alice.key)).status === 200);
  });

  it('gives back the places of streams that were pipelined and never had their turn', async () => {
    const carol = await deploy(client, 'carol');
    const { host, port, hostname } = new URL(treasury.host.url);
    const socket = connect(Number(port), hostname);
    const asked = `GET /v1/agents/carol/events?owner=${treasury.owner} HTTP/1.1\r\nHost: ${host}\r\nAuthorization: Bearer ${carol.key}\r\n\r\n`;
    socket.write(`${asked.repeat(16)}CONNECT example.com:443 HTTP/1.1\r\nHost: example.com:443\r\n\r\n`);
    await once(socket, 'data');
    await until('the streams', async () => (await listen('carol', carol.key)).status === 429);
    socket.resetAndDestroy();
    for (const stream of open.splice(0)) stream.close();
    await until('all places', async () => {
      const streams = await Promise.all(Array.from({ length: 16 }, () => listen('carol', carol.key)));
      const areOpen = streams.every(({ status }) => status === 200);
      if (!areOpen) for (const stream of open.splice(0)) stream.close();
      return areOpen;
    });
  });
});

describe('a listener that is quiet', () => {
  afterEach(() => vi.useRealTimers());

  it('gets a heartbeat every 15 seconds, and its end when its key is no longer in force', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    let mayListen = true;
    const server = createServer((_, response) =>
      streamEvents(response as Response, () => () => {}, { mayListen: () => mayListen, mostBehind: 1_000 }),
    ).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const stream = await readEvents(
      new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}`),
      'a-key',
    );
    vi.advanceTimersByTime(15_000);
    await until('the heartbeat', () => stream.text().includes(': ping\n\n'));
    mayListen = false;
    vi.advanceTimersByTime(15_000);
    await stream.ended;
    server.close();
  });
});

it('that cannot read the records keeps nobody from being told and paid', async () => {
  const stream = await listen('alice', alice.key);
  const { policies } = treasury.host.engine.context.store;
  const { get } = policies;
  vi.spyOn(policies, 'get').mockImplementation((agentId) => {
    if (agentId === 'alice' && (new Error().stack ?? '').includes('calls/agent-events'))
      throw new Error('disk');
    return get(agentId);
  });
  try {
    expect((await client.post('/v1/agents/alice/rename', { displayName: 'A' })).status).toBe(200);
    await stream.ended;
  } finally {
    vi.restoreAllMocks();
  }
  expect((await alice.pay('0.01')).status).toBe(200);
});
