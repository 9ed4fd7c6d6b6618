// Idempotency keys: each stands for one request and its stored result.
import { hash } from 'node:crypto';
import canonicalize from 'canonicalize';
import { AppError, invariant } from '../../../errors.ts';
import type { Context } from '../context.ts';
import { chainUnreachable, errorFrom } from './refusals.ts';
import type { Remembered } from '../../ports.ts';

/** An idempotency key belongs to an agent or the treasury, a route and a parsed body. */
export interface Idempotency {
  scope: string;
  key: string;
  route: string;
  body: unknown;
}

/**
 * The stored result of an idempotency key.
 * @throws AppError `idempotency_conflict` for another route or body, and the code of a refusal that was only counted
 */
export const recall = (
  { store }: Pick<Context, 'store'>,
  idempotency: Idempotency | null,
): Remembered | undefined => {
  if (idempotency === null) return undefined;
  const { scope, key, route, body } = idempotency;
  const asked = bodyHash(body);
  const found = store.idempotency.find(scope, key);
  const stored = found === undefined || isFree(store, found) ? undefined : found;
  const known = stored ?? store.refusals.find({ scope, key, route, bodyHash: asked });
  if (known === undefined) return undefined;
  if (known.route === route && known.bodyHash === asked) {
    if (known !== stored) throw countedBefore(store, known);
    return known;
  }
  throw new AppError(
    'idempotency_conflict',
    'This Idempotency-Key was used before with another request. Use a new key for a new request.',
  );
};

/** Of a refusal that was only counted, the rule is known; limit, amount and time were those of that moment. */
const countedBefore = ({ transfers }: Context['store'], { transferId }: Remembered): AppError => {
  const row = transferId === null ? undefined : transfers.get(transferId);
  invariant(row?.refusal != null, 'a counted refusal names the row that counts it');
  const { code } = row.refusal;
  const message = `This request was refused before (${code}), and its Idempotency-Key stays refused. Use a new one to ask again.`;
  return errorFrom({ code, message, details: { counted: true } }, row.id);
};

/** A 503 is never stored: the same idempotency key may try again, since nothing was signed for it. */
const isFree = ({ transfers }: Context['store'], { transferId }: Remembered): boolean => {
  const transfer = transferId === null ? undefined : transfers.get(transferId);
  return transfer?.state === 'cancelled' && transfer.refusal?.code === chainUnreachable.code;
};

/** Binds the idempotency key, if there is one, to its result. Call it in the transaction of the decision. */
export const remember = (
  { store, time }: Context,
  idempotency: Idempotency | null,
  what: Pick<Remembered, 'transferId' | 'approvalId'>,
): void => {
  if (idempotency === null) return;
  const { scope, key, route, body } = idempotency;
  store.idempotency.remember(scope, key, { route, bodyHash: bodyHash(body), ...what }, time.now());
};

/** Hashes the parsed body, so that white space and the order of fields make no difference. */
export const bodyHash = (body: unknown): string => {
  const plain = JSON.stringify(body, (_key, value: unknown) =>
    typeof value === 'bigint' ? value.toString() : value,
  );
  return hash('sha256', canonicalize(JSON.parse(plain)) ?? '');
};
