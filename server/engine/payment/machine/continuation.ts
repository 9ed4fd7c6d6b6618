// Resuming a purchase. A client that may end at any moment, such as the bridge of an MCP host, asks for it with
// `Prefer: continue`. An earlier transfer of the same request then answers it, if no client has its answer yet;
// otherwise a new one does. Two equal calls at the same time stay two: the client numbers them (`continue=2`), since
// only the client knows whether its first call was answered or abandoned.
//
// Requests are the same if the same agent asks the same route for the same thing. Limits of price and time, and the
// reason, make no difference.
import { hash } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import canonicalize from 'canonicalize';
import { fieldsNotCompared, repeatedWithinMs } from '../../../contract/payments/wishes.ts';
import { AppError } from '../../../errors.ts';
import { usdc } from '../../../money.ts';
import { amountOf } from '../../domain/transfer.ts';
import { callerHasGone } from '../decision/refusals.ts';
import { recall, remember } from '../decision/idempotency.ts';
import type { Asker, Wish } from '../decision/intent.ts';
import type { Context } from '../context.ts';
import type { Call, KeptAnswer, Transfer } from '../../ports.ts';
import { isPaid, isVoid } from '../../domain/states.ts';

/** So long after the wait for it is over: an answer is kept no longer. */
const openForMs = 86_400_000;

type Asked = Pick<Call<'fetch'>, 'continues' | 'gone'> & { body: unknown };

/** Null when the caller did not ask to resume. */
export const wishOf = ({ continues, gone, body }: Asked, principal: string, route: string): Wish | null => {
  if (continues == null || gone === undefined) return null;
  const asked = body as Readonly<Record<string, unknown>>;
  const { maxAmount, url } = asked;
  const point = Object.entries(asked).filter(([field]) => !fieldsNotCompared.has(field));
  const same = { ...Object.fromEntries(point), ...(typeof url === 'string' ? { url: placeOf(url) } : {}) };
  const text = JSON.stringify([principal, route, same], (_key, value: unknown) =>
    typeof value === 'bigint' ? value.toString() : value,
  );
  return {
    hash: hash('sha256', canonicalize(JSON.parse(text)) ?? ''),
    nth: continues,
    maxAmount: typeof maxAmount === 'bigint' ? usdc(maxAmount) : null,
    over: gone,
  };
};

const placeOf = (url: string): string => {
  const place = new URL(url);
  place.hash = '';
  return place.href;
};

/**
 * The transfer that answers a request: the one of its idempotency key, or the one that it resumes, to which the key is
 * then bound. Synchronous, so that T1 can repeat it.
 * @throws AppError `idempotency_conflict`; `conflict` when the resumed transfer costs more than `maxAmount`
 */
export const answering = (context: Context, { idempotency, wish }: Asker): Transfer | undefined => {
  const { store, attended } = context;
  const knownId = recall(context, idempotency)?.transferId;
  const known = knownId == null ? undefined : store.transfers.get(knownId);
  const found =
    known ?? (wish === null ? undefined : candidates(context, wish).find(({ id }) => !attended.has(id)));
  if (found === undefined || wish === null) return found;
  if (known === undefined) {
    refuseDearer(found, wish);
    store.atomically(() =>
      remember(context, idempotency, { transferId: found.id, approvalId: found.approvalId }),
    );
  }
  attended.attend(found.id, wish.over);
  return found;
};

/** Node polls the network once per turn; it may read the end of a connection one poll after the last bytes. */
const looks = 3;

/**
 * The same, after noticing the connections that ended before this request came. An equal request on one of them has
 * gone by then: its transfer can be resumed, or will never exist (`refuseWhenGone`).
 */
export const answeringNow = async (context: Context, asker: Asker): Promise<Transfer | undefined> => {
  const { wish } = asker;
  if (wish !== null) {
    context.attended.attend(wish.hash, wish.over);
    if (context.attended.hasOther(wish.hash, wish.over))
      for (let left = looks; left > 0; left -= 1) await nextTurn();
  }
  return answering(context, asker);
};

/** Call it inside T1. A refusal is a final answer: there is nothing to resume. */
export const noteWish = ({ store, attended }: Context, { wish }: Asker, row: Transfer): void => {
  if (wish === null || isVoid(row)) return;
  store.wishes.insert({ transferId: row.id, hash: wish.hash, createdAt: row.createdAt });
  attended.attend(row.id, wish.over);
};

/** @throws AppError `not_available` when the caller has gone: it can resume, so nothing is begun without it */
export const refuseWhenGone = ({ wish }: Asker): void => {
  if (wish?.over.aborted === true) throw callerHasGone();
};

/** Oldest first, without those that belong to the client's earlier equal calls. */
const candidates = ({ store, time }: Context, { hash: wished, nth }: Wish): Transfer[] =>
  store.wishes
    .open(wished)
    .flatMap((id) => store.transfers.get(id) ?? [])
    .filter((row) => !isVoid(row) && time.now() <= openUntil(row, store.answers.get(row.id)))
    .slice(nth - 1);

/** In Unix milliseconds, as far as is known by now: a client that waits for the owner or the chain was promised that it is paid once. */
const openUntil = (row: Transfer, answer: KeptAnswer | undefined): number => {
  // The client acknowledged the answer, and the wish is still open: the answer was no delivery.
  if (answer?.receivedAt != null) return answer.receivedAt + repeatedWithinMs;
  return isPaid(row) ? waitedUntil(row) + openForMs : Infinity;
};

/** When the owner had decided, the chain had shown the payment, and the seller had last answered. */
const waitedUntil = ({ createdAt, reservedAt, seenAt, endedAt, purchase }: Transfer): number => {
  const answeredAt = purchase?.evidence?.['answeredAt'];
  const answered = typeof answeredAt === 'string' ? Date.parse(answeredAt) : 0;
  return Math.max(createdAt, reservedAt ?? 0, seenAt ?? 0, endedAt ?? 0, answered);
};

const refuseDearer = (row: Transfer, { maxAmount }: Wish): void => {
  if (maxAmount === null || row.amount <= maxAmount) return;
  throw new AppError(
    'conflict',
    `maxAmount: this was bought before for ${amountOf(row)} USDC, and its answer was not received yet (payment ${row.id}). Nothing more was paid. Ask again with a maxAmount of at least that for the answer.`,
    { paymentId: row.id, amount: amountOf(row) },
  );
};
