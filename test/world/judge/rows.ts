// Compares new and changed rows of payments with the reference's decisions, the owner's acts, and the chain.
import type { Transfer } from '../../../server/engine/ports.ts';
import { phoneLimits } from '../keys.ts';
import {
  ended,
  endsOf,
  isFreed,
  isMovement,
  isStopped,
  movements,
  nameOf,
  released,
  type Ask,
  type Known,
  type Notes,
  type State,
} from './notes.ts';
import type { Wish } from './reference.ts';

const afterSigning: readonly State[] = ['sent', 'seen', 'unknown', 'final', 'failed', 'dead'];
/** The states that a state may lead to within a step, by their meaning. */
const leadsTo = (from: State, to: State): boolean => {
  if (from === to) return true;
  if (ended.includes(from)) return false;
  if (from === 'awaiting_approval') return true;
  if (from === 'reserved') return to === 'signed' || to === 'cancelled' || afterSigning.includes(to);
  return afterSigning.includes(to);
};

export const viaOf = ({ kind, purchase }: Transfer): Ask['via'] => {
  const moved = movements.find((one) => one === kind);
  if (moved !== undefined) return moved;
  if (purchase === null) return 'pay';
  return purchase.feePayer === null ? 'receipt' : 'x402';
};

export const createRowJudge = (notes: Notes) => {
  const { world, reference, known, keys, decisions, wires, approvals, find } = notes;

  const judgeNew = (row: Transfer): void => {
    const { id, createdAt: now } = row;
    const ask = notes.doings.asks.find(
      (one) =>
        keys.get(nameOf(one))?.id === id &&
        one.amount === row.amount &&
        one.service === (row.serviceId ?? ''),
    );
    if (ask === undefined && !isFreed(row)) find(`1: payment ${id} (${row.state}) belongs to no key`);
    const agentId = row.agentId ?? ask?.agentId ?? '';
    const keyId = row.keyPath.at(-1) ?? null;
    const wish: Ask = {
      agentId,
      keyId,
      service: row.serviceId ?? '',
      amount: row.amount,
      key: ask?.key ?? '',
      via: viaOf(row),
    };
    if (ask !== undefined && ask.keyId !== keyId)
      find(`4: payment ${id} is charged to the key ${String(keyId)}`);
    if (reference.hasEnded(keyId, now)) find(`8: payment ${id} was decided although its key has ended`);
    const { wallet, payee } = endsOf(wish);
    if (row.wallet !== wallet || row.payee !== payee)
      find(`7: payment ${id} goes from ${row.wallet} to ${row.payee}`);
    const stop = isStopped(wish) ? reference.stopped(agentId) : null;
    if (stop !== null) find(`8: payment ${id} was decided although ${stop}`);
    if (now !== world().time.now() && !notes.doings.times.has(now))
      find(`4: payment ${id} was decided at ${now}, not at ${world().time.now()}`);
    const verdict = row.approvalId !== null ? 'hold' : row.reservedAt === null ? row.refusal?.code : 'allow';
    const expected = isMovement(wish) ? 'allow' : reference.decide(wish, now);
    if (verdict !== expected)
      find(
        `4: ${wish.amount} of ${keyId ?? agentId} for ${wish.service}: ${String(verdict)}, expected ${expected}; spent ${reference.spent(agentId, now)}`,
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
            },
      lastValidHeight: 0,
    });
    if (approval !== undefined) {
      approvals.push(approval.id);
      const heldNow = notes.pending(agentId);
      notes.doings.waiting.set(agentId, heldNow);
      if (keyId !== null) notes.doings.waiting.set(keyId, notes.pending(keyId));
      if (heldNow > 3) find(`6: ${heldNow} approvals of ${agentId} wait`);
    }
    if (verdict === 'allow' && !isMovement(wish)) reserved(id, wish, now);
  };

  const reserved = (id: string, wish: Wish, at: number): void => {
    reference.reserve(id, wish, at);
    const path = reference
      .path(wish)
      .map((node) => ({ node, budget: reference.limit(node, 'dailyBudget', at) }));
    decisions.push({ id, at, amount: wish.amount, path });
  };

  const judgeMove = (row: Transfer, before: Known): void => {
    const { id, state } = row;
    if (row.amount !== before.ask.amount || (row.serviceId ?? '') !== before.ask.service)
      find(`1: payment ${id} is another one than was asked for`);
    if (!leadsTo(before.durable, state)) find(`5: payment ${id} went from ${before.durable} to ${state}`);
    if (before.held !== null && before.state === 'awaiting_approval' && state !== 'awaiting_approval')
      judgeWord(row, before, before.held);
    if (state === 'awaiting_approval' && notes.doings.policies.has(before.ask.agentId))
      judgeWaiting(id, before);
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

  /** Approvals that only the rules forbid are cancelled when the rules change. */
  const judgeWaiting = (id: string, { ask }: Known): void => {
    const verdict = reference.decide(ask, world().time.now(), true);
    if (verdict === 'service_not_allowed' || verdict === 'max_per_payment')
      find(`6: payment ${id} still waits for a word although ${verdict}`);
  };

  /** A stop cancels the approvals that waited for the owner. */
  const judgeWord = (row: Transfer, before: Known, held: NonNullable<Known['held']>): void => {
    const { id, state, refusal } = row;
    const { doings, phone } = notes;
    const now = world().time.now();
    const { agentId } = before.ask;
    const byPhone = phone.answers.has(`approve ${held.approvalId}`);
    const isGranted = doings.granted.has(held.approvalId) || byPhone;
    const verdict = reference.decide(before.ask, now, true);
    if (state !== 'denied') {
      if (!isGranted) find(`6: payment ${id} went on without the owner's approval`);
      if (verdict !== 'allow') find(`4: payment ${id} was granted although ${verdict}`);
      if (held.expiresAt <= now) find(`6: payment ${id} was granted after its time`);
      if (row.reservedAt !== now) find(`4: payment ${id} was reserved at ${String(row.reservedAt)}, not now`);
      if (!doings.granted.has(held.approvalId)) judgePhone(before.ask.amount);
      reserved(id, before.ask, now);
      return;
    }
    const code = refusal?.code;
    const isExplained =
      code === 'approval_denied'
        ? doings.denied.has(held.approvalId) || phone.answers.has(`deny ${held.approvalId}`)
        : code === 'approval_expired'
          ? held.expiresAt <= now
          : code === 'approval_cancelled'
            ? doings.stops.has('all') ||
              doings.stops.has(agentId) ||
              (before.ask.keyId !== null && doings.stops.has(before.ask.keyId))
            : (isGranted || doings.policies.has(agentId)) && code === verdict;
    if (!isExplained) find(`6: payment ${id} was refused with ${String(code)} for no reason`);
  };

  /** What a phone approves fits under its own limits. */
  const judgePhone = (amount: bigint): void => {
    const now = world().time.now();
    const { approved } = notes.phone;
    approved.push({ at: now, amount });
    const sum = approved
      .filter(({ at }) => at > now - 86_400_000)
      .reduce((total, one) => total + one.amount, 0n);
    if (amount > phoneLimits.perApproval || sum > phoneLimits.perDay)
      find(`6: a phone approved ${amount}, ${sum} in a day`);
  };

  const judgeEnd = ({
    id,
    state,
    signed,
    refusal,
    blockTime,
    agentId,
    keyPath,
    reservedAt,
    endedAt,
  }: Transfer): void => {
    const { chain } = world();
    const landed = signed === null ? undefined : chain.of(id);
    switch (state) {
      case 'cancelled': {
        if (signed !== null || wires.has(id)) find(`6: payment ${id} was cancelled although it was signed`);
        const codes = ['payment_failed', 'chain_unreachable', 'frozen', 'suspended'];
        const byPolicy = notes.doings.policies.has(agentId ?? '');
        const byKey =
          refusal?.code === 'key_ended' && reference.hasEnded(keyPath.at(-1) ?? null, world().time.now());
        if (!byKey && !codes.includes(refusal?.code ?? '') && !byPolicy)
          find(`6: payment ${id} was cancelled with ${String(refusal?.code)}`);
        if (
          refusal?.details['reason'] === 'interrupted' &&
          reservedAt === endedAt &&
          !world().reservedAtDeath().has(id)
        )
          find(`6: payment ${id} was cancelled as interrupted, and nothing interrupted it`);
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
        if (signed !== null && !chain.everPaid(id))
          find(`5: payment ${id} was seen and never was on the chain`);
        break;
      default:
    }
  };

  return { judgeNew, judgeMove };
};
