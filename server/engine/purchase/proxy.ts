// A paid fetch whose caller gets the seller's answer while it arrives: a client that knows nothing of the treasury, and
// may repeat a request by itself. No refusal invites it to pay again, and an equal request goes on with the first.
import { hash } from 'node:crypto';
import { isDelivery, isHeaderCompared } from '../../contract/payments/wishes.ts';
import type { Accepted } from '../../contract/schemas.ts';
import { AppError, type ErrorCode } from '../../errors.ts';
import { agentOnRecord, askerOf, type EngineContext } from '../calls/call.ts';
import { awaitDecision } from '../calls/request.ts';
import type { Asker } from '../payment/decision/intent.ts';
import { current } from '../payment/machine/steps.ts';
import type { AnswerReader, ProxyCall, Streamed } from '../ports.ts';
import { answerNotKept, fetchAnswer, paymentOf } from './answer.ts';
import type { AskFirst } from './ask-first.ts';
import { setOut, type Purchasing } from './carry.ts';
import { streamLimits } from './limits.ts';
import { createLive, type Live } from './live.ts';

interface Proxying extends Purchasing {
  /** The client has the whole answer. */
  acknowledge(id: string): void;
}

const lookAgainMs = 60_000;
const retryAfterSeconds = 5;

/**
 * Pays for one request to a seller, if it asks for payment; the reader gets the answer. Resolves once it is over.
 * @throws AppError as the request was refused, as `fetchAnswer` does, and for what is not over `awaiting_approval` and
 *   `payment_pending`; after `reader.begin`, when the seller's answer broke off. Its details name the payment, if there
 *   is one, and say whether it `isSigned`
 */
export const proxyPaid = async (proxying: Proxying, askFirst: AskFirst, call: ProxyCall): Promise<void> => {
  const { context } = proxying;
  const { caller, request, maxAmount } = call;
  let id: string | null = null;
  const reader: AnswerReader = {
    ...call.reader,
    begin(head) {
      // A client may repeat its request as soon as it has this head: what is no delivery is then the same purchase.
      if (id !== null && !isDelivery(head)) context.attended.leave(id, call.gone);
      call.reader.begin(head);
    },
  };
  const live = createLive(reader, () => (id === null ? null : paymentOf(current(context, id))));
  try {
    const agent = agentOnRecord(context.store, caller.agentId);
    const asker = askerOfProxy(call);
    const wanted = { agent, request, limits: streamLimits(context), maxAmount, reason: null, live };
    const opened = await askFirst(asker, wanted, call.gone);
    if (opened.kind === 'row') {
      id = opened.id;
      setOut(proxying, id, wanted, opened.leave);
      await untilAnswered(proxying, id, asker);
      await handOver(proxying, id, live, reader);
    }
    if ((await reader.end()) && id !== null) proxying.acknowledge(id);
  } catch (error) {
    live.detach();
    throw error instanceof AppError ? withPayment(context, id, error) : error;
  }
};

/** Its idempotency key is one for this request, or the request stands for itself. */
const askerOfProxy = ({ caller, request, key, maxAmount, gone }: ProxyCall): Asker => {
  const { url, target, method, headers, body } = request;
  const same = {
    url: target === undefined ? url : `${new URL(url).origin}${target}`,
    method,
    headers: Object.fromEntries(
      Object.entries(headers)
        .map(([name, value]) => [name.toLowerCase(), value] as const)
        .filter(([name]) => isHeaderCompared(name)),
    ),
    body: body === null ? null : hash('sha256', body),
    maxAmount,
  };
  const continues = key === null ? 1 : null;
  return askerOf({ caller, key, continues, gone, body: same }, `agent:${caller.agentId}`, 'proxy');
};

/** Waits for the owner and the chain for a while; for the seller, once it was shown the payment, to the end. */
const untilAnswered = async (
  { context, answers, running, shown }: Proxying,
  id: string,
  asker: Asker,
): Promise<void> => {
  const { store, outcomes, settings } = context;
  const begin = performance.now();
  await awaitDecision(context, id, asker, settings.proxyHoldMs);
  if (store.transfers.state(id) === 'awaiting_approval') return;
  const isOver = (): boolean => answers.has(id) || !running.has(id);
  const leftMs = settings.proxyHoldMs - (performance.now() - begin);
  await outcomes.wait(id, () => shown.has(id) || isOver(), leftMs, asker.keyId);
  while (shown.has(id) && !isOver()) await outcomes.wait(id, isOver, lookAgainMs, asker.keyId);
};

/** Sees that the reader has the whole answer. @throws AppError otherwise */
const handOver = async (
  { context, answers, shown, hindered, kept }: Proxying,
  id: string,
  live: Live,
  reader: AnswerReader,
): Promise<void> => {
  const answer = answers.get(id) ?? kept.of(id);
  const row = current(context, id);
  if (live.hasBegun()) {
    if (answer !== undefined || row.purchase?.delivery === 'delivered') return;
    throw new AppError('not_available', 'The seller’s answer broke off.');
  }
  // Anything that comes from now on would be a second answer.
  live.detach();
  const why = hindered.get(id);
  if (why !== undefined) throw why;
  const answered = fetchAnswer(context.store, row, { answer, isShown: shown.has(id) });
  if (answered.kind === 'accepted') throw notYet(answered.body);
  // It was delivered before, to somebody who has gone.
  if (answered.kind === 'done') throw answerNotKept(id);
  await play(answered, reader);
};

const play = async ({ head, body }: Streamed, reader: AnswerReader): Promise<void> => {
  reader.begin(head);
  for await (const piece of body.read()) if (!(await reader.write(piece))) return;
};

/** A client would take a 202 for the seller's answer. */
const notYet = ({ status, message, ...details }: Accepted<'fetch'>): AppError =>
  status === 'awaiting_approval'
    ? new AppError(
        status,
        'The owner has to allow this payment first. Repeat the same request within a day of the approval: it is paid once.',
        { ...details, retryAfterSeconds },
      )
    : new AppError('payment_pending', message, { ...details, retryAfterSeconds });

/** The limits of an answer through the proxy are the owner's alone. */
const ownersLimit: Readonly<Partial<Record<ErrorCode, string>>> = {
  answer_too_large:
    'It is paid, and its answer is larger than the owner lets through the proxy (--stream-bytes). Do not pay it again: with a higher limit, the same request shows the seller the same payment once more.',
  answer_too_slow:
    'It is paid, and its answer was silent for longer than the owner allows (--answer-seconds). Do not pay it again: the same request shows the seller the same payment once more.',
};

const withPayment = (
  { store }: Pick<EngineContext, 'store'>,
  id: string | null,
  { code, message, details = {} }: AppError,
): AppError => {
  const paymentId = id ?? details['paymentId'];
  if (typeof paymentId !== 'string') return new AppError(code, message, details);
  const isSigned = store.transfers.get(paymentId)?.signed != null;
  return new AppError(code, ownersLimit[code] ?? message, { ...details, paymentId, isSigned });
};
