// A client that asks to continue gets its unanswered purchase: nothing is bought twice, and a received one is over.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Answer, Sent } from '../harness/http-client.ts';
import { openRich, seller, useSeller } from '../harness/seller-treasury.ts';
import { deploy, until, type TestAgent, type Treasury } from '../harness/treasury.ts';

useSeller();
const hour = 3_600_000;
let wall = Date.now();
let up = 0;
let treasury: Treasury;
let agent: TestAgent;
let n = 0;

beforeAll(async () => {
  const clock = { wall: () => wall, monotonic: () => up };
  treasury = await openRich({ clock });
});
afterAll(() => treasury.close());
beforeEach(async () => {
  n += 1;
  agent = await deploy(treasury.client, `buyer-${n}`, { allocate: '2.00' });
});

const store = () => treasury.host.engine.context.store;
const rows = () => [...store().transfers.iterate({ agentId: agent.agentId, kinds: ['payment', 'charge'] })];
const post = (route: string, body: object, sent: Sent): Promise<Answer> =>
  agent.client.post(`/v1/agents/${agent.agentId}/${route}`, body, sent);
const going: Sent = { prefer: 'continue, wait=20' };
const atOnce: Sent = { prefer: 'wait=0, continue' };
const nth = (number: number): Sent => ({ prefer: `wait=20, continue=${number}` });

interface Route {
  call(sent: Sent): Promise<Answer>;
  idIn(body: Answer['body']): unknown;
}
const routes: [string, Route][] = [
  [
    'pay',
    {
      call: (sent) => post('pay', { service: 'sandbox-weather', amount: '0.1', currency: 'USDC' }, sent),
      idIn: (body) => body['paymentId'],
    },
  ],
  [
    'fetch',
    {
      call: (sent) => post('fetch', { url: `${seller.url}/data?of=${n}` }, sent),
      idIn: (body) => body['paymentId'] ?? body['payment']?.paymentId,
    },
  ],
  [
    'generate',
    {
      call: async (sent) => {
        const { models } = (await treasury.client.get('/v1/models')).body as { models: { id: string }[] };
        return post('generate', { prompt: `fox ${n}`, modelId: models[0]?.id, resolution: '1k' }, sent);
      },
      idIn: (body) => body['taskId'],
    },
  ],
];
const receive = (): void => {
  for (const { id } of rows()) store().atomically(() => store().wishes.receive(id, wall));
};
const pass = (ms: number): void => {
  wall += ms;
  up += ms;
};
/** Holds requests after the look-up of their key and before T1. */
const holdPreparing = () => {
  const { funds } = treasury.host.engine.context;
  const { prepare } = funds;
  const { promise, resolve } = Promise.withResolvers<void>();
  let count = 0;
  funds.prepare = async (intent) => {
    count += 1;
    await promise;
    return prepare(intent);
  };
  const release = (): void => {
    funds.prepare = prepare;
    resolve();
  };
  return { count: () => count, release };
};
/** A call whose connection ends once `when` holds. */
const cutOff = async (call: Route['call'], when: () => unknown): Promise<void> => {
  const ending = new AbortController();
  const asked = call({ ...going, signal: ending.signal }).catch(() => null);
  await until('the moment to end', () => when() === true);
  ending.abort();
  await asked;
};

describe.each(routes)('%s', (_, { call, idIn }) => {
  const numbered = async () => Promise.all([1, 2, 3].map((number) => call(nth(number))));

  it('continues a purchase whose answer nobody received, and starts a new one after that', async () => {
    const first = await call(going);
    const again = await call(going);
    expect([again.status, idIn(again.body)]).toEqual([200, idIn(first.body)]);
    expect(rows()).toHaveLength(1);
    receive();
    expect(idIn((await call(going)).body)).not.toBe(idIn(first.body));
    expect(rows()).toHaveLength(2);
  });

  it('is two purchases for a caller that does not ask to continue', async () => {
    const [first, second] = [await call({}), await call({})];
    expect(idIn(second.body)).not.toBe(idIn(first.body));
    expect((await call(going)).status).toBe(200);
    expect(rows()).toHaveLength(3);
  });

  it('is as many purchases as its client numbers, and each can be continued, one after another or at once', async () => {
    const ids = (await numbered()).map(({ body }) => idIn(body));
    expect([new Set(ids).size, rows().length]).toEqual([3, 3]);
    expect((await numbered()).map(({ body }) => idIn(body)).toSorted()).toEqual(ids.toSorted());
    const later: unknown[] = [];
    for (const { id } of rows().toReversed()) {
      later.push(idIn((await call(going)).body));
      store().atomically(() => store().wishes.receive(id, wall));
    }
    expect(rows()).toHaveLength(3);
    expect(later.every((id) => ids.includes(id))).toBe(true);
  });

  it('is two purchases for two equal calls at the same time', async () => {
    const held = holdPreparing();
    const calls = [call(going), call(going)];
    await until('both to be under way', () => held.count() === 2);
    held.release();
    const ids = (await Promise.all(calls)).map(({ body }) => idIn(body));
    expect([new Set(ids).size, rows().length]).toEqual([2, 2]);
  });

  it('continues a purchase that waited for the owner when its caller ended', async () => {
    await treasury.client.post(`/v1/agents/${agent.agentId}/policy`, { approveAbove: '0' });
    await cutOff(call, () => rows().length === 1);
    const [approval] = store().approvals.pending(agent.agentId);
    await treasury.client.post(`/v1/approvals/${String(approval?.id)}/grant`, { hash: approval?.hash });
    const again = await call(going);
    expect(again.status, again.text).toBe(200);
    expect(rows()).toHaveLength(1);
    await until('its end', () => ['seen', 'final'].includes(rows()[0]?.state ?? ''));
  });

  it('starts nothing for a caller that has gone, and one payment for its successor', async () => {
    const held = holdPreparing();
    await cutOff(call, () => held.count() === 1);
    held.release();
    expect((await call(going)).status).toBe(200);
    expect(rows()).toHaveLength(1);
  });

  it('starts a new one once its payment was cancelled before it was signed', async () => {
    const policy = (maxPerPayment: string) =>
      treasury.client.post(`/v1/agents/${agent.agentId}/policy`, { maxPerPayment });
    const { chain } = treasury.host.engine.context;
    const { lifetime } = chain;
    const gate = Promise.withResolvers<void>();
    chain.lifetime = () => gate.promise.then(lifetime);
    const asked = call(going);
    await until('its reservation', () => rows()[0]?.state === 'reserved');
    await policy('0');
    gate.resolve();
    chain.lifetime = lifetime;
    await asked;
    await until('its end', () => rows()[0]?.state === 'cancelled');
    await policy('1');
    const again = await call(going);
    expect([again.status, rows().length], again.text).toEqual([200, 2]);
  });

  it('binds the idempotency key of a continuing call to the continued purchase, for ever', async () => {
    const first = await call({ ...going, key: 'one' });
    const again = await call({ ...going, key: 'two' });
    receive();
    const replayed = await call({ key: 'two' });
    expect([idIn(again.body), idIn(replayed.body)]).toEqual([idIn(first.body), idIn(first.body)]);
    expect(rows()).toHaveLength(1);
  });

  it('never continues a refused purchase, a purchase of another caller, or one older than a day', async () => {
    await treasury.client.post(`/v1/agents/${agent.agentId}/policy`, { maxPerPayment: '0' });
    expect((await call(atOnce)).status).toBe(402);
    await treasury.client.post(`/v1/agents/${agent.agentId}/policy`, { maxPerPayment: '1' });
    expect((await call(going)).status).toBe(200);
    expect(rows()).toHaveLength(2);
    const { client } = agent;
    agent = { ...agent, client: treasury.client };
    expect((await call(going)).status).toBe(200);
    agent = { ...agent, client };
    expect(rows()).toHaveLength(3);
    await until('their end', () => rows().every(({ state }) => ['final', 'denied'].includes(state)));
    pass(24 * hour + 1);
    expect((await call(going)).status).toBe(200);
    expect(rows()).toHaveLength(4);
  });

  it('continues a purchase for a day from its end, however late its owner decided', async () => {
    const policy = (change: object) => treasury.client.post(`/v1/agents/${agent.agentId}/policy`, change);
    await policy({ approveAbove: '0', approvalMinutes: 1_440 });
    await cutOff(call, () => rows().length === 1);
    pass(24 * hour - 1_000);
    const [approval] = store().approvals.pending(agent.agentId);
    await treasury.client.post(`/v1/approvals/${String(approval?.id)}/grant`, { hash: approval?.hash });
    await until('its end', () => rows()[0]?.state === 'final');
    pass(23 * hour);
    expect((await call(going)).status).toBe(200);
    expect(rows()).toHaveLength(1);
  });
});

const fetch = (more: object): Promise<Answer> =>
  post('fetch', { url: `${seller.url}/data?of=${n}`, ...more }, going);

describe('a paid fetch that continues', () => {
  it('is the same whatever it may cost, unless that is less than it cost', async () => {
    const first = await fetch({ maxAmount: '0.02' });
    for (const maxAmount of ['0.05', '0.01'])
      expect((await fetch({ maxAmount })).body['payment']?.paymentId).toBe(first.body['payment'].paymentId);
    const cheaper = await fetch({ maxAmount: '0.005' });
    expect([cheaper.status, cheaper.body['code']]).toEqual([409, 'conflict']);
    expect(cheaper.body['details']).toEqual({ paymentId: first.body['payment'].paymentId, amount: '0.01' });
    expect(rows()).toHaveLength(1);
  });

  it('is the same whatever its reason, and however slow and large its answer may be', async () => {
    const first = await fetch({ reason: 'the weather' });
    for (const more of [{ reason: 'the picnic' }, {}, { timeoutSeconds: 20 }, { maxBytes: 1_000 }])
      expect((await fetch(more)).body['payment'].paymentId).toBe(first.body['payment'].paymentId);
    expect(rows()).toHaveLength(1);
  });

  it('is another for another method, body or header', async () => {
    const first = await fetch({});
    for (const more of [{ method: 'POST', body: 'x' }, { headers: { accept: 'text/csv' } }])
      expect((await fetch(more)).body['payment'].paymentId).not.toBe(first.body['payment'].paymentId);
  });
});
