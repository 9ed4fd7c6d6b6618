// Compares, after every step, the rows of the treasury with the reference and with what really happened on the chain:
// the eight invariants of server/engine/payment.ts, each finding with its number.
import { verifyJournal } from '../../../server/engine/audit.ts';
import type { Transfer, TransferState } from '../../../server/engine/ports.ts';
import { tokenAccountAddress } from '../../../server/solana/message.ts';
import { addresses, agentIds, mint, opening, payeeOf } from './keys.ts';
import type { Reference, Wish } from './reference.ts';
import type { Landed, Tx } from './true-chain.ts';
import type { World } from './world.ts';

type State = TransferState;
/** Lamports: two signatures. */
const fee = 10_000n;
const released: readonly State[] = ['denied', 'cancelled', 'dead', 'failed'];
const ended: readonly State[] = [...released, 'final'];
const afterSigning: readonly State[] = ['sent', 'seen', 'unknown', 'final', 'failed', 'dead'];
/** Where a state may lead within a step, by the states' meaning. */
const leadsTo = (from: State, to: State): boolean => {
  if (from === to) return true;
  if (ended.includes(from)) return false;
  if (from === 'awaiting_approval') return true;
  if (from === 'reserved') return to === 'signed' || to === 'cancelled' || afterSigning.includes(to);
  return afterSigning.includes(to);
};

export interface Ask extends Wish {
  key: string;
}
interface Bound extends Ask {
  id: string;
}
interface Known {
  ask: Ask;
  state: State;
  /** What is at least on the disk. */
  durable: State;
  signature: string | null;
  held: { approvalId: string; expiresAt: number; version: number } | null;
  lastValidHeight: number;
}
interface Decision extends Wish {
  id: string;
  at: number;
  budget: bigint;
}

/** What the owner did in this step, as far as it explains what happened to rows. */
export interface Doings {
  asks: Ask[];
  denied: Set<string>;
  granted: Set<string>;
  stops: Set<string>;
  policies: Set<string>;
  /** The most approvals of each agent that waited at the same time. */
  waiting: Map<string, number>;
}
const nothing = (): Doings => ({
  asks: [],
  denied: new Set(),
  granted: new Set(),
  stops: new Set(),
  policies: new Set(),
  waiting: new Map(),
});

export interface Judge {
  findings: string[];
  doings: Doings;
  keys: Map<string, Bound>;
  /** Every approval there ever was, in order. */
  approvals: string[];
  find(text: string): void;
  approvalOf(id: string): { known: Known; id: string } | undefined;
  pending(agentId: string): number;
  /** Its end is on the disk. */
  isOver(id: string): boolean;
  wasFreed(id: string): boolean;
  onWire(tx: Tx): void;
  onSigning(id: string): void;
  onLanded(tx: Landed): void;
  /** Rows as they are now; `flushed`: nothing waits for its commit. */
  look(flushed?: boolean): void;
  /** The freeze or suspension is committed: what was not sent is never sent. */
  stopped(agentId: string | null): void;
  /** The step is over: what it explained is explained. */
  close(): void;
  /** At the end of a life, when everything has come to its end. */
  atEnd(): void;
  counts: { payments: number; landed: number };
}

export const createJudge = (world: () => World, reference: Reference): Judge => {
  const findings: string[] = [];
  const known = new Map<string, Known>();
  const keys = new Map<string, Bound>();
  const decisions: Decision[] = [];
  const wires = new Map<string, string>();
  const looked = new Set<string>();
  const never = new Set<string>();
  const approvals: string[] = [];
  let lastSeq = 0;
  const find = (text: string): void => {
    if (findings.length < 8) findings.push(text);
  };

  const judgeNew = (row: Transfer): void => {
    const { id, createdAt: now } = row;
    const ask = judge.doings.asks.find(
      ({ agentId, key, amount, service }) =>
        keys.get(`${agentId}/${key}`)?.id === id && amount === row.amount && service === row.serviceId,
    );
    if (ask === undefined && !isFreed(row)) find(`1: payment ${id} (${row.state}) belongs to no key`);
    const agentId = row.agentId ?? '';
    const wish: Ask = { agentId, service: row.serviceId ?? '', amount: row.amount, key: ask?.key ?? '' };
    if (row.payee !== payeeOf(wish.service)) find(`7: payment ${id} goes to ${row.payee}`);
    const stop = reference.stopped(agentId);
    if (stop !== null) find(`8: payment ${id} was decided although ${stop}`);
    if (now !== world().time.now())
      find(`4: payment ${id} was decided at ${now}, not at ${world().time.now()}`);
    const verdict = row.approvalId !== null ? 'hold' : row.reservedAt === null ? row.refusal?.code : 'allow';
    const expected = reference.decide(wish, now);
    if (verdict !== expected)
      find(
        `4: ${wish.amount} of ${agentId} for ${wish.service}: ${String(verdict)}, expected ${expected}; spent ${reference.spent(agentId, now)}`,
      );
    const approval = row.approvalId === null ? undefined : world().store().approvals.get(row.approvalId);
    known.set(id, {
      ask: wish,
      state: verdict === 'hold' ? 'awaiting_approval' : verdict === 'allow' ? 'reserved' : 'denied',
      durable: verdict === 'hold' ? 'awaiting_approval' : verdict === 'allow' ? 'reserved' : 'denied',
      signature: null,
      held:
        approval === undefined
          ? null
          : {
              approvalId: approval.id,
              expiresAt: now + (reference.rules.get(agentId)?.approvalMs ?? 0),
              version: reference.versions.get(agentId) ?? 1,
            },
      lastValidHeight: 0,
    });
    if (approval !== undefined) {
      approvals.push(approval.id);
      const heldNow = judge.pending(agentId);
      judge.doings.waiting.set(agentId, heldNow);
      if (heldNow > 3) find(`6: ${heldNow} approvals of ${agentId} wait`);
    }
    if (verdict === 'allow') reserved(id, wish, now);
  };

  const reserved = (id: string, wish: Wish, at: number): void => {
    reference.reserve(id, wish, at);
    decisions.push({ ...wish, id, at, budget: reference.rules.get(wish.agentId)?.dailyBudget ?? 0n });
  };

  const judgeMove = (row: Transfer, before: Known): void => {
    const { id, state } = row;
    if (row.amount !== before.ask.amount || row.serviceId !== before.ask.service)
      find(`1: payment ${id} is another one than was asked for`);
    if (!leadsTo(before.durable, state)) find(`5: payment ${id} went from ${before.durable} to ${state}`);
    if (before.held !== null && before.state === 'awaiting_approval' && state !== 'awaiting_approval')
      judgeWord(row, before, before.held);
    if (row.signed !== null) {
      const { signature, lifetime } = row.signed;
      if (before.signature !== null && before.signature !== signature)
        find(`3: payment ${id} was signed again`);
      before.signature = signature;
      before.lastValidHeight = lifetime.lastValidHeight;
    } else if (before.signature !== null) {
      find(`2: payment ${id} has lost its signature`);
    }
    if (state !== before.state) judgeEnd(row);
    before.state = state;
    const waitsForCommit = state === 'sent' || state === 'seen' || state === 'final';
    if (!waitsForCommit) before.durable = state;
    else if (before.durable === 'awaiting_approval' || before.durable === 'reserved')
      before.durable = 'signed';
    const reservation = reference.reservations.get(id);
    if (reservation === undefined) return;
    reservation.state = state === 'final' ? 'final' : released.includes(state) ? 'released' : 'open';
    if (state === 'final') reservation.countsFrom = Math.max(row.reservedAt ?? 0, row.blockTime ?? 0);
  };

  /** What waited for the owner waits no longer. */
  const judgeWord = (row: Transfer, before: Known, held: NonNullable<Known['held']>): void => {
    const { id, state, refusal } = row;
    const { doings } = judge;
    const now = world().time.now();
    const { agentId } = before.ask;
    const isGranted = doings.granted.has(held.approvalId);
    const sameVersion = (reference.versions.get(agentId) ?? 1) === held.version;
    if (state !== 'denied') {
      const verdict = reference.decide(before.ask, now, true);
      if (!isGranted) find(`6: payment ${id} went on without the owner's word`);
      if (verdict !== 'allow') find(`4: payment ${id} was granted although ${verdict}`);
      if (!sameVersion) find(`6: payment ${id} was granted under another policy`);
      if (held.expiresAt <= now) find(`6: payment ${id} was granted after its time`);
      if (row.reservedAt !== now) find(`4: payment ${id} was reserved at ${String(row.reservedAt)}, not now`);
      reserved(id, before.ask, now);
      return;
    }
    const code = refusal?.code;
    const isExplained =
      code === 'approval_denied'
        ? doings.denied.has(held.approvalId)
        : code === 'approval_expired'
          ? held.expiresAt <= now
          : code === 'approval_cancelled'
            ? doings.stops.has('all') || doings.stops.has(agentId) || (isGranted && !sameVersion)
            : isGranted && code === reference.decide(before.ask, now, true);
    if (!isExplained) find(`6: payment ${id} was refused with ${String(code)} for no reason`);
  };

  const judgeEnd = ({ id, state, signed, refusal, blockTime, agentId }: Transfer): void => {
    const { chain } = world();
    const landed = signed === null ? undefined : chain.find(signed.signature);
    switch (state) {
      case 'cancelled': {
        if (signed !== null || wires.has(id)) find(`6: payment ${id} was cancelled although it was signed`);
        const codes = ['payment_failed', 'chain_unreachable', 'frozen', 'suspended'];
        const byPolicy = judge.doings.policies.has(agentId ?? '');
        if (!codes.includes(refusal?.code ?? '') && !byPolicy)
          find(`6: payment ${id} was cancelled with ${String(refusal?.code)}`);
        if (refusal?.details['reason'] === 'not_signed') find(`2: payment ${id} could not be signed`);
        break;
      }
      case 'dead':
        if (landed !== undefined) find(`6: payment ${id} is dead and on the chain`);
        else if (signed !== null && chain.canStillLand({ lastValidHeight: signed.lifetime.lastValidHeight }))
          find(`6: payment ${id} is dead and can still land`);
        break;
      case 'failed':
        if (landed === undefined || landed.error === null || !chain.isFinal(landed))
          find(`6: payment ${id} failed, and not on the chain for good`);
        break;
      case 'final':
        if (landed === undefined || landed.error !== null || !chain.isFinal(landed))
          find(`5: payment ${id} is final, and not on the chain`);
        else if ((blockTime ?? 0) < chain.blockTime(landed.slot))
          find(`4: payment ${id} counts from before its block`);
        break;
      case 'seen':
        if (signed !== null && !chain.everPaid(signed.signature))
          find(`5: payment ${id} was seen and never was on the chain`);
        break;
      default:
    }
  };

  const bind = (): void => {
    for (const ask of judge.doings.asks) {
      const found = world().store().idempotency.find(`agent:${ask.agentId}`, ask.key);
      const name = `${ask.agentId}/${ask.key}`;
      const before = keys.get(name);
      const id = found?.transferId ?? null;
      if (before !== undefined && before.id !== id) {
        if (!isFreed(world().store().transfers.get(before.id)))
          find(`1: key ${name} had the decision ${before.id} and now has ${String(id)}`);
        keys.delete(name);
      }
      if (id === null || keys.has(name)) continue;
      const row = world().store().transfers.get(id);
      if (row === undefined) find(`1: key ${name} names a payment that is not there`);
      else
        keys.set(name, {
          key: ask.key,
          agentId: ask.agentId,
          service: row.serviceId ?? '',
          amount: row.amount,
          id,
        });
    }
  };

  const judgeSums = (): void => {
    const store = world().store();
    const now = world().time.now();
    const balances = store.ledger.balances();
    let total = 0n;
    for (const [name, units] of balances) if (name.startsWith('USDC')) total += units;
    if (total !== 0n) find(`7: the entries of USDC sum to ${total}`);
    const charged = [...known.values()].filter(({ state }) => state === 'final' || state === 'failed').length;
    const fees = balances.get('SOL:network-fees') ?? 0n;
    if (fees !== BigInt(charged) * fee) find(`7: the ledger has ${fees} of fees for ${charged} transactions`);
    for (const [index, agentId] of agentIds.entries()) {
      const paid = [...reference.reservations.values()]
        .filter((one) => one.agentId === agentId && one.state === 'final')
        .reduce((sum, { amount }) => sum + amount, 0n);
      const held = balances.get(`USDC:${addresses[index + 1] ?? ''}`) ?? 0n;
      if (held !== opening - paid) find(`7: the ledger has ${held} for ${agentId}, not ${opening - paid}`);
      const { open, final } = store.spend.at(agentId, now);
      const spent = reference.spent(agentId, now);
      if (open + final !== spent)
        find(`4: ${agentId} has spent ${spent}, and the treasury says ${open + final}`);
      const isSuspended = store.agents.get(agentId)?.status === 'suspended';
      if (isSuspended !== reference.suspended.has(agentId))
        find(`8: ${agentId} is ${isSuspended ? '' : 'not '}suspended, by nobody's wish`);
    }
    if ((store.freeze.get() !== null) !== reference.frozen)
      find(`8: everything is ${reference.frozen ? 'not ' : ''}frozen, by nobody's wish`);
  };

  const judge: Judge = {
    findings,
    doings: nothing(),
    keys,
    approvals,
    counts: { payments: 0, landed: 0 },
    find,
    approvalOf(approvalId) {
      for (const [id, one] of known) if (one.held?.approvalId === approvalId) return { known: one, id };
      return undefined;
    },
    pending: (agentId) =>
      [...known.values()].filter(({ ask, state }) => ask.agentId === agentId && state === 'awaiting_approval')
        .length,
    isOver(id) {
      const one = known.get(id);
      return one !== undefined && ended.includes(one.durable);
    },
    wasFreed: (id) => isFreed(world().store().transfers.get(id)),

    onWire(tx) {
      const { id } = tx;
      const bytes = tx.wire.toString('base64');
      const before = wires.get(id);
      const agentId = known.get(id)?.ask.agentId ?? world().store().transfers.get(id)?.agentId ?? '';
      if (before !== undefined && before !== bytes)
        find(`3: payment ${id} left with other bytes than before`);
      if (!looked.has(bytes)) {
        looked.add(bytes);
        const rows = world().onDisk(tx.wire);
        if (rows.length !== 1 || rows[0]?.id !== id) find(`2: payment ${id} left before it was on the disk`);
      }
      const stop = reference.stopped(agentId);
      if (stop !== null) find(`8: payment ${id} was sent although ${stop}`);
      if (never.has(id)) find(`8: payment ${id} was signed before a stop and sent after it`);
      const state = known.get(id)?.durable;
      if (state !== undefined && ended.includes(state)) find(`6: payment ${id} was sent although ${state}`);
      wires.set(id, bytes);
    },

    onSigning(id) {
      const stop = reference.stopped(world().store().transfers.get(id)?.agentId ?? '');
      if (stop !== null) find(`8: payment ${id} was signed although ${stop}`);
    },

    onLanded({ id, from, to, amount, signature }) {
      const one = known.get(id);
      judge.counts.landed += 1;
      if (!wires.has(id)) find(`2: ${signature} landed and never left`);
      if (one === undefined) return;
      if (released.includes(one.durable)) find(`6: payment ${id} is ${one.durable} and landed`);
      const wallet = addresses[agentIds.indexOf(one.ask.agentId as 'ann') + 1] ?? '';
      const isIt =
        amount === one.ask.amount &&
        from === tokenAccountAddress(wallet, mint) &&
        to === tokenAccountAddress(payeeOf(one.ask.service), mint);
      if (!isIt) find(`7: what landed for payment ${id} is not what was asked for`);
    },

    look(flushed = false) {
      const { transfers } = world().store();
      bind();
      const rows = transfers.list({ after: lastSeq, limit: 500 }).toReversed();
      for (const row of rows) {
        lastSeq = Math.max(lastSeq, row.seq);
        if (known.has(row.id)) continue;
        judgeNew(row);
        judge.counts.payments += 1;
      }
      for (const [id, one] of known) {
        if (ended.includes(one.state) && one.state === one.durable) continue;
        const row = transfers.get(id);
        if (row === undefined) find(`1: payment ${id} was decided and is gone`);
        else judgeMove(row, one);
        if (flushed) one.durable = one.state;
      }
      judgeSums();
    },

    stopped(agentId) {
      judge.doings.stops.add(agentId ?? 'all');
      const waiting = world()
        .store()
        .approvals.pending(agentId ?? undefined).length;
      if (waiting > 0) find(`8: ${waiting} approvals still wait after a stop`);
      for (const [id, one] of known)
        if (one.signature !== null && !wires.has(id) && (agentId === null || one.ask.agentId === agentId))
          never.add(id);
    },

    close: () => void (judge.doings = nothing()),

    atEnd() {
      const { chain } = world();
      const store = world().store();
      const open = store.transfers.open().map(({ id, state }) => `${id} ${state}`);
      if (open.length > 0) find(`6: no end of ${open.join(', ')} although the truth is told`);
      const broken = verifyJournal(store);
      if (broken !== null) find(`7: ${broken}`);
      const landed = new Map(chain.landed().map((one) => [one.id, one]));
      for (const [id, { state }] of known) {
        const row = store.transfers.get(id);
        if (row?.state !== state)
          find(`5: payment ${id} is ${String(row?.state)} at the end, and was ${state}`);
        const isPaid = landed.get(id)?.error === null;
        if ((state === 'final') !== isPaid) find(`7: payment ${id} is ${state}, and on the chain: ${isPaid}`);
      }
      for (const id of landed.keys()) if (!known.has(id)) find(`7: ${id} landed and is no payment`);
      for (const [name, { id, agentId, key }] of keys)
        if (
          store.idempotency.find(`agent:${agentId}`, key)?.transferId !== id &&
          !isFreed(store.transfers.get(id))
        )
          find(`1: key ${name} no longer names ${id}`);
      judgeWindows(landed);
    },
  };

  /** By true time: of what landed in the end, no decision went over its budget. */
  const judgeWindows = (landed: ReadonlyMap<string, Landed>): void => {
    const { chain } = world();
    for (const [index, { agentId, at, budget, amount }] of decisions.entries()) {
      let sum = amount;
      for (const earlier of decisions.slice(0, index)) {
        const one = landed.get(earlier.id);
        if (earlier.agentId !== agentId || one === undefined || one.error !== null) continue;
        if (Math.max(earlier.at, chain.blockTime(one.slot)) > at - 86_400_000) sum += earlier.amount;
      }
      if (sum > budget) find(`4: ${sum} of ${agentId} in 24 hours by true time, with a budget of ${budget}`);
    }
  };

  return judge;
};

/** Nothing was signed and the chain could not be reached: the same key may try again. */
const isFreed = (row: Transfer | undefined): boolean =>
  row?.state === 'cancelled' && row.refusal?.code === 'chain_unreachable';
