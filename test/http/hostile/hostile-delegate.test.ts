// A hostile key that was delegated to a task knows every id of the treasury, mints keys of its own and tries everything: in
// full, 10,000 calls. It spends its slice and nothing else, learns nothing of others.
import { randomInt } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { scopeOfAll, scopeOfGroup, scopeOfKey } from '../../../server/engine/domain/limits.ts';
import { isVoid } from '../../../server/engine/domain/states.ts';
import { nodeNow } from '../../../server/engine/limits/path.ts';
import type { Transfer } from '../../../server/engine/ports.ts';
import { allWell, audit, clean } from '../../harness/engine/audit.ts';
import { createDice } from '../../harness/dice.ts';
import { createClient, type Client } from '../../harness/http-client.ts';
import { deploy, removeFolder, temporaryFolder, type TestAgent } from '../../harness/treasury.ts';
import { tries } from '../../harness/tries.ts';
import { debitsOf, unitsOf, type Debit } from '../../mcp/chain.ts';
import { createAttack, many, worthTrying, type Attack } from './hostile-calls.ts';
import { introduce, openGround, type Ground } from './hostile-ground.ts';
import { allowDelegation, delegate, type Slice } from '../limits/slices.ts';

const seed = Number(process.env['HOSTILE_SEED'] ?? tries(20_261_124, randomInt(2 ** 31)));
const dice = createDice(seed);
const sockets = 8;
const rounds = tries(40, 200);
const hour = 3_600_000;
const cap = 1_000_000n;
const mostKeys = 4;
const budgets = ['0.50', '5.00', null] as const;

// Every figure is one that no answer holds by chance.
const limits = {
  agent: { dailyBudget: '61.234567', weeklyBudget: '93.847561', maxPerPayment: '17.362514' },
  group: { weeklyBudget: '71.234561' },
  treasury: { monthlyBudget: '87.654321' },
  parent: { dailyBudget: '31.415926', weeklyBudget: '57.721566' },
  sibling: { dailyBudget: '2.718281', maxPerPayment: '1.414213' },
  hostile: { dailyBudget: '1.00', maxPerPayment: '0.05', allowedServices: ['sandbox-weather'] },
};

const dataDir = temporaryFolder();
let ground: Ground;
let agent: TestAgent;
let groupId: string;
let parent: Slice;
let sibling: Slice;
let hostile: Slice;
let client: Client;
let attack: Attack;
/** The keys that the attack is made with: its own, and some that it minted. */
const keys: [string, ...string[]] = [''];
const minted: Slice['reply'][] = [];
/** It ended the key, and attacks with another. */
const forget = (keyId: string): void => {
  const at = keys.indexOf(minted.find((one) => one['keyId'] === keyId)?.['apiKey']);
  if (at > 0) keys.splice(at, 1);
};
const mostly = (value: string): [string, ...string[]] => [value, ...Array.from({ length: 8 }, () => value)];

const owner = (): Client => ground.treasury.client;
const path = (rest: string): string => `/v1/agents/hostile/${rest}`;
const asOwner = async (url: string, body: object): Promise<Slice['reply']> => {
  const { status, text, body: reply } = await owner().post(url, body);
  if (status !== 200) throw new Error(text);
  return reply;
};
const expiry = (ms: number): string => new Date(Date.now() + ms).toISOString();
const lastDay = expiry(24 * hour);
const slice = (by: Client, label: string, more: object): Promise<Slice> =>
  delegate(by, 'hostile', { label, expiresAt: lastDay, ...more });

const rowsOf = (keyId: string): Transfer[] =>
  [...ground.store.transfers.iterate({})].filter((row) => row.keyPath.includes(keyId) && !isVoid(row));
const sumOf = (rows: readonly Transfer[]): bigint => rows.reduce((sum, { amount }) => sum + amount, 0n);
const ofHostile = () => ground.store.approvals.pending('hostile').filter(({ keyId }) => isOwn(keyId));
const isOwn = (keyId: string | null): boolean =>
  keyId === hostile.keyId || minted.some((one) => one['keyId'] === keyId);
/** The requests of one key that wait, of the one with the most; or those of all, when they are more than its agent's. */
const waiting = (): number => {
  const all = ofHostile();
  const most = Math.max(0, ...[...Map.groupBy(all, ({ keyId }) => keyId).values()].map((own) => own.length));
  return all.length > 3 ? all.length : most;
};

/** What is spent at every node: the slice, the keys above and beside it, the agent, its group, all agents, and another. */
const spent = (): Record<string, bigint> => {
  const { context } = ground.treasury.host.engine;
  const scopes = {
    slice: scopeOfKey(2, hostile.keyId),
    parent: scopeOfKey(1, parent.keyId),
    agent: 'hostile',
    group: scopeOfGroup(groupId),
    treasury: scopeOfAll,
    sibling: scopeOfKey(2, sibling.keyId),
    victim: 'victim',
  };
  const now = context.time.now();
  return Object.fromEntries(
    Object.entries(scopes).map(([name, scope]) => [name, nodeNow(context, scope, now).spent('day')]),
  );
};

/** The state that the attack must not change. */
const untouchable = () => {
  const {
    agents,
    approvals,
    boosts,
    freeze,
    grants,
    groups,
    keys: known,
    limits: nodes,
    policies,
  } = ground.store;
  const named = ['hostile', 'victim'];
  return {
    agents: agents
      .list()
      .map(({ agentId, status, groupId: group, refill }) => [agentId, status, group, refill]),
    policies: named.map((name) => policies.get(name)),
    keys: named.flatMap((name) => known.list(name)).filter(({ id }) => !isOwn(id)),
    limits: nodes.list().filter(({ scope }) => !scope.startsWith('key3:')),
    groups: groups.list(),
    boosts: boosts.list(0),
    grants: grants.list(),
    freeze: freeze.get(),
    approvals: approvals.list(10_000).filter(({ keyId }) => !isOwn(keyId)),
    others: [...ground.store.transfers.iterate({})].filter((row) => !row.keyPath.includes(hostile.keyId))
      .length,
  };
};

const plantTree = async (): Promise<void> => {
  agent = await deploy(owner(), 'hostile', { allocate: '20.00', policy: { newPayees: 'approve' } });
  await introduce(ground, agent);
  groupId = String((await asOwner('/v1/groups', { name: 'Hidden folder', limits: limits.group }))['groupId']);
  await asOwner(path('group'), { groupId });
  await asOwner('/v1/treasury/limits', limits.treasury);
  await asOwner(path('policy'), { ...limits.agent, approveAbove: '0.04', approvalMinutes: 15 });
  await allowDelegation(owner(), 'hostile');
  parent = await slice(agent.client, 'the parent slice', limits.parent);
  sibling = await slice(parent.client, 'the sibling slice', limits.sibling);
  hostile = await slice(parent.client, 'the hostile slice', limits.hostile);
  keys[0] = hostile.key;
};

beforeAll(async () => {
  ground = await openGround(dataDir);
  await plantTree();
  const victim = await deploy(owner(), 'victim', { allocate: '30.00' });
  const paid = [await victim.pay('0.01'), await agent.pay('0.023456'), await sibling.pay('0.012345')];
  const asked = await sibling.pay('0.045678', { prefer: 'wait=0' });
  const { body: own } = await owner().get(path('keys'));
  await ground.settled();
  const paymentIds = paid.map(({ body }) => String(body['paymentId']));
  const approvalId = String(asked.body['approvalId']);
  const { body: approval } = await owner().get(`/v1/approvals/${approvalId}`);
  const ownKeyId = String(own['keys'][0].keyId);
  client = createClient(ground.treasury.host.url, ground.treasury.owner, hostile.key, sockets);
  const delegatedKeyId: [string, ...string[]] = [parent.keyId, sibling.keyId, hostile.keyId];
  attack = createAttack({
    dice,
    client,
    keys,
    mayCall: ['public', 'key'],
    aims: ['pay', 'pay', 'delegateKey'],
    aiming: 0.4,
    owner: ground.treasury.owner,
    known: {
      ...worthTrying(ground.treasury, ground.thief),
      agentId: [...mostly('hostile'), 'victim', 'nobody'],
      keyId: [ownKeyId, sibling.keyId],
      delegatedKeyId,
      groupId: [groupId],
      paymentId: ['pay_none', ...paymentIds],
      transferId: ['pay_none', ...paymentIds],
      approvalId: [approvalId],
      hash: [approval['hash'], 'a'.repeat(64)],
      expiresAt: [...mostly(expiry(hour)), expiry(25 * hour), expiry(-hour), null],
      weeklyBudget: budgets,
      monthlyBudget: budgets,
      totalBudget: budgets,
      serviceLimits: [null, { 'sandbox-weather': { dailyBudget: '9' } }, { a: { maxPerPayment: '0' } }],
      activeHours: [null, { days: [1, 2, 3, 4, 5, 6, 7], from: '00:00', to: '23:59' }],
      until: [expiry(hour)],
      label: ['minted'],
    },
    secrets: [
      ...Object.values({ ...limits, hostile: {} }).flatMap((set) => Object.values(set).map(String)),
      ...paymentIds,
      victim.wallet,
      victim.key,
      agent.key,
      parent.key,
      sibling.key,
      ownKeyId,
      parent.keyId,
      sibling.keyId,
      approvalId,
      groupId,
      'Hidden folder',
      'the parent slice',
      'the sibling slice',
      '0.023456',
      '0.012345',
      '0.045678',
    ],
    waiting,
    mostWaiting: 1,
    heard(route, { status, body }) {
      if (status !== 200) return;
      if (route === 'endDelegatedKey') forget(String(body['keyId']));
      if (route !== 'delegateKey') return;
      minted.push(body);
      delegatedKeyId.push(body['keyId']);
      if (keys.length < mostKeys) keys.push(body['apiKey']);
    },
  });
});
afterAll(async () => {
  client.close();
  await ground.close();
  removeFolder(dataDir);
});

describe(`a hostile delegated key (HOSTILE_SEED=${seed})`, () => {
  let earlier: Debit[];
  let before: ReturnType<typeof spent>;

  it(`is let in by no route but its own, and told nothing of others, by ${rounds * 50} answers`, async () => {
    earlier = await debitsOf(ground.treasury.host.rpcUrl, agent.wallet);
    before = spent();
    const untouched = untouchable();
    for (let round = 0; round < rounds; round += 1) {
      await many(50, sockets, attack.askHttp);
      for (const { id } of ofHostile()) await owner().post(`/v1/approvals/${id}/deny`);
    }
    await ground.settled();
    expect(attack.faults).toEqual([]);
    expect(untouchable()).toEqual(untouched);
  });

  it('spent within its slice, which every node above it counted, and no other', async ({ annotate }) => {
    const rows = rowsOf(hostile.keyId);
    const sum = sumOf(rows);
    await annotate(
      `seed ${seed}: ${rows.length} payments, ${sum} of ${cap}; ${JSON.stringify(attack.heard)}`,
    );
    // It did pay: an attack that fails by its own error proves nothing.
    expect(sum).toBeGreaterThan(cap / BigInt(tries(20, 2)));
    expect(sum).toBeLessThanOrEqual(cap);
    const after = spent();
    const counted = Object.fromEntries(
      Object.entries(after).map(([name, units]) => [name, units - (before[name] ?? 0n)]),
    );
    const whole = { slice: sum, parent: sum, agent: sum, group: sum, treasury: sum };
    expect(counted).toEqual({ ...whole, sibling: 0n, victim: 0n });
    const debits = (await debitsOf(ground.treasury.host.rpcUrl, agent.wallet)).filter(
      ({ signature }) => !earlier.some((one) => one.signature === signature),
    );
    const payee = ground.store.services.get('sandbox-weather')?.payees;
    expect(debits.reduce((total, { amount }) => total + amount, 0n)).toBe(sum);
    expect(debits.filter(({ amount, to }) => amount > 40_000n || to.join() !== payee?.join())).toEqual([]);
    expect(await unitsOf(ground.treasury.host.rpcUrl, ground.thief)).toBe(0n);
    expect(clean(await audit(ground.treasury.host))).toEqual(allWell);
  });

  it('minted only keys under its own, which end with it and spend no more than it may', async ({
    annotate,
  }) => {
    await annotate(`${minted.length} keys minted`);
    expect(minted.length).toBeGreaterThan(tries(0, 10));
    const end = ground.store.keys.get(hostile.keyId)?.expiresAt ?? 0;
    for (const { keyId, spendable } of minted) {
      const key = ground.store.keys.get(keyId);
      expect(key).toMatchObject({ agentId: 'hostile', delegated: { parentId: hostile.keyId, level: 3 } });
      expect(key?.expiresAt ?? Infinity).toBeLessThanOrEqual(end);
      expect(Number(spendable)).toBeLessThanOrEqual(1);
      const { dailyBudget, totalBudget, maxPerPayment } = ground.store.limits.get(scopeOfKey(3, keyId));
      const own = rowsOf(keyId);
      expect(own.every(({ keyPath }) => keyPath.join() === [parent.keyId, hostile.keyId, keyId].join())).toBe(
        true,
      );
      for (const budget of [dailyBudget, totalBudget])
        if (budget !== null) expect(sumOf(own)).toBeLessThanOrEqual(budget);
      if (maxPerPayment !== null) expect(own.filter(({ amount }) => amount > maxPerPayment)).toEqual([]);
    }
  });
});
