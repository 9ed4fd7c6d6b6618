// Gate 1, continued: payments over HTTP on paths of six nodes, three delegated keys, an agent, its group and all agents,
// while the host is killed. In each round the budget of one level binds; in the last one that of any.
import { formatUsdc, usdc } from '../../../../server/money.ts';
import type { Transfer } from '../../../../server/engine/ports.ts';
import { txSignatureOf } from '../../../../server/engine/payment/machine/tx-signature.ts';
import type { Answer, Client } from '../../../harness/http-client.ts';
import { until } from '../../../harness/treasury.ts';
import { between, inParallel, shuffled, type Sheet } from '../gate.ts';
import { buy, newPurchase, planKills, type Kills, type Payer } from './persistent-buyer.ts';
import { createWorld, deployIn, fund, settle, sockets, type Life, type World } from '../world.ts';

const levels = ['treasury', 'group', 'agent', 'key 1', 'key 2', 'key 3'] as const;
type Level = (typeof levels)[number];

/** The children of each node below the group, and the payments of each key at the end of a path. */
interface Size {
  fan: Record<'agent' | 'key 1' | 'key 2' | 'key 3', number>;
  payments: number;
  kills: number;
}
const sizes = {
  short: { fan: { agent: 2, 'key 1': 1, 'key 2': 2, 'key 3': 2 }, payments: 20, kills: 3 },
  full: { fan: { agent: 2, 'key 1': 2, 'key 2': 2, 'key 3': 2 }, payments: 90, kills: 20 },
} as const satisfies Record<string, Size>;

interface Node {
  level: Level;
  id: string;
  budget: bigint;
}
/** A key at the end of a path, with the six nodes. */
interface Leaf {
  payer: Payer;
  path: readonly Node[];
}

/** One level binds, with payments of one amount that divides no budget; or any may, with payments of any amount. */
interface Round {
  name: string;
  binding: Level | null;
  amount: () => bigint;
  budget: (level: Level) => bigint;
}

/** The least part of what is asked for that a budget may be where any of them may bind. */
const leasts = { treasury: 0.4, group: 0.4, agent: 0.4, 'key 1': 0.5, 'key 2': 0.5, 'key 3': 0.6 };

const show = (units: bigint): string => formatUsdc(usdc(units));

/** The keys at the ends of paths under a node of this level. */
const leavesUnder = ({ fan }: Size, level: Level): number =>
  (['agent', 'key 1', 'key 2', 'key 3'] as const)
    .filter((below) => levels.indexOf(below) > levels.indexOf(level))
    .reduce((leaves, below) => leaves * fan[below], 1);

const roundOf = ({ dice }: Sheet, size: Size, binding: Level | null, n: number): Round => {
  const one = BigInt(between(dice, 301, 9_999));
  const rest = (): bigint => BigInt(between(dice, 1, Number(one) - 1));
  const asked = (level: Level): number => leavesUnder(size, level) * size.payments;
  const part = (level: Level, most: number): bigint => BigInt(Math.floor(asked(level) * most));
  return {
    name: `round-${n}`,
    binding,
    amount: binding === null ? () => BigInt(between(dice, 301, 9_999)) : () => one,
    budget: (level) => {
      if (binding === null) return 5_150n * part(level, leasts[level] + dice.roll() / 2) + rest();
      return one * part(level, level === binding ? 0.6 : 2) + rest();
    },
  };
};

const done = async (by: Client, path: string, body: object): Promise<Answer['body']> => {
  const answer = await by.post(`/v1/${path}`, body);
  if (answer.status !== 200) throw new Error(answer.text);
  return answer.body;
};

/** No key may end after the one above it: all of them end together. */
const expiresAt = new Date(Date.now() + 86_400_000).toISOString();

/** A key under this one, in turn with the keys below it. */
const mint = async (
  { by, agentId, above }: { by: Client; agentId: string; above: readonly Node[] },
  { life, size, round }: { life: Life; size: Size; round: Round },
): Promise<Leaf[]> => {
  const level = levels[above.length];
  if (level === undefined || level === 'treasury' || level === 'group' || level === 'agent') return [];
  const leaves: Leaf[] = [];
  for (let n = 0; n < size.fan[level]; n += 1) {
    const budget = round.budget(level);
    // Both kinds of sums: of a day, and in all.
    const field = level === 'key 2' ? 'dailyBudget' : 'totalBudget';
    const wanted = { label: `${level} ${n}`, expiresAt, [field]: show(budget) };
    const { keyId, apiKey } = await done(by, `agents/${agentId}/delegated-keys`, wanted);
    const key = String(apiKey);
    const path = [...above, { level, id: String(keyId), budget }];
    if (level === 'key 3') leaves.push({ payer: { agentId, key }, path });
    else leaves.push(...(await mint({ by: life.as(key), agentId, above: path }, { life, size, round })));
  }
  return leaves;
};

/** A tree of its own for each round. The treasury's total begins anew. */
const plant = async (world: World, size: Size, round: Round): Promise<Leaf[]> => {
  const life = await world.life();
  const node = (level: Level, id: string): Node => ({ level, id, budget: round.budget(level) });
  const all = node('treasury', '');
  await until('the round before to be final', async () => {
    await done(life.client, 'treasury/limits', { totalBudget: null });
    const { used } = await done(life.client, 'treasury/limits', { totalBudget: show(all.budget) });
    return used.budgets[0].used === '0.00';
  });
  const { groupId } = await done(life.client, 'groups', { name: round.name });
  const group = node('group', String(groupId));
  await done(life.client, `groups/${group.id}/limits`, { weeklyBudget: show(group.budget) });
  const leaves: Leaf[] = [];
  for (let n = 0; n < size.fan.agent; n += 1) {
    const agentId = `${round.name}-agent-${n}`;
    const own = node('agent', agentId);
    const agent = await deployIn(life, agentId, {
      dailyBudget: show(own.budget),
      maxPerPayment: '1',
      allocate: '10',
    });
    await done(life.client, `agents/${agentId}/group`, { groupId: group.id });
    await done(life.client, `agents/${agentId}/delegation`, { allowed: true });
    const above = [all, group, own];
    leaves.push(...(await mint({ by: agent.client, agentId, above }, { life, size, round })));
  }
  return leaves;
};

interface Heard {
  paid: number;
  /** Refusals by the kind of node that refused. */
  refused: Map<string, number>;
  odd: string[];
}

const kindOf = (level: Level): string => (level.startsWith('key') ? 'key' : level);

const payAll = async (
  { dice }: Sheet,
  { world, kills, size }: { world: World; kills: Kills; size: Size },
  { leaves, round }: { leaves: readonly Leaf[]; round: Round },
): Promise<Heard> => {
  const heard: Heard = { paid: 0, refused: new Map(), odd: [] };
  const jobs = shuffled(
    dice,
    leaves.flatMap((leaf, at) =>
      Array.from({ length: size.payments }, (_, n) => ({ leaf, name: `${at}-${n}`, amount: round.amount() })),
    ),
  );
  await inParallel(sockets, jobs, async ({ leaf, name, amount }) => {
    kills.count();
    const { status, body, text } = await buy(world, leaf.payer, newPurchase(name), { amount: show(amount) });
    if (status === 200) heard.paid += 1;
    else if (status !== 402) heard.odd.push(`${round.name}: ${status} ${text}`);
    else {
      // The paying key itself is not named to it.
      const kind = String(body['details']?.node?.kind ?? 'key');
      heard.refused.set(kind, (heard.refused.get(kind) ?? 0) + 1);
      if (round.binding !== null && kind !== kindOf(round.binding))
        heard.odd.push(`${round.name}: refused by ${kind}, not by ${round.binding}: ${text}`);
    }
  });
  return heard;
};

/** The rows that a node was charged with. */
const chargedTo = (rows: readonly Transfer[], { level, id }: Node): readonly Transfer[] => {
  if (level === 'treasury') return rows;
  if (level === 'group') return rows.filter(({ groupId }) => groupId === id);
  if (level === 'agent') return rows.filter(({ agentId }) => agentId === id);
  return rows.filter(({ keyPath }) => keyPath[levels.indexOf(level) - 3] === id);
};

const nodesOf = (leaves: readonly Leaf[]): Node[] => [
  ...new Map(leaves.flatMap(({ path }) => path.map((node) => [node.id, node] as const))).values(),
];

/** Budgets exceeded by rows of the round, and, where one level binds, those that more would have fitted in. */
const wrongIn = (round: Round, leaves: readonly Leaf[], rows: readonly Transfer[]): string[] => {
  const agents = new Set(leaves.map(({ payer }) => payer.agentId));
  const own = rows.filter(({ agentId }) => agentId !== null && agents.has(agentId));
  return nodesOf(leaves).flatMap((node) => {
    const spent = chargedTo(own, node).reduce((sum, { amount }) => sum + amount, 0n);
    const where = `${round.name}, ${node.level} ${node.id}: ${show(spent)} of ${show(node.budget)}`;
    if (spent > node.budget) return [`${where} is over`];
    const isShort = node.level === round.binding && node.budget - spent >= round.amount();
    return isShort ? [`${where} leaves room for another`] : [];
  });
};

const totalOf = (all: readonly number[]): number => all.reduce((sum, one) => sum + one, 0);

export const nestedKills = async (sheet: Sheet): Promise<void> => {
  const { short, stage, say, exactly, none, tell } = sheet;
  const size: Size = short ? sizes.short : sizes.full;
  const bindings = [...levels, null];
  const requests = bindings.length * leavesUnder(size, 'group') * size.payments;
  const world = await createWorld(stage, { sandboxArgs: ['--confirm-ms', '40', '--finalize-ms', '400'] });
  await fund(await world.life(), '500');
  const kills = planKills(sheet, world, { requests, kills: size.kills });
  const rounds = [];
  for (const [n, binding] of bindings.entries()) {
    const round = roundOf(sheet, size, binding, n);
    const leaves = await plant(world, size, round);
    const heard = await payAll(sheet, { world, kills, size }, { leaves, round });
    const killed = await kills.done();
    rounds.push({ round, leaves, heard });
    say(`${round.name}, ${binding ?? 'any'} binds: ${heard.paid} paid after ${killed} kills`);
  }
  const killed = await kills.done();
  const { faults, rows } = await settle(world);
  const paid = rows.filter(({ kind, state }) => kind === 'payment' && state === 'final');
  const possible = rounds.map(({ round, leaves }) =>
    nodesOf(leaves)
      .filter(({ level }) => level === round.binding)
      .reduce((sum, { budget }) => sum + Number(budget / round.amount()), 0),
  );
  const admitted = rounds.map(({ heard }) => heard.paid);
  exactly('payments asked for on paths of six nodes', kills.begun(), requests);
  exactly('SIGKILLs of the host, in between', killed, size.kills);
  none(
    'budgets exceeded at any node, or not used up where one binds',
    rounds.flatMap(({ round, leaves }) => wrongIn(round, leaves, paid)),
  );
  for (const [n, { round }] of rounds.entries())
    if (round.binding === null) tell('admitted where any level may bind', admitted[n] ?? 0);
    else exactly(`admitted where ${round.binding} binds`, admitted[n] ?? 0, possible[n] ?? 0);
  exactly('paid on the chain', new Set(paid.map((row) => txSignatureOf(row))).size, totalOf(admitted));
  none(
    'answers for another reason',
    rounds.flatMap(({ heard }) => heard.odd),
  );
  none('differences between treasury and chain, under trees', faults);
  const last = rounds.at(-1)?.heard.refused ?? new Map<string, number>();
  for (const [kind, times] of last) tell(`refused by ${kind} where any level may bind`, times);
};
