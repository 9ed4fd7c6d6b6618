// T1: the one transaction that decides. Has this key been seen? Is anything stopped? What does the policy say?
// Then the row, its reservation, the approval that it may need and the key are written together, or nothing is.
import { hash } from 'node:crypto';
import canonicalize from 'canonicalize';
import { AppError, invariant } from '../errors.ts';
import { openApproval } from './approval.ts';
import { refuseWhenDiskLow, refuseWhenStopped, type Context } from './context.ts';
import { judge, type ChainFacts, type Intent } from './judge.ts';
import { chainUnreachable } from './refusals.ts';
import type { NewTransfer, Remembered, Transfer, TransferKind } from './ports.ts';

/** An Idempotency-Key belongs to an agent or the treasury, a route and a parsed body. */
export interface Idempotency {
  scope: string;
  key: string;
  route: string;
  body: unknown;
}

export interface Asker {
  /** The key that asked, null for the owner. */
  keyId: string | null;
  idempotency: Idempotency | null;
}

const prefixOf: Record<TransferKind, string> = {
  payment: 'pay',
  charge: 'chg',
  allocation: 'alc',
  recall: 'rcl',
  withdrawal: 'wdr',
  refund: 'rfd',
};

/** What the key remembers, or undefined. @throws AppError `idempotency_conflict` for another route or body */
export const recall = (
  { store }: Pick<Context, 'store'>,
  idempotency: Idempotency | null,
): Remembered | undefined => {
  if (idempotency === null) return undefined;
  const known = store.idempotency.find(idempotency.scope, idempotency.key);
  if (known === undefined || isFree(store, known)) return undefined;
  if (known.route === idempotency.route && known.bodyHash === bodyHash(idempotency.body)) return known;
  throw new AppError(
    'idempotency_conflict',
    'This Idempotency-Key was used before with another request. Use a new key for a new request.',
  );
};

/** A 503 is never stored: the same key may try again, since nothing was ever signed for it. */
const isFree = ({ transfers }: Context['store'], { transferId }: Remembered): boolean => {
  const transfer = transferId === null ? undefined : transfers.get(transferId);
  return transfer?.state === 'cancelled' && transfer.refusal?.code === chainUnreachable.code;
};

export const remember = (
  { store, time }: Context,
  idempotency: Idempotency | null,
  what: Pick<Remembered, 'transferId' | 'approvalId'>,
): void => {
  if (idempotency === null) return;
  const { scope, key, route, body } = idempotency;
  store.idempotency.remember(scope, key, { route, bodyHash: bodyHash(body), ...what }, time.now());
};

/** Over the parsed body, so that neither white space nor the order of fields makes it another request. */
const bodyHash = (body: unknown): string => {
  const plain = JSON.stringify(body, (_key, value: unknown) =>
    typeof value === 'bigint' ? value.toString() : value,
  );
  return hash('sha256', canonicalize(JSON.parse(plain)) ?? '');
};

/**
 * Decides and writes the row: `reserved`, `awaiting_approval` or `denied`; or finds the row of the same key.
 * @throws AppError `frozen`, `suspended`, `locked`, `halted`, `clock_unsafe`, `disk_low`, `fees_exhausted`: nothing is stored
 */
export const openIntent = (
  context: Context,
  intent: Intent,
  asker: Asker,
  chainFacts: ChainFacts,
): Transfer =>
  context.store.atomically(() => {
    const { store, time, newId } = context;
    const known = recall(context, asker.idempotency);
    if (known !== undefined) return existing(context, known);
    refuseWhenStopped(context, intent);
    refuseWhenDiskLow(context, intent);

    const now = time.now();
    const fee = context.chain.feeLamports(intent);
    refuseWithoutFees(context, fee + chainFacts.rent, chainFacts.treasuryLamports);
    const { decision, policyVersion, grantId } = judge(
      context,
      intent,
      { ...chainFacts, fee, now },
      { byOwner: asker.keyId === null },
    );
    const id = newId(prefixOf[intent.kind]);
    const transfer: NewTransfer = {
      ...intent,
      id,
      state:
        decision.kind === 'allow' ? 'reserved' : decision.kind === 'hold' ? 'awaiting_approval' : 'denied',
      refusal: decision.kind === 'deny' ? decision.refusal : null,
      keyId: asker.keyId,
      policyVersion,
      approvalId: decision.kind === 'hold' ? newId('apr') : null,
      grantId,
      feeLamports: fee,
      rentLamports: chainFacts.rent,
      createdAt: now,
      reservedAt: decision.kind === 'allow' ? now : null,
      purchase: intent.purchase ?? null,
    };
    const row = store.transfers.insert(transfer);
    if (grantId !== null && decision.kind === 'allow') store.grants.draw(grantId, intent.amount);
    if (decision.kind === 'hold') openApproval(context, row, decision.because, asker.keyId);
    remember(context, asker.idempotency, { transferId: id, approvalId: row.approvalId });
    return row;
  });

const existing = ({ store }: Context, known: Remembered): Transfer => {
  const transfer = known.transferId === null ? undefined : store.transfers.get(known.transferId);
  invariant(transfer !== undefined, 'a remembered key of this route names its transfer');
  return transfer;
};

/** What an account has to keep to exist: the chain refuses a fee that would leave less. */
const accountReserveLamports = 890_880n;

const refuseWithoutFees = ({ settings, store }: Context, needed: bigint, held: bigint): void => {
  if (needed === 0n) return;
  if (held - store.transfers.openLamports() - accountReserveLamports >= needed) return;
  throw new AppError(
    'fees_exhausted',
    `The treasury has no SOL left for network fees. Its owner has to send some SOL to ${settings.owner}.`,
  );
};
