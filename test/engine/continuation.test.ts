// A client that asks to continue gets its unanswered purchase: nothing is bought twice, and a received one is over.
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createAttended } from '../../server/engine/payment/machine/attended.ts';
import { verifyJournal } from '../../server/engine/records/audit.ts';
import { useFolders } from '../harness/folders.ts';
import type { Answer, Sent } from '../harness/http-client.ts';
import { openRich, seller, useSeller } from '../harness/chain/seller-treasury.ts';
import {
  deploy,
  instantly,
  spawnTreasury,
  until,
  type Process,
  type TestAgent,
  type Treasury,
} from '../harness/treasury.ts';
import { paymentOf, storeWithAgent } from '../store/store-with-agent.ts';

const newFolder = useFolders();
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
    // A seller's answer is noted after its payment is final, and counts as the end of the wait.
    await until('their end', () =>
      rows().every(
        ({ state, purchase }) => state === 'denied' || (state === 'final' && purchase?.delivery !== 'open'),
      ),
    );
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

describe('a purchase that calls wait for', () => {
  it('is attended until the last call that waits for it has ended', () => {
    const attended = createAttended();
    const [one, two] = [new AbortController(), new AbortController()];
    for (const { signal } of [one, two, one]) attended.attend('wish', signal);
    expect([attended.has('wish'), attended.has('other')]).toEqual([true, false]);
    one.abort();
    expect(attended.has('wish')).toBe(true);
    expect([attended.hasOther('wish', one.signal), attended.hasOther('wish', two.signal)]).toEqual([
      true,
      false,
    ]);
    two.abort();
    expect([attended.has('wish'), attended.hasOther('wish', one.signal)]).toEqual([false, false]);
  });

  it('is not attended by a call that had ended before it asked', () => {
    const attended = createAttended();
    attended.attend('wish', AbortSignal.abort());
    expect(attended.has('wish')).toBe(false);
  });

  it('is not attended by a call that has left it', () => {
    const attended = createAttended();
    const [one, two] = [new AbortController().signal, new AbortController().signal];
    for (const signal of [one, two]) attended.attend('wish', signal);
    attended.leave('wish', one);
    expect(attended.has('wish')).toBe(true);
    attended.leave('wish', two);
    attended.leave('wish', two);
    expect(attended.has('wish')).toBe(false);
  });
});

const [hash, another] = ['a'.repeat(64), 'b'.repeat(64)];

const storeOfWishes = () => {
  const made = storeWithAgent(join(newFolder(), 't.db'));
  made.atomically(() => {
    for (const [at, of] of [hash, hash, another].entries()) {
      made.transfers.insert(paymentOf(`pay_${at}`, { createdAt: at }));
      made.wishes.insert({ transferId: `pay_${at}`, hash: of, createdAt: at });
    }
  });
  return made;
};

describe('a wish in the records', () => {
  it('is found by its hash, oldest first, and is no longer found once its client has the answer', () => {
    const { wishes, atomically, close } = storeOfWishes();
    expect([wishes.open(hash), wishes.open(another)]).toEqual([['pay_0', 'pay_1'], ['pay_2']]);
    expect(atomically(() => wishes.receive('pay_0', 5))).toBe(true);
    expect(wishes.open(hash)).toEqual(['pay_1']);
    close();
  });

  it('is received once: of two clients with its answer only one is told so', () => {
    const made = storeOfWishes();
    const received = (id: string, now: number) => made.atomically(() => made.wishes.receive(id, now));
    expect(received('pay_0', 5)).toBe(true);
    const { seq } = made.journal.head();
    expect([received('pay_0', 6), received('nobody', 6)]).toEqual([false, false]);
    expect(made.journal.head().seq).toBe(seq);
    expect(verifyJournal(made)).toBeNull();
    made.close();
  });
});

/** Without giving the event loop a turn. */
const work = (ms: number): void => {
  const end = performance.now() + ms;
  while (performance.now() < end);
};

describe('a client that dies while the host is suspended, and its successor that asks for the same at once', () => {
  const trials = 150;
  let suspended: Process;
  let racer: TestAgent;
  beforeAll(async () => {
    suspended = await spawnTreasury(newFolder(), instantly);
    racer = await deploy(suspended.client, 'racer', { allocate: '4.00' });
  });
  afterAll(() => suspended.kill('SIGTERM'));

  const request = (amount: string): string => {
    const body = JSON.stringify({ service: 'sandbox-weather', amount, currency: 'USDC' });
    return [
      `POST /v1/agents/racer/pay?owner=${suspended.ready.owner} HTTP/1.1`,
      `Host: ${new URL(suspended.ready.url).host}`,
      `Authorization: Bearer ${racer.key}`,
      'Content-Type: application/json',
      'Prefer: wait=20, continue',
      `Content-Length: ${Buffer.byteLength(body)}`,
      '',
      body,
    ].join('\r\n');
  };
  const open = async (): Promise<Socket> => {
    const { hostname, port } = new URL(suspended.ready.url);
    const socket = connect(Number(port), hostname).setNoDelay(true);
    socket.on('error', () => {});
    await once(socket, 'connect');
    return socket;
  };
  it('never pays a continued purchase twice, whenever its first client dies', async () => {
    const { pid } = suspended.ready;
    const twice: string[] = [];
    for (let trial = 0; trial < trials; trial += 1) {
      const amount = `0.00${1_000 + trial}`;
      const [first, second] = [await open(), await open()];
      first.write(request(amount));
      if (trial % 2 === 1) work((trial % 30) * 0.1);
      process.kill(pid, 'SIGSTOP');
      if (trial % 2 === 0) work(1);
      first.destroy();
      second.write(request(amount));
      work(1);
      process.kill(pid, 'SIGCONT');
      await once(second, 'data');
      second.destroy();
      const { body } = await racer.client.get('/v1/agents/racer/spend-history?limit=20');
      const paid = (body['payments'] as { amount: string }[]).filter(
        (one) => Number(one.amount) === Number(amount),
      );
      if (paid.length > 1) twice.push(amount);
    }
    expect(twice).toEqual([]);
  });
});
