// One life of a tree of limits. Each step is done to the real engine and to the reference, and both have to agree: on the
// verdict, and after it on every state and every sum.
import { join } from 'node:path';
import type { Call, EndProof } from '../../../../server/engine/ports.ts';
import {
  ownPath,
  scopeOfAll,
  scopeOfGroup,
  scopeOfKey,
  type Scope,
} from '../../../../server/engine/domain/limits.ts';
import type { NodeFacts } from '../../../../server/engine/limits/node-facts.ts';
import { nodeNow, pathOf as pathOfEngine } from '../../../../server/engine/limits/path.ts';
import { endDueApprovals } from '../../../../server/engine/payment/owner/approval.ts';
import { usdc } from '../../../../server/money.ts';
import * as acts from './acts.ts';
import * as real from './real.ts';
import {
  budgetFields,
  budgetOf,
  hasEnded,
  isOpen,
  pathOf,
  sumsOf,
  type Row,
  type Tree,
} from './reference.ts';
import { services, type PolicyWish, type Step, type TreeWish, type Wish } from './steps.ts';

const longestKeyMs = 30 * 86_400_000;
const unlimited = usdc(1_000_000_000n);

export interface Tally {
  operations: number;
  sums: number;
  /** Budgets that a reservation was held against. */
  windows: number;
  over: number;
  verdicts: Map<string, number>;
}

interface Life {
  tree: Tree;
  treasury: real.Real;
  clock: { truth: number; offset: number };
  scopes: Map<string, Scope>;
  ids: Map<Row, string>;
  slot: number;
  file: string;
  tally: Tally;
}

const timeOf = ({ treasury }: Life): number => treasury.engine.context.time.now();

const agree = (what: string, told: unknown, expected: unknown): void => {
  if (told !== expected)
    throw new Error(`${what}: ${String(told)}, and the reference says ${String(expected)}`);
};

const pick = <T>(from: readonly T[], at: number): T | undefined => from[at % Math.max(1, from.length)];

const groupsOf = ({ tree }: Life): string[] =>
  [...tree.nodes.keys()].flatMap((name) => (name.startsWith('group:') ? [name.slice(6)] : []));
const groupAt = (life: Life, at: number): string | null => pick([...groupsOf(life), null], at) ?? null;
const agentAt = ({ tree }: Life, at: number): string => pick([...tree.agents.keys()], at) ?? '';
const keysOf = ({ tree }: Life, agent: string): string[] =>
  [...tree.keys].flatMap(([id, key]) => (key.agent === agent ? [id] : []));
/** The key itself last. */
const keyPathOf = (tree: Tree, id: string): string[] => {
  const parent = tree.keys.get(id)?.parent ?? null;
  return [...(parent === null ? [] : keyPathOf(tree, parent)), id];
};

const done = async (
  { treasury }: Life,
  name: Parameters<typeof real.call>[1],
  asked: Parameters<typeof real.call>[2],
): Promise<Record<string, unknown>> => {
  const { verdict, reply } = await real.call(treasury, name, asked);
  agree(name, verdict, 'done');
  return reply;
};

const rowOf = (life: Life, row: Row): string => life.ids.get(row) ?? '';

/** The engine's reading of a node before it decides. */
const factsOf = ({ treasury, scopes }: Life, name: string, now: number): NodeFacts => {
  const { context } = treasury.engine;
  const [kind = 'treasury', id = 'treasury'] = name.split(':');
  if (kind !== 'agent') return nodeNow(context, scopes.get(name) ?? name, now);
  const [facts] = pathOfEngine(context, { agentId: id, ...ownPath, isClaimed: false, now, own: null });
  if (facts === undefined) throw new Error(`there is no ${name}`);
  return facts;
};

const sinceOf = ({ treasury, scopes }: Life, name: string): number => {
  const { policies, limits } = treasury.engine.context.store;
  const scope = scopes.get(name) ?? name;
  return (name.startsWith('agent:') ? policies.get(scope) : limits.get(scope)).totalSince;
};

/** Every state, and every sum of every node and window. */
export const compare = (life: Life): void => {
  const { tree, treasury, scopes, tally } = life;
  const { store } = treasury.engine.context;
  const now = timeOf(life);
  for (const row of tree.rows)
    agree(`the state of ${rowOf(life, row)}`, store.transfers.state(rowOf(life, row)), row.state);
  for (const [id, { suspended }] of tree.agents)
    agree(`the state of ${id}`, store.agents.get(id)?.status, suspended ? 'suspended' : 'active');
  for (const [id, { ended }] of tree.keys) agree(`the end of ${id}`, store.keys.isRevoked(id), ended);
  for (const [name, { totalSince }] of tree.nodes) {
    const { limits, ...facts } = factsOf(life, name, now);
    if (limits.totalBudget !== null)
      agree(`since when ${name} counts in total`, sinceOf(life, name), totalSince);
    const told = {
      dailyBudget: facts.spent('day'),
      weeklyBudget: facts.spent('week'),
      monthlyBudget: facts.spent('month'),
      totalBudget: facts.spent('total'),
      paymentsPerHour: facts.payments('hour'),
      paymentsPerDay: facts.payments('day'),
      lastReservedAt: store.spend.lastReservedAt(scopes.get(name) ?? name),
    };
    const sums = sumsOf(tree, name, now);
    for (const field of Object.keys(sums) as (keyof typeof sums)[])
      agree(`${field} of ${name} at ${new Date(now).toISOString()}`, told[field], sums[field]);
    tally.sums += Object.keys(sums).length + compareAtServices(life, name, facts, now);
  }
  if (treasury.faults.length > 0) throw new Error(treasury.faults.join('; '));
};

/** @returns the number of sums */
const compareAtServices = (
  { tree }: Life,
  name: string,
  { atService }: Pick<NodeFacts, 'atService'>,
  now: number,
): number => {
  for (const service of services) {
    const [at, sums] = [atService(service), sumsOf(tree, `${name}@${service}`, now)];
    agree(`a day of ${name} at ${service}`, at.spent('day'), sums.dailyBudget);
    agree(`a month of ${name} at ${service}`, at.spent('month'), sums.monthlyBudget);
  }
  return 2 * services.length;
};

const checkBudgets = ({ tree, tally }: Life, row: Row, now: number): void => {
  for (const name of pathOf(row))
    for (const field of budgetFields) {
      const most = budgetOf(tree, name, field);
      if (most === null) continue;
      tally.windows += 1;
      const used = sumsOf(tree, name, now)[field];
      if (used <= most) continue;
      tally.over += 1;
      throw new Error(`${field} of ${name} is over: ${used} of ${most}`);
    }
};

const note = ({ tally }: Life, verdict: string): void => {
  const kind = verdict.replace(/ at (\w+).*/, ' at $1');
  tally.verdicts.set(kind, (tally.verdicts.get(kind) ?? 0) + 1);
};

type Of<D extends Step['do']> = Extract<Step, { do: D }>;

const sign = async (life: Life, row: Row, isUp = true): Promise<void> => {
  const { tree, treasury } = life;
  const expected = isUp ? acts.sign(tree, row, timeOf(life)) : 'cancelled chain_unreachable';
  if (!isUp) row.state = 'cancelled';
  treasury.chain.isUp = isUp;
  const told = await real.sign(treasury, rowOf(life, row));
  treasury.chain.isUp = true;
  note(life, told);
  agree('at the signature', told, expected);
};

const see = async (life: Life, row: Row, kind: Of<'see'>['sight'], lag: number): Promise<void> => {
  const { machine } = life.treasury.engine.context;
  const id = rowOf(life, row);
  life.slot += 1;
  const { slot } = life;
  const blockTime = life.clock.truth + lag;
  life.treasury.blockTimes.set(slot, blockTime);
  const sight = kind === 'confirmed' || kind === 'finalized' ? { kind, blockTime } : { kind };
  acts.see(row, sight, timeOf(life));
  if (kind === 'confirmed' || kind === 'finalized')
    await machine.observe(id, { slot, error: null, commitment: kind });
  else if (kind === 'fork') machine.fallBack(id);
  else machine.applyProof(id, proofOf(kind, slot));
};

const proofOf = (kind: 'failed' | 'dead' | 'unknown', slot: number): EndProof => {
  if (kind === 'unknown') return { dead: false, why: 'nothing is known' };
  const failed = { slot, error: 'no', commitment: 'finalized' } as const;
  return { dead: true, evidence: {}, ...(kind === 'failed' ? { failed } : {}) };
};

interface Going {
  goes: Of<'pay'>['goes'];
  lag: number;
  between: readonly Step[];
}

const goOn = async (life: Life, row: Row, { goes, lag, between }: Going): Promise<void> => {
  if (goes === 'wait') return;
  for (const step of between) await take(life, step);
  if (row.state !== 'reserved') return;
  await sign(life, row);
  if (goes === 'final') await see(life, row, 'finalized', lag);
};

const newRow = (
  life: Life,
  row: Pick<Row, 'kind' | 'agent' | 'keys' | 'isOwners' | 'amount' | 'service'>,
): Row => ({
  ...row,
  group: life.tree.agents.get(row.agent)?.group ?? null,
  state: 'denied',
  answerBy: null,
  reservedAt: null,
  blockTime: null,
  charge: null,
});

const ask = async (life: Life, row: Row, keyId: string | null, going: Going): Promise<void> => {
  const { tree, treasury } = life;
  const { kind, agent: agentId, amount, service, charge } = row;
  const now = timeOf(life);
  const expected = acts.ask(tree, row, now);
  const invoice = charge === null ? null : rowOf(life, charge);
  const { verdict, id } = real.ask(treasury, { kind, agentId, keyId, amount, service, invoice });
  if (id !== null) life.ids.set(row, id);
  note(life, verdict === 'reserved' ? `reserved on ${pathOf(row).length} nodes` : verdict);
  agree(`asked by ${pathOf(row).join(' < ')}`, verdict, expected);
  if (verdict !== 'reserved') return;
  if (kind !== 'refund') checkBudgets(life, row, now);
  await goOn(life, row, going);
};

const pay = async (
  life: Life,
  { agent: at, by, kind, amount, service, ...going }: Of<'pay'>,
): Promise<void> => {
  const agent = agentAt(life, at);
  const [all, now] = [keysOf(life, agent), timeOf(life)];
  const live = all.filter((id) => !hasEnded(life.tree, id, now));
  const delegated = typeof by === 'number' ? pick([...live, ...live, ...live, ...all], by) : undefined;
  const keyId = by === 'owner' ? null : (delegated ?? real.keyOf(agent));
  const keys = delegated === undefined ? [] : keyPathOf(life.tree, delegated);
  const row = newRow(life, { kind, agent, keys, isOwners: by === 'owner', amount, service });
  await ask(life, row, keyId, going);
};

const refund = async (life: Life, { row: at, goes }: Of<'refund'>): Promise<void> => {
  const { rows } = life.tree;
  const isPaidBack = (row: Row): boolean =>
    rows.some(
      ({ charge, state }) =>
        charge === row && state !== 'cancelled' && state !== 'dead' && state !== 'failed',
    );
  const charge = pick(
    rows.filter((row) => row.kind === 'charge' && row.state === 'final' && !isPaidBack(row)),
    at,
  );
  if (charge === undefined) return;
  const row: Row = { ...charge, kind: 'refund', isOwners: true, reservedAt: null, blockTime: null, charge };
  await ask(life, row, null, { goes, lag: 0, between: [] });
};

/** @param now null for a key, whose end is no limit */
const limitsOf = (wish: Wish, now: number | null) => ({
  ...wish,
  expiresAt: now === null || wish.expiresAt === null ? null : now + wish.expiresAt,
});

const put = (tree: Tree, name: string, limits: ReturnType<typeof limitsOf>, now: number): void => {
  const before = tree.nodes.get(name);
  const goesOn = (before?.limits.totalBudget ?? null) !== null;
  const totalSince = limits.totalBudget === null ? 0 : goesOn ? (before?.totalSince ?? 0) : now;
  // Services that a change does not name keep their limits.
  const serviceLimits = limits.serviceLimits && { ...before?.limits.serviceLimits, ...limits.serviceLimits };
  tree.nodes.set(name, { limits: { ...limits, serviceLimits }, totalSince });
};

const editAgent = async (life: Life, agent: string, { limits, ...rest }: PolicyWish): Promise<void> => {
  const now = timeOf(life);
  const wanted = limitsOf(limits, now);
  const whole = {
    ...wanted,
    dailyBudget: wanted.dailyBudget ?? unlimited,
    maxPerPayment: wanted.maxPerPayment ?? unlimited,
    cooldownSeconds: wanted.cooldownSeconds ?? 0,
    allowedServices: wanted.allowedServices ?? [],
    allowedModels: [],
  };
  await done(life, 'setPolicy', { params: { agentId: agent }, body: { ...whole, ...rest } });
  put(life.tree, `agent:${agent}`, whole, now);
  Object.assign(life.tree.agents.get(agent) ?? {}, rest);
  acts.endUnfit(life.tree, now, (one) => one === agent);
};

const edit = async (life: Life, { node, policy }: Of<'edit'>): Promise<void> => {
  const { tree } = life;
  const name =
    pick(
      [...tree.nodes.keys()].filter((one) => !one.startsWith('key:')),
      node,
    ) ?? 'treasury';
  if (name.startsWith('agent:')) return editAgent(life, name.slice(6), policy);
  const now = timeOf(life);
  const body = limitsOf(policy.limits, now);
  const groupId = name.slice(6);
  if (name === 'treasury') await done(life, 'setTreasuryLimits', { body });
  else await done(life, 'setGroupLimits', { params: { groupId }, body });
  put(tree, name, body, now);
  acts.endUnfit(tree, now, (agent) => name === 'treasury' || tree.agents.get(agent)?.group === groupId);
};

/** @param above the key that mints it; undefined for the agent's own */
const mintUnder = async (
  life: Life,
  agentId: string,
  above: string | undefined,
  { isOwners, limits, lives }: Pick<Of<'mint'>, 'isOwners' | 'limits' | 'lives'>,
): Promise<string | undefined> => {
  const { tree, treasury, scopes } = life;
  const now = timeOf(life);
  const path = above === undefined ? [] : keyPathOf(tree, above);
  const caller: Call<'pay'>['caller'] = isOwners
    ? { role: 'owner' }
    : { role: 'agent', agentId, keyId: above ?? real.keyOf(agentId), keyLevel: path.length };
  const expiresAt = Math.min(now + lives, tree.keys.get(above ?? '')?.expiresAt ?? Infinity);
  const wanted = limitsOf(limits, null);
  const body = { label: 'a task', ...wanted, expiresAt };
  const expected = acts.refuseMint(tree, agentId, isOwners, path.length + 1) ?? 'done';
  const { verdict, reply } = await real.call(treasury, 'delegateKey', { params: { agentId }, body, caller });
  agree('a key delegated', verdict, expected);
  if (verdict !== 'done') return undefined;
  const id = String(reply['keyId']);
  tree.keys.set(id, { agent: agentId, parent: above ?? null, expiresAt, ended: false });
  scopes.set(`key:${id}`, scopeOfKey(path.length + 1, id));
  put(tree, `key:${id}`, wanted, now);
  return id;
};

const mint = async (life: Life, step: Of<'mint'>): Promise<void> => {
  const agentId = agentAt(life, step.agent);
  const now = timeOf(life);
  const live = keysOf(life, agentId).filter((id) => !hasEnded(life.tree, id, now));
  const above = step.isOwners ? undefined : pick([undefined, ...live], step.parent);
  await mintUnder(life, agentId, above, step);
};

const endKey = async (life: Life, { key }: Of<'end key'>): Promise<void> => {
  const { tree } = life;
  const id = pick([...tree.keys.keys()], key);
  if (id === undefined) return;
  const agentId = tree.keys.get(id)?.agent ?? '';
  await done(life, 'endDelegatedKey', { params: { agentId, delegatedKeyId: id } });
  acts.endKeys(tree, acts.withDescendants(tree, id));
};

const delegation = async (life: Life, { agent: at, allowed }: Of<'delegation'>): Promise<void> => {
  const { tree } = life;
  const agentId = agentAt(life, at);
  const now = timeOf(life);
  await done(life, 'setDelegation', { params: { agentId }, body: { allowed } });
  Object.assign(tree.agents.get(agentId) ?? {}, { mayDelegate: allowed });
  if (!allowed)
    acts.endKeys(
      tree,
      keysOf(life, agentId).filter((id) => !hasEnded(tree, id, now)),
    );
};

const joinGroup = async (life: Life, { agent: at, group }: Of<'join'>): Promise<void> => {
  const { tree, treasury } = life;
  const agentId = agentAt(life, at);
  const groupId = groupAt(life, group);
  const expected = groupId !== null && tree.stoppedGroups.has(groupId) ? 'throws conflict' : 'done';
  const { verdict } = await real.call(treasury, 'setAgentGroup', { params: { agentId }, body: { groupId } });
  agree('an agent moved', verdict, expected);
  if (verdict !== 'done') return;
  Object.assign(tree.agents.get(agentId) ?? {}, { group: groupId });
  acts.endUnfit(tree, timeOf(life), (agent) => agent === agentId);
};

const restart = async (life: Life): Promise<void> => {
  await life.treasury.close();
  life.treasury = real.openReal(null, life.file, clockOf(life.clock));
};

const stopStep = async (
  life: Life,
  step: Of<'suspend' | 'resume' | 'stop group' | 'resume group' | 'freeze'>,
): Promise<void> => {
  const { tree } = life;
  const now = timeOf(life);
  if (step.do === 'freeze') {
    await done(life, step.unfreezes ? 'unfreeze' : 'freeze', { body: { reason: 'a test' } });
    if (step.unfreezes) tree.frozen = false;
    else acts.freeze(tree, now);
  } else if (step.do === 'suspend' || step.do === 'resume') {
    const agentId = agentAt(life, step.agent);
    await done(life, step.do === 'suspend' ? 'kill' : 'resume', { params: { agentId } });
    if (step.do === 'suspend') acts.suspend(tree, agentId, now);
    else Object.assign(tree.agents.get(agentId) ?? {}, { suspended: false, stoppedWith: null });
  } else {
    const groupId = pick(groupsOf(life), step.group) ?? '';
    await done(life, step.do === 'stop group' ? 'stopGroup' : 'resumeGroup', { params: { groupId } });
    if (step.do === 'stop group') acts.stopGroup(tree, groupId, now);
    else acts.resumeGroup(tree, groupId);
  }
};

const take = async (life: Life, step: Step): Promise<void> => {
  const { tree, treasury, clock } = life;
  const { context } = treasury.engine;
  switch (step.do) {
    case 'pay':
      return pay(life, step);
    case 'refund':
      return refund(life, step);
    case 'grant': {
      const row = pick(acts.waiting(tree), step.row);
      if (row === undefined) return;
      const now = timeOf(life);
      const expected = acts.grant(tree, row, now);
      const told = real.grant(treasury, rowOf(life, row));
      note(life, `granted: ${told}`);
      agree('at the grant', told, expected);
      if (told === 'reserved') checkBudgets(life, row, now);
      return;
    }
    case 'sign': {
      const row = pick(
        tree.rows.filter(({ state }) => state === 'reserved'),
        step.row,
      );
      return row === undefined ? undefined : sign(life, row, step.isUp);
    }
    case 'see': {
      const row = pick(
        tree.rows.filter((one) => isOpen(one) && one.state !== 'reserved'),
        step.row,
      );
      return row === undefined ? undefined : see(life, row, step.sight, step.lag);
    }
    case 'edit':
      return edit(life, step);
    case 'zone':
      await done(life, 'setTimeZone', { body: { timeZone: step.zone } });
      tree.zone = step.zone;
      return acts.endUnfit(tree, timeOf(life), () => true);
    case 'join':
      return joinGroup(life, step);
    case 'mint':
      return mint(life, step);
    case 'end key':
      return endKey(life, step);
    case 'delegation':
      return delegation(life, step);
    case 'late':
      acts.endLate(tree, timeOf(life));
      return endDueApprovals(context);
    case 'wait':
      clock.truth += step.ms;
      return;
    case 'jump':
      clock.offset = step.ms;
      return;
    case 'set right':
      clock.offset = 0;
      return context.time.trust();
    case 'restart':
      return restart(life);
    case 'look':
      return context.store.atomically(() => compare(life));
    default:
      return stopStep(life, step);
  }
};

const clockOf = (clock: Life['clock']) => {
  const { truth: begin } = clock;
  return { wall: () => clock.truth + clock.offset, monotonic: () => clock.truth - begin };
};

const plantTree = async (life: Life, { zone, treasury, groups, agents }: TreeWish): Promise<void> => {
  const { tree, scopes } = life;
  const now = timeOf(life);
  await done(life, 'setTimeZone', { body: { timeZone: zone } });
  for (const [at, wish] of groups.entries()) {
    const limits = limitsOf(wish, now);
    const reply = await done(life, 'createGroup', { body: { name: `group ${at}`, limits } });
    const id = String(reply['groupId']);
    scopes.set(`group:${id}`, scopeOfGroup(id));
    put(tree, `group:${id}`, limits, now);
  }
  scopes.set('treasury', scopeOfAll);
  const body = limitsOf(treasury, now);
  await done(life, 'setTreasuryLimits', { body });
  put(tree, 'treasury', body, now);
  for (const [at, { group, policy, chain }] of agents.entries()) {
    const agentId = real.agentIds[at] ?? '';
    const open = { suspended: false, stoppedWith: null, mayDelegate: true };
    tree.agents.set(agentId, { ...open, group: null, approveAbove: null, approvalMinutes: 15 });
    scopes.set(`agent:${agentId}`, agentId);
    await done(life, 'setDelegation', { params: { agentId }, body: { allowed: true } });
    await editAgent(life, agentId, policy);
    const groupId = groupAt(life, group);
    await done(life, 'setAgentGroup', { params: { agentId }, body: { groupId } });
    Object.assign(tree.agents.get(agentId) ?? {}, { group: groupId });
    let above: string | undefined;
    for (const limits of chain)
      above = await mintUnder(life, agentId, above, { isOwners: false, limits, lives: longestKeyMs });
  }
};

/** @throws an Error that names the first difference */
export const live = async (
  { folder, template, tally }: { folder: string; template: string; tally: Tally },
  wish: TreeWish,
  steps: readonly Step[],
): Promise<void> => {
  const clock = { truth: wish.moment - wish.before, offset: 0 };
  const file = join(folder, 'life.db');
  const tree: Tree = {
    zone: wish.zone,
    frozen: false,
    doubt: false,
    nodes: new Map(),
    agents: new Map(),
    stoppedGroups: new Set(),
    keys: new Map(),
    rows: [],
  };
  const treasury = real.openReal(template, file, clockOf(clock));
  const life: Life = { tree, treasury, clock, file, tally, scopes: new Map(), ids: new Map(), slot: 0 };
  try {
    await plantTree(life, wish);
    for (const [at, step] of steps.entries()) {
      tally.operations += 1;
      const { time } = life.treasury.engine.context;
      time.now();
      tree.doubt = time.doubt() !== null;
      try {
        await take(life, step);
        compare(life);
      } catch (error) {
        const said = error instanceof Error ? error.message : String(error);
        throw new Error(`step ${at + 1}, ${step.do}: ${said}`, { cause: error });
      }
    }
  } finally {
    await life.treasury.close();
  }
};
