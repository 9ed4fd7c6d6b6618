// Obeys one final word that approves or denies, or says why not. Each word becomes one row, in the transaction of its
// effect, and so counts once.
import { AppError } from '../../../errors.ts';
import { formatUsdc, usdc, type Usdc } from '../../../money.ts';
import type { EngineContext } from '../../calls/call.ts';
import { answerMemo, approvable, testMemo } from '../../domain/phone.ts';
import { announceApproval, pendingApproval, refuseApproval } from '../../payment/owner/approval.ts';
import { refuseWhenStopped } from '../../payment/context.ts';
import type { Approval, PhoneRequest, PhoneWallet, RemoteWord } from '../../ports.ts';
import { grantMoney } from '../grant-money.ts';

export const nothing = usdc(0n);
/** This machine's clock and the chain's may differ by so much. */
export const clocksDifferMs = 120_000;
const dayMs = 86_400_000;

export interface Received {
  word: RemoteWord & { at: number | null };
  wallet: PhoneWallet;
  mailbox: string;
}

/** @throws AppError `chain_unreachable`; then the word is read again */
export const obeyAnswer = async (context: EngineContext, received: Received): Promise<void> => {
  const { at } = received.word;
  if (at === null)
    throw new AppError('chain_unreachable', 'The RPC does not know yet when this word was sent.');
  const meant = meaningOf(context, received, at);
  try {
    if (meant === 'test') return note(context, received, { approvalId: null, whyNot: null });
    if ('whyNot' in meant) return note(context, received, { approvalId: null, whyNot: meant.whyNot });
    if (meant.verb === 'deny') deny(context, received, meant);
    else await approve(context, received, meant);
  } catch (error) {
    if (!(error instanceof AppError) || error.code === 'chain_unreachable' || error.code === 'halted')
      throw error;
    note(context, received, { approvalId: idIn(meant), whyNot: error.message });
  }
  const approvalId = idIn(meant);
  if (approvalId !== null) announceApproval(context, approvalId);
};

const idIn = (meant: Meant | { whyNot: string } | 'test'): string | null =>
  meant === 'test' || 'whyNot' in meant ? null : meant.approval.id;

type Meant = { verb: 'approve' | 'deny'; approval: Approval; request: PhoneRequest };

/** What a word says, by the exact memo and the exact references that the owner was shown. @param at when it was sent */
const meaningOf = (
  { store }: EngineContext,
  { word, wallet, mailbox }: Received,
  at: number,
): Meant | { whyNot: string } | 'test' => {
  if (at < wallet.registeredAt - clocksDifferMs)
    return { whyNot: 'It was sent before this wallet was registered.' };
  const [reference = '', second, ...more] = word.references;
  if (word.memo === testMemo && reference === mailbox && second === undefined) return 'test';
  const request = store.phones.requestNamed(reference);
  if (request === undefined || second !== mailbox || more.length > 0)
    return { whyNot: 'It answers nothing that was asked.' };
  const approval = store.approvals.get(request.approvalId);
  if (approval === undefined) return { whyNot: 'It answers nothing that was asked.' };
  const verb = (['approve', 'deny'] as const).find(
    (one) => word.memo === answerMemo(one, approval, request.code),
  );
  if (verb === undefined) return { whyNot: 'Its memo is not the one that was shown.' };
  if (at > approval.expiresAt) return { whyNot: 'It was sent after the deadline.' };
  return { verb, approval, request };
};

interface Outcome {
  approvalId: string | null;
  whyNot: string | null;
  amount?: Usdc;
}

/** Enters the word. Call it inside the transaction of its effect. */
const enter = (
  { store, time }: EngineContext,
  { word: { signature, memo }, wallet }: Received,
  { amount = nothing, ...outcome }: Outcome,
): void => store.phones.addWord({ signature, memo, walletId: wallet.id, amount, ...outcome, at: time.now() });

/** Enters a word that was not obeyed. */
const note = (context: EngineContext, received: Received, outcome: Outcome): void =>
  context.store.atomically(() => enter(context, received, outcome));

const deny = (context: EngineContext, received: Received, { approval, request }: Meant): void =>
  context.store.atomically(() => {
    refuseApproval(context, pendingApproval(context, approval.id, request.hash), 'denied');
    enter(context, received, { approvalId: approval.id, whyNot: null });
  });

const approve = async (
  context: EngineContext,
  received: Received,
  { approval, request }: Meant,
): Promise<void> => {
  const amount = approvable(approval);
  if (amount === null) throw refusal('A phone approves payments and allocations in USDC alone.');
  pendingApproval(context, approval.id, request.hash);
  refuseWhenStopped(context, { kind: 'payment', agentId: approval.agentId });
  await grantMoney(
    context,
    { ...approval, hash: request.hash },
    {
      from: 'phone',
      standing: null,
      before: () => refuseBeyond(context, received, amount),
      after: ({ state, refusal: why }) =>
        enter(context, received, {
          approvalId: approval.id,
          ...(state === 'denied'
            ? { whyNot: why?.message ?? 'The limits in force refuse it.' }
            : { amount, whyNot: null }),
        }),
    },
  );
};

/** What the wallet has approved in the 24 hours before. @param now Unix milliseconds */
export const approvedInDay = ({ store }: Pick<EngineContext, 'store'>, walletId: string, now: number): Usdc =>
  store.phones.approvedSince(walletId, now - dayMs);

/** The wallet's own limits, as they are in the grant's transaction. @throws AppError `conflict` */
const refuseBeyond = ({ store, time }: EngineContext, { wallet: { id } }: Received, amount: Usdc): void => {
  const wallet = store.phones.wallets().find((one) => one.id === id);
  if (wallet === undefined) throw refusal('This wallet is no longer registered.');
  const now = time.now();
  if (now < wallet.approvesFrom)
    throw refusal(`This wallet’s approvals count from ${new Date(wallet.approvesFrom).toISOString()} on.`);
  if (amount > wallet.perApproval)
    throw refusal(`This wallet approves at most ${formatUsdc(wallet.perApproval)} USDC at once.`);
  if (approvedInDay({ store }, id, now) + amount > wallet.perDay)
    throw refusal(`This wallet approves at most ${formatUsdc(wallet.perDay)} USDC in 24 hours.`);
};

const refusal = (why: string): AppError => new AppError('conflict', why);
