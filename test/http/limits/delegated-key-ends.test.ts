// The end of a delegated key, whatever ended it: the first call of each of its routes is refused, and calls under way when
// it ends reserve nothing more. Beside it, a lock, which ends nothing.
import { beforeAll, describe, expect, it } from 'vitest';
import { isVoid } from '../../../server/engine/domain/states.ts';
import { deploy, until, type TestAgent } from '../../harness/treasury.ts';
import { asOwner, client, codeOf, treasury, useTreasury } from '../api-treasury.ts';
import { many } from '../hostile/hostile-calls.ts';
import { keepExpiring } from '../hostile/hostile-ground.ts';
import { aTask, keyRoutes, prepare, type Prepared } from './key-routes.ts';
import { allowDelegation, delegate, type Slice } from './slices.ts';

const day = 86_400_000;
let ahead = 0;
let made = 0;
useTreasury(() => ({
  clock: { wall: () => Date.now() + ahead, monotonic: () => performance.now() + ahead },
}));
beforeAll(() => keepExpiring(treasury));

/** An agent in a group, and a key that it delegated. */
interface Family {
  agent: TestAgent;
  groupId: string;
  parent: Slice;
}

const family = async (): Promise<Family> => {
  made += 1;
  const agent = await deploy(client, `agent-${made}`, { allocate: null });
  // An allocation may expire with the payments of the test before.
  await until('the allocation', async () => {
    const { status } = await client.post(`/v1/agents/${agent.agentId}/allocate`, { amount: '5.00' });
    return status === 200;
  });
  const { groupId } = await asOwner('groups', { name: `Group ${made}` });
  await asOwner(`agents/${agent.agentId}/group`, { groupId });
  await allowDelegation(client, agent.agentId);
  const parent = await delegate(agent.client, agent.agentId, { ...aTask(treasury), dailyBudget: '3.00' });
  return { agent, groupId: String(groupId), parent };
};

/** A key of its own for each route, with a call that it may make. */
const callsOf = async ({ agent, parent }: Family): Promise<Prepared[]> => {
  const calls: Prepared[] = [];
  for (const route of keyRoutes) {
    const slice = await delegate(parent.client, agent.agentId, aTask(treasury, parent));
    calls.push(await prepare(treasury, agent.agentId, slice, route));
  }
  return calls;
};

const told = async (calls: readonly Prepared[]): Promise<Record<string, string>> => {
  const answers: Record<string, string> = {};
  for (const { route, call } of calls) {
    const { status, body } = await call();
    answers[route] = status < 300 ? 'let in' : `${status} ${String(body['code'])}`;
  }
  return answers;
};
const all = (answer: string): Record<string, string> =>
  Object.fromEntries(keyRoutes.map((route) => [route, answer]));

const firstKeyOf = async ({ agent }: Family): Promise<string> => {
  const { body } = await client.get(`/v1/agents/${agent.agentId}/keys`);
  return `/v1/agents/${agent.agentId}/keys/${String(body['keys'][0].keyId)}`;
};
const endedBy =
  (whose: (one: Family, key: string) => Promise<unknown>) =>
  async (one: Family, keys: readonly string[]): Promise<void> => {
    for (const key of keys) await whose(one, key);
  };
const delegatedKey = ({ agent }: Family, keyId: string): string =>
  `/v1/agents/${agent.agentId}/delegated-keys/${keyId}`;

type End = (one: Family, keys: readonly string[]) => Promise<unknown>;
const ends: [string, End][] = [
  ['the owner ends it', endedBy((one, key) => client.call('DELETE', delegatedKey(one, key)))],
  ['its agent ends it', endedBy((one, key) => one.agent.client.call('DELETE', delegatedKey(one, key)))],
  ['its parent ends it', endedBy((one, key) => one.parent.client.call('DELETE', delegatedKey(one, key)))],
  ['its parent ends', (one) => client.call('DELETE', delegatedKey(one, one.parent.keyId))],
  ['its agent’s key is revoked', async (one) => client.call('DELETE', await firstKeyOf(one))],
  [
    'its agent’s key is rotated at once',
    async (one) => client.post(`${await firstKeyOf(one)}/rotate`, { now: true }),
  ],
  ['delegation ends', ({ agent }) => asOwner(`agents/${agent.agentId}/delegation`, { allowed: false })],
  ['the owner stops its agent', ({ agent }) => asOwner(`agents/${agent.agentId}/kill`)],
  ['its agent stops itself', ({ agent }) => agent.client.post(`/v1/agents/${agent.agentId}/kill`)],
  [
    'the watch pauses its agent',
    async ({ agent }) => {
      await asOwner(`agents/${agent.agentId}/policy`, { dailyBudget: '3.00' });
      await asOwner(`agents/${agent.agentId}/watch`, { mode: 'pause' });
      for (let n = 0; n < 3; n += 1) await agent.pay('0.90');
    },
  ],
  ['its group is stopped', ({ groupId }) => asOwner(`groups/${groupId}/stop`)],
  ['its agent is archived', ({ agent }) => asOwner(`agents/${agent.agentId}/archive`)],
  ['everything is frozen', () => asOwner('freeze', { reason: 'test' })],
  [
    'it expires',
    () => {
      ahead += day;
      return Promise.resolve();
    },
  ],
];

const settled = () =>
  until('all to be settled', () => {
    const { store } = treasury.host.engine.context;
    return store.transfers.open().length === 0 && store.tasks.unsettled().length === 0;
  });

describe('a delegated key', () => {
  it('is let in by each of its routes, and may name what it made', async () => {
    expect(keyRoutes.length).toBeGreaterThan(14);
    expect(await told(await callsOf(await family()))).toEqual(all('let in'));
  });

  it.each(ends)(
    'is let in by none of its routes once %s, nor is a key of its own, and nothing revives them',
    async (_what, end) => {
      const one = await family();
      const calls = await callsOf(one);
      const slice = await delegate(one.parent.client, one.agent.agentId, aTask(treasury, one.parent));
      const child = await delegate(slice.client, one.agent.agentId, aTask(treasury, slice));
      await settled();
      await end(one, [slice.keyId, ...calls.map((call) => call.slice.keyId)]);
      const ended = { ...all('401 key_ended'), 'a key of its own': 'key_ended' };
      const now = async () => ({ ...(await told(calls)), 'a key of its own': await codeOf(child, '0.01') });
      const answers = await now();
      await client.post('/v1/unfreeze');
      expect(answers).toEqual(ended);
      await client.post(`/v1/agents/${one.agent.agentId}/resume`);
      await client.post(`/v1/agents/${one.agent.agentId}/delegation`, { allowed: true });
      expect(await now()).toEqual(ended);
    },
  );

  it('pays and delegates nothing while the treasury is locked, reads all the same, and goes on after it', async () => {
    const calls = await callsOf(await family());
    await settled();
    await asOwner('lock');
    const answers = await told(calls);
    await asOwner('unlock');
    const barred = ['pay', 'fetch', 'generate', 'delegateKey'];
    expect(answers).toEqual({
      ...all('let in'),
      ...Object.fromEntries(barred.map((route) => [route, '503 locked'])),
    });
    expect(await told(calls.filter(({ route }) => barred.includes(route)))).toEqual(
      Object.fromEntries(barred.map((route) => [route, 'let in'])),
    );
  });
});

const rowsOf = (keyId: string) =>
  [...treasury.host.engine.context.store.transfers.iterate({})].filter((row) => row.keyPath.includes(keyId));

describe('calls under way with a delegated key', () => {
  const sockets = 16;
  const races: [string, End][] = ends.filter(([what]) =>
    ['its parent ends', 'its group is stopped', 'everything is frozen', 'it expires'].includes(what),
  );

  it.each(races)('reserve and sign nothing after the moment that %s', async (_what, end) => {
    const one = await family();
    const slice = await delegate(one.parent.client, one.agent.agentId, aTask(treasury, one.parent));
    const child = await delegate(slice.client, one.agent.agentId, aTask(treasury, slice));
    let isOver = false;
    /** Answers to calls that began after the end. */
    const late: string[] = [];
    const pay = async (by: Slice): Promise<void> => {
      const isLate = isOver;
      const { status, body } = await by.pay('0.0001', { prefer: 'wait=0' });
      if (isLate) late.push(`${status} ${String(body['code'])}`);
    };
    const race = many(sockets, sockets, async () => {
      while (late.length < 50) for (const by of [slice, child]) await pay(by);
    });
    await until('payments', () => rowsOf(child.keyId).length > 10);
    await end(one, [slice.keyId]);
    isOver = true;
    const reserved = rowsOf(slice.keyId).length;
    await race;
    await settled();
    await client.post('/v1/unfreeze');
    expect(new Set(late)).toEqual(new Set(['401 key_ended']));
    const rows = rowsOf(slice.keyId);
    expect(rows).toHaveLength(reserved);
    const key = treasury.host.engine.context.store.keys.get(child.keyId);
    const ended = Math.min(key?.revokedAt ?? Infinity, key?.expiresAt ?? Infinity);
    expect(rows.filter(({ signed }) => signed !== null && signed.at > ended)).toEqual([]);
    expect(rows.some((row) => !isVoid(row))).toBe(true);
  });
});
