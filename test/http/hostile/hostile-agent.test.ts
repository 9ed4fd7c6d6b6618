// A hostile agent with a valid API key, which knows every id of the treasury, tries everything, over HTTP and through
// a bridge: in full, 10,000 calls and 1,000. Its policy holds, nobody else is affected, and the owner's stops stay.
import { randomInt } from 'node:crypto';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { allWell, audit, clean } from '../../harness/engine/audit.ts';
import { createClient, type Client } from '../../harness/http-client.ts';
import {
  deploy,
  removeFolder,
  temporaryFolder,
  type TestAgent,
  type Treasury,
} from '../../harness/treasury.ts';
import { envOf, openBridge, type Bridge } from '../../mcp/bridge.ts';
import { tries } from '../../harness/tries.ts';
import { debitsOf, unitsOf, type Debit } from '../../mcp/chain.ts';
import { createAttack, many, worthTrying, type Attack } from './hostile-calls.ts';
import { introduce, openGround, type Ground } from './hostile-ground.ts';
import { looser, policyVersions } from '../limits/policy-versions.ts';
import { createDice } from '../../harness/dice.ts';

const seed = Number(process.env['HOSTILE_SEED'] ?? tries(20_261_128, randomInt(2 ** 31)));
const dice = createDice(seed);
const sockets = 8;
const rounds = tries(48, 160);
const frozenRounds = tries(4, 20);
const budget = 1_000_000n;
const policy = {
  dailyBudget: '1.00',
  maxPerPayment: '0.05',
  cooldownSeconds: 0,
  allowedServices: ['sandbox-weather'],
  approveAbove: '0.04',
  newPayees: 'approve',
  approvalMinutes: 15,
};

const dataDir = temporaryFolder();
let ground: Ground;
let treasury: Treasury;
let hostile: TestAgent;
let victim: TestAgent;
let client: Client;
let bridge: Bridge;
let attack: Attack;
let earlier: Debit[];

const store = () => ground.store;
const waiting = () => store().approvals.pending('hostile');

/** The state that the attack must not change. */
const untouchable = async () => ({
  victim: [store().agents.get('victim'), store().policies.get('victim'), store().keys.list('victim')],
  victimUnits: await unitsOf(treasury.host.rpcUrl, victim.wallet),
  treasuryUnits: await unitsOf(treasury.host.rpcUrl, treasury.owner),
  victimApprovals: store()
    .approvals.list(500)
    .filter(({ agentId }) => agentId === 'victim'),
  agents: store()
    .agents.list()
    .map(({ agentId }) => agentId),
  keys: store().keys.list('hostile'),
  grants: store().grants.list(),
  ceiling: store().limits.get('').dailyBudget,
  movements: [...store().transfers.iterate({})].filter(
    ({ agentId, kind }) => agentId !== 'hostile' || kind !== 'payment',
  ).length,
});

beforeAll(async () => {
  ground = await openGround(dataDir);
  ({ treasury } = ground);
  hostile = await deploy(treasury.client, 'hostile', { allocate: '20.00', policy: { newPayees: 'approve' } });
  victim = await deploy(treasury.client, 'victim', { allocate: '30.00', policy: { approveAbove: '0.5' } });

  const owner = treasury.client;
  await introduce(ground, hostile);
  await owner.post('/v1/agents/hostile/policy', policy);
  const paid = await victim.pay('0.01');
  const asked = await victim.pay('0.60', { prefer: 'wait=0' });
  const { body: approval } = await owner.get(`/v1/approvals/${asked.body['approvalId']}`);
  const { body: own } = await hostile.pay('0.05', { prefer: 'wait=0' });
  const { body: login } = await owner.post('/v1/logins', { terminal: 'a terminal' }, { token: null });
  const { body: keys } = await owner.get('/v1/agents/victim/keys');
  await ground.settled();
  earlier = await debitsOf(treasury.host.rpcUrl, hostile.wallet);

  client = createClient(treasury.host.url, treasury.owner, hostile.key, sockets);
  bridge = await openBridge(envOf(hostile, treasury));
  const [keyId, paymentId, approvalId] = [
    String(keys['keys'][0].keyId),
    String(paid.body['paymentId']),
    String(approval['approvalId']),
  ];
  attack = createAttack({
    dice,
    client,
    bridge,
    keys: [hostile.key],
    mayCall: ['public', 'key', 'agent', 'any-agent'],
    owner: treasury.owner,
    known: {
      ...worthTrying(treasury, ground.thief),
      keyId: [keyId],
      paymentId: [paymentId, 'pay_none'],
      transferId: [paymentId, 'pay_none'],
      approvalId: [approvalId, own['approvalId']],
      hash: [approval['hash'], 'a'.repeat(64)],
      loginId: [login['loginId']],
      token: [hostile.key, 'x'],
      pollSecret: [hostile.key, 'x'],
    },
    secrets: [victim.wallet, victim.key, keyId, paymentId, approvalId],
    waiting: () => waiting().length,
    mostWaiting: 3,
  });
});
afterAll(async () => {
  await bridge.close();
  client.close();
  await ground.close();
  removeFolder(dataDir);
});

/** Versions of the hostile agent's policy that the owner set; all others are its own. */
const owners = new Set<number>();
const remember = (): void => void owners.add(store().policies.get('hostile').version);

/** As an owner who undoes what the agent did to itself, so that the attack can go on. */
const restore = async (dailyBudget = policy.dailyBudget): Promise<void> => {
  await treasury.client.post('/v1/agents/hostile/resume');
  await treasury.client.post('/v1/agents/hostile/policy', { ...policy, dailyBudget });
  remember();
  for (const { id } of waiting()) await treasury.client.post(`/v1/approvals/${id}/deny`);
};

/**
 * A payment that waits for the owner holds the bridge's call for twenty seconds, unless three requests wait already;
 * and requests for a new agent are not withdrawn when the agent stops itself.
 */
const askTooMuch = async (): Promise<void> => {
  const { dailyBudget, maxPerPayment } = policy;
  for (let more = waiting().length; more < 3; more += 1) {
    const asked = { agentId: `wished-${more}`, dailyBudget, maxPerPayment };
    await hostile.client.post('/v1/agents/deploy', asked);
  }
};

describe(`a hostile agent with a valid key (HOSTILE_SEED=${seed})`, () => {
  it(`is told nothing of others and nothing undocumented by ${rounds * 50} answers over HTTP and ${Math.ceil(rounds / 16) * 90} of its bridge`, async () => {
    remember();
    const before = await untouchable();
    for (let round = 0; round < rounds; round += 1) {
      await many(50, sockets, attack.askHttp);
      await restore();
      if (round % 16 > 0) continue;
      await askTooMuch();
      await many(90, sockets, attack.askBridge);
      await restore();
    }
    await ground.settled();
    expect(attack.faults).toEqual([]);
    expect(await untouchable()).toEqual(before);
  });

  it(`achieves nothing once the owner has frozen everything, in ${frozenRounds * 100} and 100 more`, async () => {
    await treasury.client.post('/v1/freeze', { reason: 'enough' });
    const [frozen, before] = [store().freeze.get(), await untouchable()];
    const moved = () => [...store().transfers.iterate({})].filter(({ state }) => state !== 'denied').length;
    const debits = () =>
      Promise.all(
        store()
          .wallets.list()
          .map(({ address }) => debitsOf(treasury.host.rpcUrl, address)),
      );
    const [rows, paid] = [moved(), await debits()];
    for (let round = 0; round < frozenRounds; round += 1) {
      // Without the freeze it could pay.
      await restore('100.00');
      await many(100, sockets, attack.askHttp);
    }
    await restore('100.00');
    await many(100, sockets, attack.askBridge);
    expect(attack.faults).toEqual([]);
    expect(store().freeze.get()).toEqual(frozen);
    expect(await untouchable()).toEqual(before);
    expect(moved()).toBe(rows);
    expect(await debits()).toEqual(paid);
  });

  it('paid within its budget, each payment within its cap, and only the allowed service', async ({
    annotate,
  }) => {
    const debits = await debitsOf(treasury.host.rpcUrl, hostile.wallet);
    const outflow = debits.reduce((sum, { amount }) => sum + amount, 0n);
    await annotate(`seed ${seed}: ${debits.length} payments, ${outflow} of ${budget} micro-USDC`);
    expect(outflow).toBeLessThanOrEqual(budget);
    // It did pay: an attack that fails by its own error proves nothing.
    expect(outflow).toBeGreaterThan(budget / BigInt(tries(20, 2)));
    const during = debits.filter(({ signature }) => !earlier.some((one) => one.signature === signature));
    expect(during.filter(({ amount }) => amount > 40_000n)).toEqual([]);
    const payee = store().services.get('sandbox-weather')?.payees;
    expect(during.filter(({ to }) => to.join() !== payee?.join())).toEqual([]);
    expect(await unitsOf(treasury.host.rpcUrl, ground.thief)).toBe(0n);
    expect(clean(await audit(treasury.host))).toEqual(allWell);
    await annotate(JSON.stringify(attack.heard));
  });

  it('loosened no field of its policy in any version of it', async ({ annotate }) => {
    await ground.close();
    const versions = policyVersions(join(dataDir, 'sandbox', 'treasury.db'), 'hostile');
    const own = versions.filter(({ version }) => !owners.has(version));
    await annotate(`${versions.length} versions, ${own.length} of its own`);
    expect(own.length).toBeGreaterThan(tries(2, 10));
    const loosened = versions.flatMap((after, at) => {
      const from = versions[at - 1];
      return from === undefined || owners.has(after.version) ? [] : looser(from, after);
    });
    expect(loosened).toEqual([]);
  });
});
