// The Solana Pay requests by which a phone answers an approval.
import type { EngineContext } from '../../calls/call.ts';
import { answerMemo, approvable, codeEndsMs, mailboxOf, payRequest } from '../../domain/phone.ts';
import { approvedInDay } from './obey-word.ts';

export interface PhoneRequests {
  /** Null: no registered phone may approve it. */
  approve: string | null;
  /** Null: a phone can no longer answer it. */
  deny: string | null;
  /** Unix milliseconds. */
  until: number;
}

/** For the owner alone. An approval that does not exist has none. */
export const phoneRequestsFor = (
  { store, time, settings }: Pick<EngineContext, 'store' | 'time' | 'settings'>,
  approvalId: string,
): PhoneRequests => {
  const approval = store.approvals.get(approvalId);
  const request = store.phones.request(approvalId);
  const now = time.now();
  const until = (approval?.expiresAt ?? 0) - codeEndsMs;
  const isOpen = approval?.status === 'pending' && now < until && store.phones.wallets().length > 0;
  if (approval === undefined || request === undefined || !isOpen) return { approve: null, deny: null, until };
  const urlOf = (verb: 'approve' | 'deny'): string =>
    payRequest(
      settings.owner,
      [request.reference, mailboxOf(settings.owner)],
      answerMemo(verb, approval, request.code),
    );
  const amount = approvable(approval);
  const canApprove =
    amount !== null &&
    store.phones
      .wallets()
      .some(
        ({ id, perApproval, perDay, approvesFrom }) =>
          amount <= perApproval &&
          approvedInDay({ store }, id, now) + amount <= perDay &&
          approvesFrom <= now,
      );
  return { approve: canApprove ? urlOf('approve') : null, deny: urlOf('deny'), until };
};
