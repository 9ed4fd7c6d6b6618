// The reference for requests to language models: each row is judged in the transaction that makes or ends it, and its amount
// by what the supplier truly billed. It knows the prices by itself, and reads no arithmetic of the product.
import type { ModelRequest } from '../../../server/engine/ports.ts';
import { modelPrices } from '../keys.ts';
import type { ModelWish, Truth } from '../suppliers.ts';
import type { World } from '../world.ts';
import { everything, nodeOfGroup, type Reference, type Wish } from './reference.ts';

/** What a request truly cost, to the unit. */
const costOf = ({ model }: ModelWish, { ran, input, cached, output }: Truth): bigint => {
  const price = modelPrices[model];
  const [plain, kept, made] = [input - cached, cached, output].map(BigInt) as [bigint, bigint, bigint];
  const priced = plain * price.input + kept * price.cachedInput + made * price.output;
  return ran ? (priced + 999_999n) / 1_000_000n : 0n;
};

/** `billed` by suppliers, and `counted` by the treasury, are in micro-USDC. */
const counted = [
  'asked',
  'sent',
  'exact',
  'estimated',
  'unknown',
  'released',
  'denied',
  'billed',
  'counted',
] as const;
export type ModelCounts = Record<(typeof counted)[number], number>;
export const noModelCounts = (): ModelCounts =>
  Object.fromEntries(counted.map((name) => [name, 0])) as ModelCounts;

interface KnownRequest {
  n: number;
  wish: Wish;
  row: ModelRequest;
  /** Its end is on the disk. */
  isDurable: boolean;
  /** The process died before that. */
  hasDied: boolean;
}

export type ModelJudge = ReturnType<typeof createModelJudge>;

export const createModelJudge = (world: () => World, reference: Reference, find: (text: string) => void) => {
  const known = new Map<string, KnownRequest>();
  const idOf = new Map<number, string>();
  const answered = new Set<number>();
  const counts = noModelCounts();
  let wasDead = false;
  const truthOf = (n: number) => world().suppliers.truths.get(n);
  const wishOf = (n: number) => world().suppliers.wishes.get(n) as ModelWish;

  /** Cooldowns are of payments alone; above `approveAbove` it is refused, since it does not wait. */
  const verdictOf = (wish: Wish): string => {
    const verdict = reference.decide(wish, world().time.now(), true);
    const most = reference.rules.get(wish.agentId)?.approveAbove ?? wish.amount;
    return verdict === 'allow' && wish.amount > most ? 'approval_needed' : verdict;
  };
  const checkMay = (wish: Wish, what: string): void => {
    const isEnded = reference.hasEnded(wish.keyId, world().time.now());
    const verdict = isEnded ? 'key_ended' : (reference.stopped(wish.agentId) ?? verdictOf(wish));
    if (verdict !== 'allow') find(`4, 8: ${what} although ${verdict}`);
  };

  const made = (row: ModelRequest, n: number): void => {
    const { id, agentId, bound, keyPath, groupId, serviceId, refusal } = row;
    const wish = { agentId, keyId: wishOf(n).keyId, service: serviceId, amount: bound };
    if (refusal !== null) {
      counts.denied += 1;
      const verdict = verdictOf(wish);
      // A host that slept finds the request and its approval at their ends in one moment; and the key that asked the owner
      // for all may end.
      const approval = world().store().approvals.get(String(refusal.details['approvalId']));
      const isOver = ['expired', 'cancelled'].some(
        (end) => refusal.code === `approval_${end}` && approval?.status === end,
      );
      if (verdict !== (isOver ? 'approval_needed' : refusal.code))
        find(`4: request ${n} of ${bound}: ${refusal.code}, expected ${verdict}`);
      return;
    }
    checkMay(wish, `request ${n} of ${bound} was held`);
    const path = reference.path(wish);
    const keys = keyPath.map((key, level) => `key${level + 1}:${key}`).toReversed();
    const groups = groupId === null ? [] : [nodeOfGroup(groupId)];
    const charged = [...keys, agentId, ...groups, everything].join();
    if (charged !== path.join()) find(`4: request ${n} is charged to ${charged}`);
    const countsFrom = world().time.now();
    reference.reservations.set(id, { path, amount: bound, state: 'open', countsFrom });
    known.set(id, { n, wish, row, isDurable: false, hasDied: false });
    idOf.set(n, id);
  };

  const ended = (row: ModelRequest, one: KnownRequest): void => {
    const held = reference.reservations.get(row.id);
    if (one.isDurable || held === undefined) return find(`5: request ${one.n} ended again`);
    one.row = row;
    held.state = row.state === 'settled' ? 'final' : 'released';
    held.amount = row.amount ?? 0n;
  };

  const judgeEnd = ({ n, row, hasDied }: KnownRequest): void => {
    const { bound, amount, mark, state } = row;
    const truth = truthOf(n);
    const cost = truth === undefined ? 0n : costOf(wishOf(n), truth);
    const what = `request ${n} (${wishOf(n).manner}) counts ${amount} (${mark}), billed ${cost}, bound ${bound}`;
    const isKnown = truth?.told === true && answered.has(n) && !hasDied;
    if (cost > bound) find(`4: ${what}: the bound is none`);
    if (cost > (amount ?? 0n) || (amount ?? 0n) > bound) find(`4: ${what}`);
    if (mark === 'exact' ? amount !== cost : isKnown) find(`4: ${what}: it is not exact`);
    if (mark === 'unknown' && amount !== bound) find(`6: ${what}: it is not the bound`);
    if (state === 'settled' && mark !== null) counts[mark] += 1;
    else counts.released += 1;
    counts.billed += Number(cost);
    counts.counted += Number(amount ?? 0n);
  };

  const lookAtStart = (): void => {
    for (const [id, { n }] of known) {
      if (world().store().modelRequests.get(id) !== undefined) continue;
      if (truthOf(n) !== undefined) find(`2: request ${n} left, and a death took back its row`);
      reference.reservations.delete(id);
      known.delete(id);
    }
    noneHeld('after a start');
  };
  const noneHeld = (when: string): void => {
    for (const { id } of world().store().modelRequests.held()) find(`6: request ${id} is held ${when}`);
  };

  return {
    counts,
    /** Call it in the transaction in which a row is made or ends. @param n the request's number, where it is known */
    onRow(row: ModelRequest, n: number | undefined): void {
      const one = known.get(row.id);
      if (one !== undefined) ended(row, one);
      else if (n === undefined) find(`1: request ${row.id} belongs to nobody`);
      else made(row, n);
    },
    /** Call it in the turn in which a request leaves. */
    onSent(n: number): void {
      counts.sent += 1;
      const id = idOf.get(n) ?? '';
      const [one, own] = [known.get(id), reference.reservations.get(id)];
      if (one === undefined || own?.state !== 'open') return find(`2: request ${n} left and is not held`);
      if (truthOf(n)?.left !== 1) find(`3: request ${n} left twice`);
      if (world().requestsOnDisk(id) !== 1) find(`2: request ${n} left before it was on the disk`);
      own.state = 'released';
      checkMay(one.wish, `request ${n} left`);
      own.state = 'open';
    },
    onAnswered: (n: number) => void answered.add(n),
    onDeath(): void {
      wasDead = true;
      for (const one of known.values()) one.hasDied ||= !one.isDurable;
    },
    look(flushed: boolean): void {
      if (wasDead) lookAtStart();
      wasDead = false;
      for (const [id, one] of known) {
        if (one.isDurable) continue;
        const { row, n, wish } = one;
        const now = world().store().modelRequests.get(id);
        if (now?.state !== row.state || now.amount !== row.amount) find(`7: request ${n} is not as it was`);
        const isEnded = reference.keys.get(wish.keyId ?? '')?.isEnded === true;
        if (row.state === 'held' && (isEnded || reference.stopped(wish.agentId) !== null))
          find(`8: request ${n} goes on after a stop`);
        if (row.state === 'held' || !flushed) continue;
        one.isDurable = true;
        judgeEnd(one);
      }
    },
    atEnd: () => noneHeld('although all has ended'),
  };
};
