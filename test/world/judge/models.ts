// The reference for requests to language models: each row as it is made and ends is compared with the limits, and its amount
// with what the supplier truly billed. It knows the prices by itself, and reads no arithmetic of the product.
import type { ModelRequest } from '../../../server/engine/ports.ts';
import type { ModelWish, Suppliers, Truth } from '../suppliers.ts';
import type { World } from '../world.ts';
import { modelPrices } from '../keys.ts';
import type { Notes } from './notes.ts';
import { everything, nodeOfGroup, type Wish } from './reference.ts';

/** What a request truly cost, to the unit. */
const costOf = ({ model, ran, input, cached, output }: Truth): bigint => {
  if (!ran) return 0n;
  const price = modelPrices[model];
  const priced =
    BigInt(input - cached) * price.input + BigInt(cached) * price.cachedInput + BigInt(output) * price.output;
  return (priced + 999_999n) / 1_000_000n;
};

/** The sums of one life. */
export interface ModelCounts {
  asked: number;
  sent: number;
  exact: number;
  estimated: number;
  unknown: number;
  released: number;
  denied: number;
  /** What suppliers billed, and what the treasury counted: micro-USDC. */
  billed: number;
  counted: number;
}
export const noModelCounts = (): ModelCounts => ({
  asked: 0,
  sent: 0,
  exact: 0,
  estimated: 0,
  unknown: 0,
  released: 0,
  denied: 0,
  billed: 0,
  counted: 0,
});

interface KnownRequest {
  n: number;
  wish: Wish;
  row: ModelRequest;
  /** Its end is on the disk. */
  isDurable: boolean;
  /** The process died before its end was on the disk. */
  hasDied: boolean;
}

export interface ModelJudge {
  counts: ModelCounts;
  /** Call it in the transaction in which a row is made or ends. */
  onRow(row: ModelRequest, n: number | undefined): void;
  /** Call it in the turn in which a request leaves. */
  onSent(n: number): void;
  /** Its client got the whole answer. */
  onAnswered(n: number): void;
  /** The process has died; it looks next at what the next one made of it. */
  died(): void;
  look(flushed: boolean): void;
  atEnd(): void;
}

export const createModelJudge = (
  { world, reference, find }: Pick<Notes, 'reference' | 'find'> & { world: () => World },
  suppliers: () => Suppliers,
): ModelJudge => {
  const known = new Map<string, KnownRequest>();
  const byNumber = new Map<number, string>();
  const answered = new Set<number>();
  const counts = noModelCounts();
  let wasDead = false;

  /** Cooldowns are of payments alone; above `approveAbove` it is refused, since it does not wait. */
  const verdictOf = (wish: Wish, now: number): string => {
    const verdict = reference.decide(wish, now, true);
    const { approveAbove } = reference.rules.get(wish.agentId) ?? { approveAbove: null };
    if (verdict !== 'allow') return verdict;
    return approveAbove !== null && wish.amount > approveAbove ? 'approval_needed' : 'allow';
  };
  const faultOf = (wish: Wish): string | null => {
    const now = world().time.now();
    if (reference.hasEnded(wish.keyId, now)) return 'its key has ended';
    const verdict = reference.stopped(wish.agentId) ?? verdictOf(wish, now);
    return verdict === 'allow' ? null : verdict;
  };

  const made = (row: ModelRequest, n: number): void => {
    const { id, agentId, bound, keyPath, groupId, serviceId, refusal } = row;
    const wished = suppliers().wishes.get(n) as ModelWish;
    const wish = { agentId, keyId: wished.keyId, service: serviceId, amount: bound };
    const now = world().time.now();
    if (refusal !== null) {
      counts.denied += 1;
      const verdict = verdictOf(wish, now);
      if (verdict !== refusal.code) find(`4: request ${n} of ${bound}: ${refusal.code}, expected ${verdict}`);
      return;
    }
    const fault = faultOf(wish);
    if (fault !== null) find(`4: request ${n} of ${bound} was held although ${fault}`);
    const path = reference.path(wish);
    const charged = [
      ...keyPath.map((key, level) => `key${level + 1}:${key}`).toReversed(),
      agentId,
      ...(groupId === null ? [] : [nodeOfGroup(groupId)]),
      everything,
    ];
    if (charged.join() !== path.join()) find(`4: request ${n} is charged to ${charged.join()}`);
    reference.reservations.set(id, { path, amount: bound, state: 'open', countsFrom: now });
    known.set(id, { n, wish, row, isDurable: false, hasDied: false });
    byNumber.set(n, id);
  };

  const ended = (row: ModelRequest): void => {
    const { id, state, amount } = row;
    const one = known.get(id);
    const held = reference.reservations.get(id);
    if (one === undefined || held === undefined) return find(`1: request ${id} ended and was never made`);
    if (one.isDurable) find(`5: request ${one.n} was ${one.row.state} on the disk, and ended again`);
    one.row = row;
    const end = state === 'settled' ? 'final' : 'released';
    reference.reservations.set(id, { ...held, state: end, amount: amount ?? 0n });
  };

  /** What was counted, against the truth. */
  const judgeAmount = ({ n, row, hasDied }: KnownRequest): void => {
    const { bound, amount, mark, state } = row;
    const truth = suppliers().truths.get(n);
    const cost = truth === undefined ? 0n : costOf(truth);
    const what = `request ${n} (${suppliers().wishes.get(n)?.manner}) counts ${String(amount)} (${String(mark)}), billed ${cost}, bound ${bound}`;
    if (cost > bound) find(`4: ${what}: the bound is none`);
    if (state === 'released' && cost > 0n) find(`6: ${what}: it was released`);
    if (state === 'released' || amount === null) return;
    if (mark === 'exact' ? amount !== cost : amount < cost || amount > bound) find(`4: ${what}`);
    if (mark === 'unknown' && amount !== bound) find(`6: ${what}: it is not the bound`);
    if (truth?.told === true && answered.has(n) && mark !== 'exact' && !hasDied)
      find(`4: ${what}: its usage is known`);
  };

  const lookAtStart = (): void => {
    const { modelRequests } = world().store();
    for (const [id, { n }] of known) {
      if (modelRequests.get(id) !== undefined) continue;
      if (suppliers().truths.has(n)) find(`2: request ${n} left, and a death took back its row`);
      reference.reservations.delete(id);
      known.delete(id);
    }
    for (const { id } of modelRequests.held()) find(`6: request ${id} is still held after a start`);
  };

  return {
    counts,
    onRow(row, n) {
      if (known.has(row.id)) ended(row);
      else if (n === undefined) find(`1: request ${row.id} belongs to nobody`);
      else made(row, n);
    },

    onSent(n) {
      counts.sent += 1;
      const one = known.get(byNumber.get(n) ?? '');
      if (one === undefined) return find(`2: request ${n} left without a row`);
      const { id } = one.row;
      if (suppliers().truths.get(n)?.left !== 1) find(`3: request ${n} left twice`);
      if (world().requestsOnDisk(id) !== 1) find(`2: request ${n} left before it was on the disk`);
      const own = reference.reservations.get(id);
      if (own?.state !== 'open') return find(`6: request ${n} left although it is ${String(own?.state)}`);
      own.state = 'released';
      const fault = faultOf(one.wish);
      own.state = 'open';
      if (fault !== null) find(`8: request ${n} left although ${fault}`);
    },

    onAnswered: (n) => void answered.add(n),

    died() {
      wasDead = true;
      for (const one of known.values()) one.hasDied ||= !one.isDurable;
    },

    look(flushed) {
      const { modelRequests } = world().store();
      if (wasDead) lookAtStart();
      wasDead = false;
      for (const [id, one] of known) {
        if (one.isDurable) continue;
        const { row, n, wish } = one;
        const now = modelRequests.get(id);
        if (now?.state !== row.state || now.amount !== row.amount) find(`7: request ${n} is not as it was`);
        const isStopped =
          reference.stopped(wish.agentId) !== null || reference.keys.get(wish.keyId ?? '')?.isEnded === true;
        if (row.state === 'held' && isStopped) find(`8: request ${n} goes on after a stop`);
        if (row.state === 'held' || !flushed) continue;
        one.isDurable = true;
        judgeAmount(one);
        const mark = row.state === 'settled' ? row.mark : 'released';
        if (mark !== null && row.state !== 'denied') counts[mark as 'exact' | 'released'] += 1;
        const truth = suppliers().truths.get(n);
        counts.billed += truth === undefined ? 0 : Number(costOf(truth));
        counts.counted += Number(row.amount ?? 0n);
      }
    },

    atEnd() {
      for (const { id } of world().store().modelRequests.held())
        find(`6: request ${id} is held although all has ended`);
      const left = [...known.values()].filter(({ isDurable }) => !isDurable).length;
      if (left > 0) find(`6: ${left} requests were never judged`);
    },
  };
};
