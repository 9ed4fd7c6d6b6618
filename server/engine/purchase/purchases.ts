// The paid fetch: ask the seller, choose among its offers (choose.ts), decide, pay, and show it the payment (show.ts).
// The money is in payment/machine.ts; this file decides nothing about it, and never pays again.
//
// In x402, and in MPP if the seller pays the fee, the signed bytes go to the seller with the request, and we find the
// transaction on the chain by its message (via-facilitator.ts). Otherwise we send the transaction, and show its receipt
// or its signature once it is confirmed.
//
// No answer of the seller ends the row, not even silence or "not paid": only the chain or a proof of expiry does. A
// replay of the idempotency key shows the same payment at the same URL again. The request itself is kept in memory
// alone, since it may hold secrets of the agent; after a restart the agent's replay brings it back.
//
// A new request waits for a place (places.ts) and for room for the answer (room.ts) before the seller is asked at all.
// A replay goes on with its payment at once; only showing it again needs a place.
import type { Accepted, Body } from '../../contract/schemas.ts';
import { AppError, invariant } from '../../errors.ts';
import { accepted, agentOnRecord, askerOf, notArchived, type EngineContext } from '../api/api.ts';
import { awaitDecision, openTransfer, usualWaitMs } from '../payment/request.ts';
import { stopFor } from '../payment/context.ts';
import { paymentAnswer } from '../api/payments.ts';
import type {
  Answer,
  AnswerFiles,
  Call,
  DeliveredAnswer,
  SellerRequest,
  Sellers,
  Transfer,
} from '../ports.ts';
import { isViaFacilitator } from '../payment/tx-signature.ts';
import { isPaid, statusOf } from '../domain/states.ts';
import { fetchAnswer } from './answer.ts';
import { createAskFirst, type Leave, type Wanted } from './ask-first.ts';
import { choose, intentOf } from './choose.ts';
import type { ViaFacilitator } from '../payment/via-facilitator.ts';
import { createKept, type Kept } from './kept.ts';
import { limitsOf } from './limits.ts';
import { createPlaces } from './places.ts';
import { createRoom } from './room.ts';
import { createShow, isCallersLimit } from './show.ts';

export interface Purchases {
  fetch(call: Call<'fetch'>): Promise<Answer<'fetch'>>;
  /** For an agent that asks the seller itself: signs, and answers with the header that carries the payment. */
  sign(call: Call<'pay'>, body: X402Body): Promise<Answer<'pay'>>;
  /** Warns the owner, once, of a purchase that was paid and not delivered. */
  noticed(transfer: Transfer): void;
  kept: Pick<Kept, 'need' | 'acknowledge'>;
  /** Call it before the first request. */
  prepare(): Promise<void>;
  start(): void;
  /** Ends the waits; all that was signed or shown is on disk. */
  stop(): Promise<void>;
}

export interface PurchasesDeps {
  sellers: Sellers;
  files: AnswerFiles;
  /** The requests of purchases that this process can carry to their sellers, by payment. */
  requests: Map<string, SellerRequest>;
  viaFacilitator: ViaFacilitator;
}

type X402Body = Extract<Body<'pay'>, { x402: unknown }>;
type Paid = NonNullable<Accepted<'pay'>['x402']>;

const lookAgainMs = 60_000;
const confirmedWithinMs = 120_000;
/** At shutdown, sellers that were paid have this long to answer. */
const lastAnswersMs = 10_000;
const atOnce = { ofOneAgent: 8, ofAll: 16 };
const never = new AbortController().signal;

export const createPurchases = (
  context: EngineContext,
  { sellers, files, requests, viaFacilitator }: PurchasesDeps,
): Purchases => {
  const { store, machine, outcomes, publish, log } = context;
  const running = new Map<string, Promise<void>>();
  let stopped = false;
  const [stopping, ending] = [new AbortController(), new AbortController()];
  const room = createRoom(context, files);
  const places = createPlaces(atOnce);
  const kept = createKept(context, files, room);
  /** Sellers' answers on their way to the disk. */
  const answers = new Map<string, DeliveredAnswer>();
  /** Those of them that their clients acknowledged before they were kept. */
  const received = new Set<string>();
  /** Payments that are being shown to their sellers now. */
  const shown = new Set<string>();
  /** Why a payment could not be shown, for the calls that wait for it. */
  const hindered = new Map<string, AppError>();
  const heard = (id: string, answer: DeliveredAnswer): void => {
    answers.set(id, answer);
    outcomes.changed(id);
  };
  const show = createShow({
    context,
    sellers,
    machine,
    viaFacilitator,
    files,
    heard,
    isStopped: () => stopped,
    ending: ending.signal,
  });
  /** First a place, then room: a wait for room ends when another with a place is done. */
  const take = async ({ agent, limits }: Wanted, gone: AbortSignal, isFirst = false): Promise<Leave> => {
    const signal = AbortSignal.any([gone, stopping.signal]);
    const leave = await places.take(agent.agentId, signal, isFirst);
    try {
      const giveBack = await room.take(agent.agentId, limits.mostBytes, signal);
      return () => {
        giveBack();
        leave();
      };
    } catch (error) {
      leave();
      throw error;
    }
  };
  const askFirst = createAskFirst(context, { sellers, files, requests, take });

  const current = (id: string): Transfer => {
    const row = store.transfers.get(id);
    invariant(row !== undefined, 'a transfer is never deleted');
    return row;
  };

  /** Takes a purchase as far as it goes, in one run at a time, whether or not a call waits for it. */
  const carry = (id: string, wanted: Wanted, leave: Leave | null): void => {
    if (running.has(id) || stopped) return leave?.();
    requests.set(id, wanted.request);
    const end = deliver(id, wanted, leave)
      .catch((error: unknown) => {
        if (error instanceof AppError) hindered.set(id, error);
        else log.error({ err: error, transfer: id }, 'a purchase could not be taken further');
      })
      .finally(() => {
        leave?.();
        if (received.has(id)) kept.acknowledge(id);
        for (const held of [running, requests, answers, shown, received]) held.delete(id);
        outcomes.changed(id);
        // The waiting calls have read it by then.
        setImmediate(() => hindered.delete(id));
      });
    running.set(id, end);
  };

  const deliver = async (id: string, wanted: Wanted, place: Leave | null): Promise<void> => {
    let leave = place;
    const isDecided = (): boolean => stopped || store.transfers.state(id) !== 'awaiting_approval';
    // The owner may take long, and others need the place.
    if (!isDecided()) {
      leave?.();
      leave = null;
    }
    while (!isDecided()) await outcomes.wait(id, isDecided, lookAgainMs, null);
    void machine.advance(id);
    const isReady = (): boolean => {
      const now = current(id);
      // Once the machine is no longer busy with it, the signed bytes are on disk.
      return stopped || (canBeShown(now) && !machine.busy(id)) || isOver(now);
    };
    await outcomes.wait(id, isReady, confirmedWithinMs, null);
    if (!mayShow(id)) return;
    leave ??= await take(wanted, never, true).catch(asPaid);
    try {
      if (!mayShow(id)) return;
      shown.add(id);
      await show(id, wanted.request, wanted.limits);
    } finally {
      leave();
    }
  };

  const mayShow = (id: string): boolean => {
    const row = current(id);
    return !stopped && canBeShown(row) && !machine.busy(id) && !isSettled(row);
  };

  /** Showing it again would bring nothing more. */
  const isSettled = (row: Transfer): boolean =>
    isOver(row) || row.purchase?.delivery === 'delivered' || store.answers.get(row.id) !== undefined;

  const fetch: Purchases['fetch'] = async (call) => {
    const { timeoutSeconds, maxBytes, ...asked } = call.body;
    const limits = limitsOf(context, { timeoutSeconds, maxBytes });
    const agent = agentOnRecord(store, call.params.agentId);
    // Limits of time and size are not part of the request: a replay may allow more.
    const asker = askerOf({ ...call, body: asked }, `agent:${agent.agentId}`, 'fetch');
    const wanted = {
      agent,
      request: requestOf(asked),
      limits,
      maxAmount: asked.maxAmount,
      reason: asked.reason ?? null,
    };
    const opened = await askFirst(asker, wanted, call.gone ?? never);
    if (opened.kind === 'free') return opened.answer;
    const { id, leave } = opened;
    const row = current(id);
    if (isSettled(row) || stopFor(context, row) !== null) {
      leave?.();
      if (!running.has(id)) requests.delete(id);
    } else carry(id, wanted, leave);
    await awaitDecision(context, id, asker, call.waitMs);
    const waitMs = call.waitMs ?? Math.max(usualWaitMs, limits.isPatient ? limits.withinMs : 0);
    if (store.transfers.state(id) !== 'awaiting_approval')
      await outcomes.wait(id, () => answers.has(id) || !running.has(id), waitMs, asker.keyId);
    const why = hindered.get(id);
    if (why !== undefined) throw new AppError(why.code, why.message, { ...why.details, paymentId: id });
    const answer = answers.get(id) ?? kept.of(id);
    return fetchAnswer(store, current(id), { answer, isShown: shown.has(id) });
  };

  const sign: Purchases['sign'] = async (call, body) => {
    const agent = agentOnRecord(store, call.params.agentId);
    const asker = askerOf(call, `agent:${agent.agentId}`, 'pay');
    const { id } = await openTransfer(context, asker, () => {
      notArchived(agent);
      const { extensions = null, description, resource } = body;
      const read = sellers.offerOf(body.x402, resource, extensions);
      const offer = choose(context, [read], {}, undefined);
      const intent = intentOf(context, agent, { method: '', url: resource, body: null }, offer, 'agent');
      return {
        ...intent,
        description: description || intent.description,
        reason: body.reason ?? null,
      };
    });
    await awaitDecision(context, id, asker, call.waitMs);
    void machine.advance(id);
    const isSigned = (): boolean =>
      !['awaiting_approval', 'reserved'].includes(store.transfers.state(id) ?? '') && !machine.busy(id);
    if (store.transfers.state(id) !== 'awaiting_approval')
      await outcomes.wait(id, isSigned, call.waitMs ?? usualWaitMs, asker.keyId);
    const row = current(id);
    const canPay = (row.state === 'signed' || row.state === 'sent') && !machine.busy(id);
    const x402 = canPay ? headerOf(row) : null;
    if (x402 === null) return paymentAnswer(context, row);
    machine.submitViaFacilitator(id);
    return accepted({ paymentId: id, status: 'pending', x402 });
  };

  const headerOf = ({ id, purchase, signed }: Transfer): Paid => {
    invariant(purchase !== null && signed !== null, 'what is handed over is signed');
    const proof = { paymentId: id, wire: signed.wire, txSignature: null, receipt: null };
    const { name, value } = sellers.credential(purchase, proof);
    return { header: name, value };
  };

  const told = new Set<string>();
  const noticed = (row: Transfer): void => {
    const { id, purchase, serviceName } = row;
    if (!isPaid(row) || purchase?.delivery !== 'undelivered' || told.has(id)) return;
    told.add(id);
    const why = isCallersLimit(purchase.evidence?.['code'])
      ? 'and delivered more, or later, than its caller allowed'
      : 'and did not deliver';
    const message = `${serviceName} was paid ${why} (payment ${id}).`;
    publish({ type: 'warning', code: 'not_delivered', message });
  };

  return {
    fetch,
    sign,
    noticed,
    kept: {
      need: kept.need,
      acknowledge(id) {
        if (answers.has(id)) received.add(id);
        kept.acknowledge(id);
      },
    },
    prepare: kept.prepare,
    start: kept.start,
    async stop() {
      stopped = true;
      stopping.abort();
      for (const id of running.keys()) outcomes.changed(id);
      const timer = setTimeout(() => ending.abort(), lastAnswersMs);
      await Promise.allSettled([kept.stop(), ...running.values()]);
      clearTimeout(timer);
    },
  };
};

/** Paid already, or signed for a facilitator and still valid. */
const canBeShown = (row: Transfer): boolean =>
  isPaid(row) || (isViaFacilitator(row) && (row.state === 'signed' || row.state === 'sent'));

const isOver = (row: Transfer): boolean => ['denied', 'failed', 'unknown'].includes(statusOf(row));

/** Rewords an error that keeps a payment from its seller: "nothing was paid" would be wrong, and cause a second one. */
const asPaid = (error: unknown): never => {
  if (!(error instanceof AppError)) throw error;
  const { code, details } = error;
  if (code === 'answers_full')
    throw new AppError(
      code,
      'This is paid already. Its answer was not requested, since the 64 MiB for this agent’s answers are full. Do not pay it again: acknowledge answers that you have received (POST /v1/agents/:agentId/payments/:paymentId/received) or lower maxBytes, then repeat the request with the same Idempotency-Key.',
      details,
    );
  throw new AppError(
    'halted',
    'The treasury is shutting down. When it runs again, repeat the request with the same Idempotency-Key; you are not charged twice.',
  );
};

const requestOf = ({
  url,
  method,
  headers,
  body,
}: Pick<Body<'fetch'>, 'url' | 'method' | 'headers' | 'body'>): SellerRequest => {
  if (body !== undefined && method === 'GET') throw new AppError('bad_request', 'body: GET has none.');
  const target = new URL(url);
  target.hash = '';
  return { url: target.href, method, headers, body: body ?? null };
};
