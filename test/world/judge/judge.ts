// Compares, after every step, the rows of the treasury with the reference and with the true chain: the eight
// invariants of server/engine/payment/machine/machine.ts, each finding with its number.
import { createRowJudge, viaOf } from './rows.ts';
import { createSumJudge } from './sums.ts';
import {
  createNotes,
  ended,
  isFreed,
  isStopped,
  nameOf,
  nothing,
  principalOf,
  released,
  type Known,
  type Notes,
} from './notes.ts';
import { createModelJudge, type ModelJudge } from './models.ts';
import type { Reference } from './reference.ts';
import type { Landed, Tx } from '../true-chain.ts';
import type { World } from '../world.ts';

/** Of one life. */
export interface Counts {
  payments: number;
  /** Transactions that executed: all, and those of purchases. */
  landed: number;
  bought: number;
  deaths: number;
}

export interface Judge extends Pick<
  Notes,
  'findings' | 'doings' | 'keys' | 'approvals' | 'find' | 'pending' | 'phone'
> {
  /** Of requests to models. */
  requests: ModelJudge;
  approvalOf(id: string): { known: Known; id: string } | undefined;
  /** Its end is on the disk. */
  isOver(id: string): boolean;
  wasFreed(id: string): boolean;
  onWire(tx: Tx): void;
  onSigning(id: string): void;
  onLanded(tx: Landed): void;
  /** Judges the present rows; with `flushed`, no work waits for its commit. */
  look(flushed?: boolean): void;
  /** Judges what a start has done with the rows that it found, after a death. */
  lookAtStart(): void;
  /** Judges the present rows in the middle of a step, and not the sums. */
  lookAtRows(): void;
  /** Judges what was decided and granted since the last look: the limits in force change now. */
  lookAtDecisions(): void;
  /** A stop from a phone is committed; false when everything was frozen. */
  phoneStopped(): boolean;
  /** The freeze or suspension is committed: bytes that were not sent are never sent. */
  stopped(agentId: string | null): void;
  /** Ends the step, and drops its explanations. */
  close(): void;
  /** Judges the end of a life, when everything has ended. */
  atEnd(): void;
  counts: Counts;
}

export const createJudge = (world: () => World, reference: Reference): Judge => {
  const notes = createNotes(world, reference);
  const { findings, known, keys, wires, approvals, find, pending } = notes;
  const { judgeNew, judgeMove } = createRowJudge(notes);
  const { judgeSums, atEnd } = createSumJudge(notes);
  const requests = createModelJudge(world, reference, find);
  const looked = new Set<string>();
  const never = new Set<string>();
  let lastSeq = 0;

  const bind = (): void => {
    for (const ask of notes.doings.asks) {
      const found = world().store().idempotency.find(principalOf(ask), ask.key);
      const name = nameOf(ask);
      const before = keys.get(name);
      const row = found?.transferId == null ? undefined : world().store().transfers.get(found.transferId);
      // A payment that was cancelled before signing leaves its key free.
      const id = isFreed(row) ? null : (found?.transferId ?? null);
      if (before !== undefined && before.id !== id) {
        if (!isFreed(world().store().transfers.get(before.id)))
          find(`1: key ${name} had the decision ${before.id} and now has ${String(id)}`);
        keys.delete(name);
      }
      if (id === null || keys.has(name)) continue;
      if (row === undefined) find(`1: key ${name} names a payment that is not there`);
      else keys.set(name, { ...ask, service: row.serviceId ?? '', amount: row.amount, id });
    }
  };

  const lookAtNew = (): void => {
    const { transfers } = world().store();
    bind();
    const isNew = transfers.lastSeq() > lastSeq;
    const rows = isNew ? transfers.list({ after: lastSeq, limit: 500 }).toReversed() : [];
    for (const row of rows) {
      lastSeq = Math.max(lastSeq, row.seq);
      if (known.has(row.id)) continue;
      judgeNew(row);
      judge.counts.payments += 1;
    }
  };

  const lookAtRows = (flushed: boolean): void => {
    const { transfers } = world().store();
    lookAtNew();
    for (const [id, one] of known) {
      if (ended.includes(one.state) && one.state === one.durable) continue;
      const row = transfers.get(id);
      if (row === undefined) find(`1: payment ${id} was decided and is gone`);
      else judgeMove(row, one);
      if (flushed) one.durable = one.state;
    }
  };

  const judgeStop = (id: string, what: string): void => {
    const row = world().store().transfers.get(id);
    if (row === undefined || !isStopped({ via: viaOf(row) })) return;
    judgeUnread(id, what);
    const stop = reference.stopped(row.agentId ?? '');
    if (stop !== null) find(`8: payment ${id} was ${what} although ${stop}`);
  };
  /** A stop that a phone said before this process started comes before everything that the process does. */
  const judgeUnread = (id: string, what: string): void => {
    const { slot, isHonest } = world().startedAt();
    const unread = notes.phone.stops.filter((one) => one.slot + 1 < slot);
    for (const { signature } of isHonest ? unread : [])
      if (!world().store().phones.hasWord(signature) && !reference.frozen)
        find(`8: payment ${id} was ${what} although a phone said stop before the start`);
  };

  const judge: Judge = {
    findings,
    requests,
    get doings() {
      return notes.doings;
    },
    keys,
    approvals,
    phone: notes.phone,
    counts: { payments: 0, landed: 0, bought: 0, deaths: 0 },
    find,
    approvalOf(approvalId) {
      for (const [id, one] of known) if (one.held?.approvalId === approvalId) return { known: one, id };
      return undefined;
    },
    pending,
    isOver(id) {
      const one = known.get(id);
      return one !== undefined && ended.includes(one.durable);
    },
    wasFreed: (id) => isFreed(world().store().transfers.get(id)),

    onWire(tx) {
      const { id } = tx;
      const bytes = tx.wire.toString('base64');
      const before = wires.get(id);
      if (before !== undefined && before !== bytes)
        find(`3: payment ${id} left with other bytes than before`);
      if (!looked.has(bytes)) {
        looked.add(bytes);
        const rows = world().onDisk(tx.wire);
        if (rows.length !== 1 || rows[0]?.id !== id) find(`2: payment ${id} left before it was on the disk`);
      }
      judgeStop(id, 'sent');
      if (never.has(id)) find(`8: payment ${id} was signed before a stop and sent after it`);
      const state = known.get(id)?.durable;
      // A payment that was made is shown to its seller again when its answer was lost.
      const isShownAgain = state === 'final' && known.get(id)?.ask.via === 'x402';
      if (state !== undefined && ended.includes(state) && !isShownAgain)
        find(`6: payment ${id} was sent although ${state}`);
      wires.set(id, bytes);
    },

    onSigning(id) {
      judgeStop(id, 'signed');
      const row = world().store().transfers.get(id);
      if (reference.hasEnded(row?.keyId ?? null, world().time.now()))
        find(`8: payment ${id} was signed although its key has ended`);
    },

    onLanded({ id, signature }) {
      const one = known.get(id);
      judge.counts.landed += 1;
      if (!wires.has(id)) find(`2: ${signature} landed and never left`);
      if (one !== undefined && released.includes(one.durable))
        find(`6: payment ${id} is ${one.durable} and landed`);
    },

    look(flushed = false) {
      lookAtRows(flushed);
      requests.look(flushed);
      judgeSums();
    },
    lookAtStart() {
      if (world().isDown() || !world().startedAt().isHonest || world().engine().remoteWords.unread()) return;
      for (const { id, state, agentId, purchase } of world().store().transfers.open()) {
        if (state !== 'signed' || purchase?.feePayer != null || wires.has(id)) continue;
        if (reference.stopped(agentId ?? '') === null)
          find(`5: payment ${id} was signed before a death, and the next start has not sent it`);
      }
    },
    lookAtRows: () => lookAtRows(false),
    lookAtDecisions() {
      lookAtNew();
      for (const [id, one] of known) {
        const row = one.state === 'awaiting_approval' ? world().store().transfers.get(id) : undefined;
        if (row != null && row.reservedAt !== null) judgeMove(row, one);
      }
    },
    phoneStopped() {
      if (notes.phone.stops.length === 0) find('8: everything is frozen by a phone that did not say so');
      if (reference.frozen) return false;
      notes.doings.stops.add('all');
      lookAtRows(false);
      return true;
    },

    stopped(agentId) {
      notes.doings.stops.add(agentId ?? 'all');
      for (const [id, { ask, signature }] of known) {
        const isMeant = isStopped(ask) && (agentId === null || ask.agentId === agentId);
        if (isMeant && signature !== null && !wires.has(id)) never.add(id);
      }
    },

    close: () => void (notes.doings = nothing()),
    atEnd() {
      atEnd();
      requests.atEnd();
      for (const { id } of world().chain.landed())
        if (['receipt', 'x402'].includes(known.get(id)?.ask.via ?? '')) judge.counts.bought += 1;
    },
  };
  return judge;
};
