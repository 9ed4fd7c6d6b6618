// An answer that is slow to reach the disk: its client acknowledges it before it is kept, and the acknowledgement is
// never lost. And the reply to the caller of a paid purchase when the host ends before there is room for the answer.
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { deliver } from '../harness/chain/x402-seller.ts';
import { openBeside, openRich, seller, useSeller } from '../harness/chain/seller-treasury.ts';
import {
  deploy,
  removeFolder,
  temporaryFolder,
  until,
  type TestAgent,
  type Treasury,
} from '../harness/treasury.ts';

/** The last step of every write waits for this. */
const disk = vi.hoisted(() => ({ writing: 0, ready: Promise.resolve() }));
vi.mock('../../server/lib/files/durable-folder.ts', async (original) => {
  const real = await original<{ syncFolder(folder: string): Promise<void> }>();
  return {
    ...real,
    async syncFolder(folder: string) {
      disk.writing += 1;
      await disk.ready;
      await real.syncFolder(folder);
    },
  };
});

useSeller();
const dataDir = temporaryFolder();
let treasury: Treasury;
let agent: TestAgent;
let n = 0;

beforeAll(async () => {
  treasury = await openRich({ dataDir });
});
afterAll(async () => {
  await treasury.close();
  removeFolder(dataDir);
});
beforeEach(async () => {
  n += 1;
  agent = await deploy(treasury.client, `buyer-${n}`, { allocate: '1.00' });
});

const store = () => treasury.host.engine.context.store;
const fetch = () =>
  agent.client.post(
    `/v1/agents/${agent.agentId}/fetch`,
    { url: `${seller.url}/data?of=${n}` },
    { prefer: 'continue, wait=20' },
  );
let release = (): void => {};
afterEach(() => {
  vi.useRealTimers();
  release();
});
/** Holds every write until it is called, or the test is over. */
const slowDisk = (): (() => void) => {
  const { promise, resolve } = Promise.withResolvers<void>();
  disk.writing = 0;
  disk.ready = promise;
  release = resolve;
  return resolve;
};
/** A purchase whose client has its answer, while the disk does not. */
const answered = async (): Promise<string> => {
  const { status, body } = await fetch();
  expect([status, body['body']]).toEqual([200, '{"sun":true}']);
  const id = String(body['payment'].paymentId);
  await until('it to be written', () => disk.writing === 1);
  expect(store().answers.get(id)).toBeUndefined();
  return id;
};
/** The id of the payment of another fetch. Its answer is kept: a later test would count its write as its own. */
const fetchedAnew = async (): Promise<string> => {
  const id = String((await fetch()).body['payment'].paymentId);
  await until('it to be kept', () => store().answers.get(id));
  return id;
};
const receive = async (id: string): Promise<void> => {
  const { status, body } = await agent.client.post(`/v1/agents/${agent.agentId}/payments/${id}/received`);
  expect([status, body]).toEqual([200, { paymentId: id, received: true }]);
};

describe('an answer that its client has before the disk has it', () => {
  it('is marked as received once it is kept, and makes room for others', async () => {
    const written = slowDisk();
    const id = await answered();
    await receive(id);
    written();
    await until('it to be kept', () => store().answers.get(id));
    expect(store().answers.get(id)?.receivedAt).not.toBeNull();
    expect(store().answers.received(agent.agentId, 10)).toHaveLength(1);
    expect(await fetchedAnew()).not.toBe(id);
  });

  it('is not marked as received when only another one was', async () => {
    const written = slowDisk();
    const earlier = await answered();
    written();
    await until('it to be kept', () => store().answers.get(earlier));
    await receive(earlier);
    const later = slowDisk();
    const id = await answered();
    later();
    await until('it to be kept', () => store().answers.get(id));
    expect(store().answers.get(id)?.receivedAt).toBeNull();
  });

  it.each(['before', 'while'])(
    'is marked as received by an acknowledgement that comes %s the host ends',
    async (when) => {
      const written = slowDisk();
      const id = await answered();
      if (when === 'before') await receive(id);
      const ended = treasury.host.close();
      if (when === 'while') await receive(id);
      expect(store().answers.get(id)).toBeUndefined();
      written();
      await ended;
      treasury.client.close();
      treasury = await openBeside({ dataDir });
      agent = { ...agent, client: treasury.client.as(agent.key) };
      expect(store().answers.get(id)?.receivedAt).toEqual(expect.any(Number));
      expect(await fetchedAnew()).not.toBe(id);
    },
  );
});

describe('an answer that never reaches the disk', () => {
  it('keeps nothing else of the treasury from ending, is named, and is fetched again after the restart', async () => {
    const written = slowDisk();
    const id = await answered();
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const ended = treasury.host.close().then(
      () => 'cleanly',
      (error: AggregateError) => error.errors.map(String),
    );
    // The parts close one after another, each in its own time: a second passes in each turn until all have.
    const passing = setInterval(() => void vi.advanceTimersByTime(1_000), 1);
    const faults = await ended;
    clearInterval(passing);
    vi.useRealTimers();
    expect(faults).toEqual([`Error: still not ended after 20 s: ${id}`]);
    treasury.client.close();
    treasury = await openBeside({ dataDir });
    agent = { ...agent, client: treasury.client.as(agent.key) };
    written();
    const { body } = await agent.client.get(`/v1/agents/${agent.agentId}/payments/${id}`);
    expect(body).toMatchObject({ paymentId: id });
    expect(seller.shown).toHaveLength(1);
  });
});

describe('a paid purchase that waits for room', () => {
  it('is reported as paid when the host ends, and gets its answer after the restart', async () => {
    const { promise: gate, resolve: letGo } = Promise.withResolvers<void>();
    seller.behave = async ({ settle, response }) => {
      await settle();
      response.writeHead(500).end();
    };
    const paying = (what: string, prefer: string) =>
      agent.client.post(
        `/v1/agents/${agent.agentId}/fetch`,
        { url: `${seller.url}/data?of=${n}-${what}` },
        { key: what, prefer },
      );
    await paying('first', 'wait=1');
    const rows = () => [...store().transfers.iterate({ agentId: agent.agentId, kinds: ['payment'] })];
    const [first] = await until('it to be paid', () => {
      const all = rows();
      return all[0]?.state === 'final' && all[0].purchase?.delivery === 'undelivered' && all;
    });
    const before = seller.shown.length;
    seller.behave = async ({ settle, response }) => {
      const transaction = await settle();
      await gate;
      deliver(response, transaction);
    };
    // Between them they hold all the room that there is.
    const others = ['second', 'third'].map((what) => paying(what, 'wait=20'));
    await until('both to be shown', () => seller.shown.length === before + 2);
    const waiting = paying('first', 'wait=20');
    // Answered behind it: by then it waits.
    await agent.client.get(`/v1/agents/${agent.agentId}/balance`);
    const ended = treasury.host.close();
    const { body } = await waiting;
    expect(JSON.stringify(body)).not.toMatch(/nothing was paid/i);
    expect(body['details']).toMatchObject({ paymentId: first?.id });
    letGo();
    await Promise.all([ended, ...others]);
    treasury.client.close();
    treasury = await openBeside({ dataDir });
    agent = { ...agent, client: treasury.client.as(agent.key) };
    seller.behave = async ({ settle, response }) => deliver(response, await settle());
    const { body: got } = await paying('first', 'wait=20');
    expect(got).toMatchObject({ body: '{"sun":true}', payment: { paymentId: first?.id } });
    expect(rows()).toHaveLength(3);
  });
});
