// The paid fetch (fetch.ts): ask the seller, choose among its offers (choose.ts), decide, pay, and carry the payment to it
// (carry.ts, show.ts). The money is in payment/machine.ts; this room decides nothing about it, and never pays again.
//
// In x402, and in MPP if the seller pays the fee, the signed bytes go to the seller with the request, and we find the
// transaction on the chain by its message (via-facilitator.ts). Otherwise we send the transaction, and show its receipt
// or its signature once it is confirmed.
//
// No answer of the seller ends the row, not even silence or "not paid": only the chain or a proof of its end does. A
// replay of the idempotency key shows the same payment at the same URL again. The request itself is kept in memory
// alone, since it may hold secrets of the agent; after a restart the agent's replay brings it back.
//
// A new request waits for a place (places.ts) before the seller is asked, and for room for the answer (room.ts) before
// anything is paid. A replay goes on with its payment at once; only showing it again needs a place.
import type { AppError } from '../../errors.ts';
import type { EngineContext } from '../calls/call.ts';
import type { Answer, Call, DeliveredAnswer, ProxyCall, Transfer } from '../ports.ts';
import { endInTime } from '../../lib/closing.ts';
import { isPaid } from '../domain/states.ts';
import { createAskFirst, type PurchasesDeps } from './ask-first.ts';
import { takePlace, takeRoom, type Purchasing } from './carry.ts';
import { fetchPaid } from './fetch.ts';
import { createKept, type Kept } from './kept.ts';
import { createPlaces } from './places.ts';
import { proxyPaid } from './proxy.ts';
import { createRoom } from './room.ts';
import { isCallersLimit } from './evidence.ts';
import { show, type ShowDeps } from './show.ts';
import { signForAgent, type AskedBody } from './sign-for-agent.ts';

export interface Purchases {
  fetch(call: Call<'fetch'>): Promise<Answer<'fetch'>>;
  /** The same for a caller that gets the seller's answer while it arrives. Resolves once it is over. */
  proxy(call: ProxyCall): Promise<void>;
  /** For an agent that asks the seller itself: signs, and answers with what carries the payment. */
  sign(call: Call<'pay'>, body: AskedBody): Promise<Answer<'pay'>>;
  /** Warns the owner, once, of a purchase that was paid and not delivered. */
  noticed(transfer: Transfer): void;
  kept: Pick<Kept, 'need' | 'acknowledge'>;
  /** Call it before the first request. */
  prepare(): Promise<void>;
  start(): void;
  /** Ends the waits; all that was signed or shown is on disk. @throws Error that names the payments that do not end */
  stop(): Promise<void>;
}

/** At shutdown, sellers that were paid have this long to answer. */
const lastAnswersMs = 10_000;
const atOnce = { ofOneAgent: 8, ofAll: 16 };

export const createPurchases = (
  context: EngineContext,
  deps: PurchasesDeps & Pick<ShowDeps, 'viaFacilitator' | 'meterSold'>,
): Purchases => {
  const { sellers, files, requests, viaFacilitator, meterSold } = deps;
  const ending = new AbortController();
  const room = createRoom(context, files);
  const answers = new Map<string, DeliveredAnswer>();
  const state = {
    context,
    sellers,
    requests,
    running: new Map<string, Promise<void>>(),
    answers,
    received: new Set<string>(),
    shown: new Set<string>(),
    hindered: new Map<string, AppError>(),
    stopping: new AbortController(),
    room,
    places: createPlaces(atOnce),
    kept: createKept(context, files, room),
  };
  const showing: ShowDeps = {
    context,
    sellers,
    viaFacilitator,
    meterSold,
    files,
    arrived(id, answer) {
      answers.set(id, answer);
      context.outcomes.changed(id);
    },
    isStopped: () => state.stopping.signal.aborted,
    ending: ending.signal,
  };
  const purchasing: Purchasing = {
    ...state,
    show: (id, wanted) => show(showing, id, wanted),
  };
  const askFirst = createAskFirst(context, {
    ...deps,
    place: (wanted, gone) => takePlace(purchasing, wanted, gone),
    room: (wanted, gone) => takeRoom(purchasing, wanted, gone),
  });
  const { kept, received } = state;
  const warned = new Set<string>();
  const acknowledge = (id: string): void => {
    const arrived = answers.get(id);
    if (arrived !== undefined) received.add(id);
    kept.acknowledge(id, arrived);
  };
  return {
    fetch: (call) => fetchPaid(purchasing, askFirst, call),
    proxy: (call) => proxyPaid({ ...purchasing, acknowledge }, askFirst, call),
    sign: (call, body) => signForAgent(purchasing, call, body),
    noticed: (row) => warnWhenUndelivered(context, warned, row),
    kept: { need: kept.need, acknowledge },
    prepare: kept.prepare,
    start: kept.start,
    stop: () => stop(purchasing, ending),
  };
};

/** Ends the waits at once, and the requests to sellers a little later. */
const stop = async (
  { context, running, kept, stopping }: Purchasing,
  ending: AbortController,
): Promise<void> => {
  stopping.abort();
  for (const id of running.keys()) context.outcomes.changed(id);
  const timer = setTimeout(() => ending.abort(), lastAnswersMs);
  await endInTime({ kept: kept.stop(), ...Object.fromEntries(running) }, 2 * lastAnswersMs).finally(() =>
    clearTimeout(timer),
  );
};

const warnWhenUndelivered = ({ publish }: EngineContext, warned: Set<string>, row: Transfer): void => {
  const { id, purchase, serviceName } = row;
  if (!isPaid(row) || purchase?.delivery !== 'undelivered' || warned.has(id)) return;
  warned.add(id);
  const why = isCallersLimit(purchase.evidence?.['code'])
    ? 'and delivered more, or later, than its caller allowed'
    : 'and did not deliver';
  const message = `${serviceName} was paid ${why} (payment ${id}).`;
  publish({ type: 'warning', code: 'not_delivered', message });
};
