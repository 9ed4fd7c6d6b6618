// SIGKILL of a real host between an event and its delivery: no notice is lost, none comes under two ids, none tells what
// is not in the records, and each channel keeps its order. Beside it, a dead endpoint.
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Store } from '../../server/engine/ports.ts';
import { createDice } from '../harness/dice.ts';
import { createClient } from '../harness/http-client.ts';
import { openStore } from '../harness/engine/store.ts';
import {
  deploy,
  instantly,
  openTreasury,
  removeFolder,
  spawnTreasury,
  temporaryFolder,
  until,
  type TestAgent,
} from '../harness/treasury.ts';
import { tries } from '../harness/tries.ts';
import { bodyOf, newSecret, openEndpoint, type Endpoint } from './endpoint.ts';

const kills = tries(3, 24);
const perRound = 8;
/** NOTICE_SEED tries other moments. */
const seed = Number(process.env['NOTICE_SEED'] ?? 20_261_124);

const dataDir = temporaryFolder();
let endpoint: Endpoint;
let dead: Endpoint;
let agents: TestAgent[] = [];

beforeAll(async () => {
  endpoint = await openEndpoint();
  dead = await openEndpoint();
  dead.status = null;
  const treasury = await openTreasury({ dataDir });
  for (const { url } of [dead, endpoint])
    await treasury.client.post('/v1/notices/channels', {
      kind: 'webhook',
      url,
      allowPrivate: true,
      secret: newSecret(),
      kinds: ['refused'],
    });
  agents = [];
  // One for each event: equal kinds of one agent would fold.
  for (let n = 0; n < kills * perRound; n += 1)
    agents.push(await deploy(treasury.client, `agent-${n}`, { allocate: null }));
  await treasury.close();
});
afterAll(async () => {
  await endpoint.close();
  await dead.close();
  removeFolder(dataDir);
});

/** The records, read while no host runs. */
const withStore = <T>(read: (store: Store) => T): T => {
  const store = openStore(join(dataDir, 'sandbox', 'treasury.db'));
  try {
    return read(store);
  } finally {
    store.close();
  }
};
const refusedRows = (store: Store): string[] =>
  [...store.transfers.iterate({ kinds: ['payment'] })]
    .filter(({ state }) => state === 'denied')
    .map(({ id }) => id);

const round = async (number: number, killAfterMs: number): Promise<string[]> => {
  const host = await spawnTreasury(dataDir, instantly);
  const answered: string[] = [];
  const received = endpoint.received.length;
  const own = agents.slice(number * perRound, (number + 1) * perRound);
  const clients = own.map(({ key }) => createClient(host.ready.url, host.ready.owner, key));
  const asking = clients.map(async (client, at) => {
    const path = `/v1/agents/${own[at]?.agentId ?? ''}/pay`;
    const { body } = await client.post(path, { service: 'sandbox-weather', amount: '5', currency: 'USDC' });
    answered.push(String(body['details']?.paymentId));
  });
  const asked = Promise.allSettled(asking);
  // On a busy machine a kill that counts from the start comes before any event; so each second counts from the first.
  if (number % 2 === 1) await Promise.any(asking);
  // In one of them something was told by then, whatever the machine.
  if (number === 1) await until('something to be told', () => endpoint.received.length > received);
  await new Promise((resolve) => setTimeout(resolve, killAfterMs));
  await host.kill('SIGKILL');
  await asked;
  for (const client of [...clients, host.client]) client.close();
  return answered;
};

it(
  `${kills} kills: each event is told at least once, in order, and under one id`,
  async () => {
    const dice = createDice(seed);
    const answered: string[] = [];
    let inFlight = 0;
    for (let number = 0; number < kills; number += 1) {
      // Answers take a while, or are refusals, so that kills also hit requests under way.
      endpoint.status = dice.isLucky(0.25) ? 503 : 200;
      const slowMs = dice.pick([0, 15, 30]);
      const timer = setInterval(() => {
        endpoint.gate = new Promise((resolve) => setTimeout(resolve, slowMs));
      }, 5);
      const before = endpoint.received.length;
      answered.push(...(await round(number, dice.roll() * 140)));
      clearInterval(timer);
      endpoint.gate = Promise.resolve();
      if (endpoint.received.length > before) inFlight += 1;
    }
    const known = withStore(refusedRows);
    expect(known.length).toBeGreaterThan(0);
    // An answer leaves after its commit.
    expect(answered.filter((id) => !known.includes(id))).toEqual([]);
    const early = endpoint.received.map((one) => bodyOf(one).data.subject ?? '');
    expect(early.filter((id) => !known.includes(id))).toEqual([]);

    endpoint.status = 200;
    const treasury = await openTreasury({ dataDir });
    const { notices } = treasury.host.engine.context.store;
    const all = () => notices.list({ before: null, limit: 10_000, failed: false }).toReversed();
    const good = (await treasury.client.get('/v1/notices/channels')).body['channels'][1].channelId;
    const told = () => all().map((one) => one.deliveries.find(({ channelId }) => channelId === good));
    await until('all to be told', () => told().every((one) => one?.state === 'delivered'), 60_000);
    await until('the dead endpoint to be tried', () => dead.received.length > 0, 60_000);
    const written = all();
    await treasury.close();

    // One notice for each event, whichever process wrote it.
    expect(written.map(({ subject }) => subject).toSorted()).toEqual(known.toSorted());
    const idOf = new Map(written.map(({ subject, id }) => [subject, id]));
    for (const one of endpoint.received) {
      const { id, subject } = bodyOf(one).data;
      expect([subject, id, one.headers['webhook-id']]).toEqual([subject, idOf.get(subject), id]);
    }
    // Taken at least once, and never one before another that was written earlier.
    const order = written.map(({ id }) => id);
    const places = endpoint.received.map(({ headers }) => order.indexOf(String(headers['webhook-id'])));
    expect(places).toEqual(places.toSorted((one, other) => one - other));
    expect(new Set(endpoint.taken())).toEqual(new Set(order));
    // The dead endpoint took nothing, and kept nobody waiting.
    expect(written.some(({ deliveries }) => deliveries.some(({ state }) => state === 'failed'))).toBe(false);
    expect(inFlight).toBeGreaterThan(0);
  },
  kills * 20_000,
);
