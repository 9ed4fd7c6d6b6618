// The paid fetch: ask the seller, choose among what it wants (choose.ts), decide, pay, and show it the payment (show.ts).
// The money is in payment.ts; what is here decides nothing about it, and never pays again.
//
// In x402, and in MPP where the seller pays the fee, the signed bytes are handed to the seller with the request, and the
// row is looked for on the chain by its message (handed-over.ts). Otherwise we send the transaction, and show the
// receipt or the transaction's name once it is confirmed.
//
// Whatever the seller answers to a payment, also nothing, also "not paid", the row stands until the chain or a proof of
// death ends it. The same Idempotency-Key shows the same payment, at the same place, again. The request itself is kept
// in memory alone, since it may hold secrets of the agent's: after a restart the agent's repetition brings it back.
import type { Accepted, Body } from '../../contract/schemas.ts';
import { AppError, invariant } from '../../errors.ts';
import { accepted, agentNamed, askerOf, done, type EngineContext } from '../api.ts';
import { awaitDecision, openTransfer, usualWaitMs } from '../carry-out.ts';
import { refuseWhenStopped, stopFor } from '../context.ts';
import { recall } from '../intent.ts';
import { paymentAnswer } from '../operations/payments.ts';
import type { Answer, Call, SellerAnswer, SellerRequest, Sellers, Transfer } from '../ports.ts';
import { repeat } from '../repeat.ts';
import { isHandedOver } from '../tx-signature.ts';
import { statusOf } from '../views.ts';
import { fetchAnswer, shownAnswer } from './answer.ts';
import { choose, intentOf } from './choose.ts';
import type { HandedOver } from './handed-over.ts';
import { createShow, withoutCookies } from './show.ts';

export interface Purchases {
  fetch(call: Call<'fetch'>): Promise<Answer<'fetch'>>;
  /** For an agent that asks the seller itself: signs, and answers with the header that pays. */
  sign(call: Call<'pay'>, body: X402Body): Promise<Answer<'pay'>>;
  /** Tells the owner, once, of a purchase that was paid and not delivered. */
  noticed(transfer: Transfer): void;
  start(): void;
  /** Ends what waits; what was signed or shown is on disk. */
  stop(): Promise<void>;
}

export interface PurchasesDeps {
  sellers: Sellers;
  /** The requests of purchases that this process can carry to their sellers, by payment. */
  requests: Map<string, SellerRequest>;
  handedOver: HandedOver;
}

type X402Body = Extract<Body<'pay'>, { x402: unknown }>;
type Paid = NonNullable<Accepted<'pay'>['x402']>;

const answersKeptMs = 86_400_000;
const pruneEveryMs = 3_600_000;
const lookAgainMs = 60_000;
const confirmedWithinMs = 120_000;

export const createPurchases = (
  context: EngineContext,
  { sellers, requests, handedOver }: PurchasesDeps,
): Purchases => {
  const { store, time, machine, outcomes, publish, log } = context;
  const running = new Map<string, Promise<void>>();
  let stopped = false;
  /** What sellers said a moment ago, on its way to the disk. */
  const answers = new Map<string, SellerAnswer>();
  const heard = (id: string, answer: SellerAnswer): void => {
    answers.set(id, answer);
    outcomes.changed(id);
  };
  const show = createShow({ context, sellers, machine, handedOver, heard, isStopped: () => stopped });

  const current = (id: string): Transfer => {
    const row = store.transfers.get(id);
    invariant(row !== undefined, 'a transfer is never deleted');
    return row;
  };

  /** Takes a purchase as far as it goes, once at a time, whether somebody waits for it or not. */
  const carry = (id: string, request: SellerRequest): void => {
    if (running.has(id) || stopped) return;
    requests.set(id, request);
    const end = deliver(id, request)
      .catch((error: unknown) =>
        log.error({ err: error, transfer: id }, 'a purchase could not be taken further'),
      )
      .finally(() => {
        running.delete(id);
        requests.delete(id);
        answers.delete(id);
        outcomes.changed(id);
      });
    running.set(id, end);
  };

  const deliver = async (id: string, request: SellerRequest): Promise<void> => {
    const isDecided = (): boolean => stopped || store.transfers.state(id) !== 'awaiting_approval';
    while (!isDecided()) await outcomes.wait(id, isDecided, lookAgainMs, null);
    void machine.advance(id);
    const isReady = (): boolean => {
      const now = current(id);
      // Not in hand any more: what is signed is on disk.
      return stopped || (canBeShown(now) && !machine.busy(id)) || isOver(now);
    };
    await outcomes.wait(id, isReady, confirmedWithinMs, null);
    const row = current(id);
    if (!stopped && canBeShown(row) && !machine.busy(id) && !isSettled(row)) await show(id, request);
  };

  /** Nothing more can be had from showing it. */
  const isSettled = (row: Transfer): boolean =>
    isOver(row) || row.purchase?.delivery === 'delivered' || store.purchases.answer(row.id) !== undefined;

  const fetch: Purchases['fetch'] = async (call) => {
    const { body, params, waitMs } = call;
    const agent = agentNamed(store, params.agentId);
    const asker = askerOf(call, `agent:${agent.agentId}`, 'fetch');
    const request = requestOf(body);
    const knownId = recall(context, asker.idempotency)?.transferId;
    let row = knownId == null ? undefined : current(knownId);
    if (row === undefined) {
      refuseWhenStopped(context, { kind: 'payment', agentId: agent.agentId });
      const first = withoutCookies(await sellers.ask(request));
      if (first.status !== 402) return done({ ...shownAnswer(first), payment: null });
      const offer = choose(context, sellers.offers(first), request.headers, body.maxAmount);
      const intent = {
        ...intentOf(context, agent, request, offer, 'treasury'),
        reason: body.reason ?? null,
      };
      row = await openTransfer(
        context,
        asker,
        () => intent,
        ({ id }) => void requests.set(id, request),
      );
    }
    const { id } = row;
    if (isSettled(row)) requests.delete(id);
    else if (stopFor(context, row) === null) carry(id, request);
    await awaitDecision(context, id, asker, waitMs);
    if (store.transfers.state(id) !== 'awaiting_approval')
      await outcomes.wait(id, () => answers.has(id) || !running.has(id), waitMs ?? usualWaitMs, asker.keyId);
    return fetchAnswer(store, current(id), answers.get(id));
  };

  const sign: Purchases['sign'] = async (call, body) => {
    const agent = agentNamed(store, call.params.agentId);
    const asker = askerOf(call, `agent:${agent.agentId}`, 'pay');
    const { id } = await openTransfer(context, asker, () => {
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
    machine.handOver(id);
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
    if (statusOf(row) !== 'confirmed' || purchase?.delivery !== 'undelivered' || told.has(id)) return;
    told.add(id);
    const message = `${serviceName} was paid and did not deliver (payment ${id}).`;
    publish({ type: 'warning', code: 'not_delivered', message });
  };

  const pruning = repeat(async () => {
    store.atomically(() => store.purchases.forgetAnswers(time.now() - answersKeptMs));
  }, pruneEveryMs);

  return {
    fetch,
    sign,
    noticed,
    start: pruning.start,
    async stop() {
      stopped = true;
      for (const id of running.keys()) outcomes.changed(id);
      await pruning.stop();
      await Promise.allSettled(running.values());
    },
  };
};

/** Paid already; or signed for its seller, and still good. */
const canBeShown = (row: Transfer): boolean =>
  statusOf(row) === 'confirmed' || (isHandedOver(row) && (row.state === 'signed' || row.state === 'sent'));

const isOver = (row: Transfer): boolean => ['denied', 'failed', 'unknown'].includes(statusOf(row));

const requestOf = ({ url, method, headers, body }: Body<'fetch'>): SellerRequest => {
  if (body !== undefined && method === 'GET') throw new AppError('bad_request', 'body: GET has none.');
  const target = new URL(url);
  target.hash = '';
  return { url: target.href, method, headers, body: body ?? null };
};
