// The answers under a key, compared with its meaning: one payment, and once that has ended one answer for ever.
import { isDeepStrictEqual } from 'node:util';
import { AppError } from '../../../server/errors.ts';
import type { Judge } from './judge.ts';
import { isStopped, nameOf, type Ask } from './notes.ts';
import { mostPending, type Reference } from './reference.ts';
import type { World } from '../world.ts';

export interface Told {
  ask: Ask;
  /** The request that the key stands for. */
  before: { id: string; service: string; amount: bigint } | undefined;
  wasFaulty: boolean;
  /** The words of phones were not read since the start. */
  wasUnread: boolean;
  stopsBefore: boolean;
  /** Approvals that waited for the owner, of the agent and of the key alone. */
  pendingBefore: number;
  pendingOfKeyBefore: number;
  endedBefore: boolean;
  /** Its end was on the disk before this was asked. */
  wasOver: boolean;
  answer: { body: Record<string, unknown> } | { error: unknown };
}

export const createToldJudge = (world: World, judge: Judge, reference: Reference) => {
  const last = new Map<string, unknown>();

  const checkTold = ({ ask, before, answer, ...context }: Told): void => {
    const bound = judge.keys.get(nameOf(ask));
    const name = `key ${nameOf(ask)}`;
    if ('error' in answer) {
      const { error } = answer;
      if (!(error instanceof AppError)) return judge.find(`1: ${name} was answered ${String(error)}`);
      checkRefusal(name, ask, error, { before, bound, ...context });
    } else {
      const { paymentId, status, txSignature } = answer.body;
      // It was reported as pending, and then cancelled unsigned because the chain was silent.
      const wasFreed = judge.wasFreed(String(paymentId));
      if (bound?.id !== paymentId && !wasFreed)
        judge.find(`1: ${name} was answered with ${String(paymentId)}, and means ${String(bound?.id)}`);
      if (bound !== undefined && (bound.amount !== ask.amount || bound.service !== ask.service))
        judge.find(`1: ${name} was answered with another body under it`);
      if (
        status === 'confirmed' &&
        !world.chain.everPaid(ask.via === 'pay' ? String(txSignature) : String(paymentId))
      )
        judge.find(`5: ${name} was told that it is paid, and it never was`);
    }
    // A seller may deliver later, so what a purchase brought may change.
    if (context.wasOver && ask.via === 'pay') checkReplay(name, ask, answer);
  };

  /** Once a payment has ended, its key gives the same answer for ever. */
  const checkReplay = (name: string, ask: Ask, answer: Told['answer']): void => {
    const bound = judge.keys.get(nameOf(ask));
    if (bound === undefined || bound.amount !== ask.amount || bound.service !== ask.service) return;
    const { body, error } = { body: null, error: null, ...answer };
    const plain =
      error instanceof AppError ? { code: error.code, message: error.message, details: error.details } : body;
    if (error instanceof AppError && error.details?.['paymentId'] !== bound.id) return;
    const before = last.get(bound.id);
    if (before === undefined) last.set(bound.id, plain);
    else if (!isDeepStrictEqual(before, plain))
      judge.find(`1: ${name} was answered ${JSON.stringify(before)} and then ${JSON.stringify(plain)}`);
  };

  const checkRefusal = (
    name: string,
    ask: Ask,
    { code, details }: AppError,
    {
      before,
      bound,
      wasFaulty,
      wasUnread,
      stopsBefore,
      pendingBefore,
      pendingOfKeyBefore,
      endedBefore,
    }: Omit<Told, 'ask' | 'answer'> & {
      bound: Told['before'];
    },
  ): void => {
    const { agentId, keyId, amount, service } = ask;
    const wasFreed = before !== undefined && judge.wasFreed(before.id);
    const meant = wasFreed ? bound : (before ?? bound);
    const isOther = meant !== undefined && (meant.amount !== amount || meant.service !== service);
    if (code === 'idempotency_conflict') {
      if (!isOther) judge.find(`1: ${name} was refused as another body, which it is not`);
      return;
    }
    if (isOther) return judge.find(`1: ${name} was answered ${code} with another body under it`);
    if (meant !== undefined && (details?.['paymentId'] ?? details?.['transferId']) === meant.id) return;
    const isOfKey = code === 'key_ended' || code === 'unauthorized';
    if (isOfKey && (endedBefore || reference.hasEnded(keyId, world.time.now()))) return;
    if (before !== undefined && !wasFreed)
      return judge.find(`1: ${name} was answered ${code} and not with its payment`);
    if (ask.via !== 'pay' && code === 'not_available' && before === undefined) return;
    // Requests to models may wait for the owner, too.
    const standing = world
      .store()
      .approvals.pending(agentId)
      .filter(({ kind }) => kind === 'standing');
    const waiting = Math.max(pendingBefore, judge.doings.waiting.get(agentId) ?? 0);
    const waitingOfKey =
      keyId === null
        ? 0
        : Math.max(pendingOfKeyBefore, judge.pending(keyId), judge.doings.waiting.get(keyId) ?? 0);
    const isRight =
      code === 'frozen' || code === 'suspended'
        ? isStopped(ask) && (stopsBefore || reference.stopped(agentId) !== null)
        : code === 'chain_unreachable'
          ? wasFaulty || wasUnread || world.nodes.some((node) => !node.isHonest())
          : code === 'too_many_requests' &&
            (waiting + standing.length >= mostPending ||
              waitingOfKey > 0 ||
              (keyId !== null && standing.some((one) => one.keyId === keyId)));
    if (!isRight) judge.find(`1: ${name} was refused with ${code} for no reason`);
  };

  return { checkTold };
};
