// Debits that were found on the chain and that no row explains: each becomes a final row.
import { foundOnChain } from '../../contract/treasury/recipients.ts';
import { usdc } from '../../money.ts';
import { ownPath } from '../domain/limits.ts';
import { isSpending } from '../domain/spending.ts';
import { isVoid } from '../domain/states.ts';
import { payerOf } from '../domain/transfer.ts';
import { pathNow } from '../payment/decision/charge-path.ts';
import type { Context } from '../payment/context.ts';
import { limitedSeller } from '../payment/decision/limited-seller.ts';
import { lateName, sharedName } from '../payment/machine/tx-signature.ts';
import type { NewTransfer, Signed, TokenMove, Wallet, TransferKind } from '../ports.ts';
import { memoOf, refundIn } from '../../lib/solana/transfer-memo.ts';

type Entering = Pick<Context, 'settings' | 'store' | 'chain' | 'time' | 'newId'>;

/**
 * Enters a debit as a final row, along the same table of states as our own transfers. Call it in a transaction.
 * The chain does not say which nodes paid: a payment, or a picture, is charged to its agent and to the group that the
 * records have the agent in. No delegated key is charged, and none is left to exceed its limits: all of the agent's keys
 * end with the debit.
 * @param debit `source`: the cold treasury that paid, with the wallet as its delegate; null: the wallet itself paid
 * @param notBefore bounds the row's creation time, so that rows stay in order of time; the window uses the true time
 */
export const enterDebit = (
  context: Entering,
  {
    wallet,
    other,
    move,
    source = null,
  }: { wallet: Wallet; other: Wallet | undefined; move: TokenMove; source?: string | null },
  notBefore = 0,
): void => {
  const { settings, store, chain, time, newId } = context;
  const known = store.transfers.bySignature(move.signature);
  const isOwn = known !== undefined && payerOf(known) === payerOf({ source, wallet: wallet.address });
  // An RPC proved wrongly that this transaction would never move money: its own row has ended.
  const late = isOwn && isVoid(known) ? known : null;
  if (isOwn && (late === null || store.transfers.bySignature(lateName(move.signature)) !== undefined)) return;
  const { kind, prefix, agentId } =
    late?.kind !== undefined && late.kind !== 'anchor'
      ? { kind: late.kind, agentId: late.agentId, prefix: late.id.split('_', 1)[0] ?? '' }
      : purposeOf(wallet, other, move);
  // A time in the future would keep it in the windows of the budgets for ever.
  const at = Math.min(move.blockTime ?? time.now(), time.now());
  const path = isSpending({ kind }) && agentId !== null ? pathNow(store, agentId, null) : ownPath;
  // A transaction has one fee: a row that failed, or that of another wallet, has it already; or somebody else paid it.
  const hasFee = known !== undefined && late?.state !== 'dead';
  const isFeeOurs = !hasFee && move.signers[0] === settings.owner;
  const row: NewTransfer = {
    ...(late === null ? path : { keyPath: late.keyPath, groupId: late.groupId }),
    id: newId(prefix),
    kind,
    agentId,
    walletIndex: wallet.index,
    wallet: wallet.address,
    source,
    // Without a recipient, it was burned.
    payee: move.counterparty ?? chain.mint,
    asset: 'USDC',
    amount: usdc(-move.change),
    serviceId: late !== null ? late.serviceId : kind === 'payment' ? serviceOf(context, agentId, move) : null,
    serviceName: late?.serviceName ?? (kind === 'payment' ? 'Unknown service' : `Restored ${kind}`),
    description: late === null ? foundOnChain : `${foundOnChain}: ${late.id}, which had ended without paying`,
    invoice: kind === 'withdrawal' ? refundIn(move.memo ?? '') : null,
    state: 'reserved',
    refusal: null,
    policyVersion: 0,
    approvalId: null,
    grantId: null,
    feeLamports: isFeeOurs ? move.feeLamports : 0n,
    rentLamports: 0n,
    createdAt: Math.max(at, notBefore),
    reservedAt: at,
    purchase: null,
  };
  const { id } = store.transfers.insert(row);
  const shared = known === undefined ? '' : sharedName('', source === null ? String(wallet.index) : 'cold');
  store.transfers.move(id, 'reserved', 'signed', {
    // One transaction, made elsewhere, may have debited several accounts; each has its own row.
    signed: signedAs(move, late === null ? shared : lateName(''), at),
  });
  const seen = { seenAt: at, seenSlot: move.slot, blockTime: at };
  store.transfers.move(id, 'signed', 'seen', seen);
  store.transfers.move(id, 'seen', 'final', { endedAt: at });
};

/** A limited service whose payee it is: its limits go on to count what was spent there. */
const serviceOf = (
  { store }: Pick<Context, 'store'>,
  agentId: string | null,
  { counterparty }: TokenMove,
): string => {
  const own = agentId === null ? [] : [{ limits: store.policies.get(agentId) }];
  const nodes = store.limits.list().map((limits) => ({ limits }));
  const known = counterparty === null ? null : limitedSeller(store, [...own, ...nodes], counterparty);
  return known?.serviceId ?? 'unknown';
};

const signedAs = (move: TokenMove, suffix: string, at: number): Signed => ({
  messageHash: move.messageHash + suffix,
  signature: move.signature + suffix,
  wire: new Uint8Array(0),
  lifetime: { blockhash: '', lastValidHeight: 0, slot: move.slot, height: 0 },
  at,
});

// The purpose of a debit that was found on the chain: its kind, and its agent.

/** @param other the wallet of ours that got it, if one did */
const purposeOf = (
  wallet: Wallet,
  other: Wallet | undefined,
  { memo }: TokenMove,
): { kind: Exclude<TransferKind, 'anchor'>; prefix: string; agentId: string | null } => {
  if (wallet.agentId !== null) {
    // A picture’s charge goes where a recall goes, and counts as spent. Its memo has the agent’s signature.
    if (other?.agentId === null && memo?.startsWith(memoOf({ id: 'chg_', invoice: null })) === true)
      return { kind: 'charge', prefix: 'chg', agentId: wallet.agentId };
    // Money that one agent sent to another left its wallet, and counts as spent.
    return other?.agentId === null
      ? { kind: 'recall', prefix: 'rcl', agentId: wallet.agentId }
      : { kind: 'payment', prefix: 'pay', agentId: wallet.agentId };
  }
  return other === undefined
    ? { kind: 'withdrawal', prefix: 'wdr', agentId: null }
    : { kind: 'allocation', prefix: 'alc', agentId: other.agentId };
};
