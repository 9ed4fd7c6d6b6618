// Shows a seller the payment, and records the answer, or the evidence that the seller did not deliver.
import { setTimeout as wait } from 'node:timers/promises';
import { isDelivery } from '../../contract/payments/wishes.ts';
import { AppError, invariant } from '../../errors.ts';
import type { EngineContext } from '../calls/call.ts';
import { noteUndelivered } from '../notices/add-notice.ts';
import { principalOf } from '../payment/decision/folding.ts';
import { noteOutcome } from '../payment/decision/watch-notes.ts';
import { refuseWhenStopped, stopFor } from '../payment/context.ts';
import { receiptOf } from '../calls/payment-answer.ts';
import type {
  AnswerBody,
  AnswerDraft,
  AnswerFiles,
  BodySink,
  DeliveredAnswer,
  Meter,
  SellerAnswer,
  SellerRequest,
  Sellers,
  SoldUsage,
} from '../ports.ts';
import { isViaFacilitator, txSignatureOf } from '../payment/machine/tx-signature.ts';
import type { ViaFacilitator } from '../payment/machine/via-facilitator.ts';
import { evidenceOf, isAnswer, isCallersLimit, type PurchaseRow, type Silence } from './evidence.ts';
import type { AskedLimits } from './limits.ts';
import { createTee, type Live } from './live.ts';

/** How often a seller of our own protocol is shown a payment that it does not see yet. */
const presentations = 4;
const betweenMs = 1_500;

export interface ShowDeps {
  context: EngineContext;
  sellers: Sellers;
  viaFacilitator: ViaFacilitator;
  files: AnswerFiles;
  /** Null where no language model is asked. */
  meterSold(request: SellerRequest): Meter | null;
  /** Called with the seller's answer on arrival, before it is on disk. */
  arrived(id: string, answer: DeliveredAnswer): void;
  /** The host is shutting down: silence is no longer the seller's fault. */
  isStopped(): boolean;
  /** Aborts the requests that are still open at shutdown. */
  ending: AbortSignal;
}

/** The request that is paid, and where its answer goes. */
interface Order {
  request: SellerRequest;
  limits: AskedLimits;
  live: Live | null;
}

/** A seller's answer, or its silence, and how long it took. */
interface Presentation<S = SellerAnswer | Silence> {
  said: S;
  latencyMs: number;
  used: SoldUsage | null;
}

const purchaseOf = ({ store }: Pick<EngineContext, 'store'>, id: string): PurchaseRow => {
  const row = store.transfers.get(id);
  invariant(row !== undefined && row.purchase !== null, 'a purchase is never deleted');
  return { ...row, purchase: row.purchase };
};

/**
 * Shows the payment, as often as the seller wants, and records its answer or its silence. A delivered answer is on disk
 * before its row says so; if it is lost before that, a replay shows the same payment again.
 */
export const show = async (deps: ShowDeps, id: string, { request, limits, live }: Order): Promise<void> => {
  const { sellers, files, ending } = deps;
  const payment = paymentOf(deps, id);
  if (payment === null) return;
  for (let left = presentations; left > 0; left -= 1) {
    const asked = performance.now();
    const draft = files.draft(id);
    const tee = live === null ? null : createTee(live, draft, limits);
    const isKept = (): boolean => tee?.isKept() ?? true;
    const meter = deps.meterSold(request);
    const goods = { ...limits, headWithinMs: limits.withinMs, into: metered(tee ?? draft, meter) };
    const options = { payment, goods, signal: ending };
    const said = await sellers.ask(request, options).then(withoutCookies, silence);
    const latencyMs = performance.now() - asked;
    const used = meter === null || !isAnswer(said) ? null : await meter.used().catch(() => null);
    const isLast = isAnswer(said) && !mayBeShownAgain(said);
    if (!isLast) await draft.discard();
    if (isAnswer(said) && left > 1 && said.status === 402 && sellers.wantsRetry(said)) {
      await wait(betweenMs);
      continue;
    }
    if (isLast && isKept()) await keep(deps, id, { said, latencyMs, used }, draft);
    else if (isLast) enter(deps, id, { said, latencyMs, used }, null);
    else if (isAnswer(said) || isForSeller(deps, id, said))
      enter(deps, id, { said: isKept() ? said : notKept(said), latencyMs, used }, null);
    return;
  }
};

const metered = (sink: BodySink, meter: Meter | null): BodySink =>
  meter === null
    ? sink
    : {
        begin: (head) => sink.begin?.(head),
        write(chunk) {
          meter.read(chunk);
          return sink.write(chunk);
        },
      };

/** Null when the receipt cannot be signed now, since the vault is locked. */
const paymentOf = ({ context, sellers }: ShowDeps, id: string) => {
  const row = purchaseOf(context, id);
  const { purchase, signed } = row;
  invariant(signed !== null, 'what is shown to a seller is signed');
  const receipt = purchase.dialect === 'receipt' ? receiptOf(context, row) : null;
  if (purchase.dialect === 'receipt' && receipt === null) return null;
  const proof = { paymentId: id, wire: signed.wire, txSignature: txSignatureOf(row), receipt };
  return {
    credential: sellers.credential(purchase, proof),
    beforeSending: () =>
      isViaFacilitator(row) ? context.machine.submitViaFacilitator(id) : refuseWhenStopped(context, row),
  };
};

/** False when we ended the request ourselves, or could not write the answer. */
const isForSeller = ({ context, isStopped }: ShowDeps, id: string, { code }: Silence): boolean =>
  code !== 'disk_low' && !isStopped() && stopFor(context, purchaseOf(context, id)) === null;

const keep = async (
  deps: ShowDeps,
  id: string,
  presentation: Presentation<SellerAnswer>,
  draft: AnswerDraft,
): Promise<void> => {
  const { said } = presentation;
  try {
    // Answers of 400 and above came into memory, not into the draft.
    await draft.write(said.bytes);
    const { status, headers } = said;
    const body = draft.body();
    // Safe to answer before this is durable: after a crash the same payment is shown again.
    deps.arrived(id, { status, headers, body });
    await new Promise((resolve) => setImmediate(resolve));
    await draft.keep();
    enter(deps, id, presentation, body);
  } catch (error) {
    deps.context.log.error(
      { err: error, transfer: id },
      'an answer could not be kept: it has to be asked for again',
    );
    await draft.discard();
  }
};

const enter = (
  { context, sellers, viaFacilitator }: ShowDeps,
  id: string,
  { said, latencyMs, used }: Presentation,
  body: AnswerBody | null,
): void => {
  const { store, time, publish } = context;
  const row = purchaseOf(context, id);
  const { purchase, serviceId, agentId, keyPath } = row;
  const answer = isAnswer(said) ? said : null;
  const word = answer === null ? null : sellers.settlement(purchase.dialect, answer);
  // A redirect is no delivery: we never follow one with a payment.
  const ok = answer !== null && isDelivery(answer);
  const now = time.now();
  const code = !isAnswer(said) && isCallersLimit(said.code) ? said.code : null;
  const usage = used ?? purchase.evidence?.['usage'];
  const evidence = {
    ...evidenceOf(sellers, row, { said, word, ok, code, now, latencyMs }),
    ...(usage === undefined ? {} : { usage }),
  };
  store.lazily(() => {
    store.transfers.deliver(id, ok ? 'delivered' : 'undelivered', evidence);
    if (!ok && purchase.delivery !== 'undelivered') noteUndelivered(context, purchaseOf(context, id));
    // Shown again, it is still the same purchase.
    if (ok || evidence.shown === 1) noteOutcome(context, purchaseOf(context, id), now);
    if (ok && agentId !== null)
      store.sellerSignIns.know(principalOf(agentId, keyPath), new URL(purchase.url).origin);
    if (answer !== null && body !== null && agentId !== null) {
      const { bytes, encoding } = body;
      const { status, headers } = answer;
      store.answers.keep({
        transferId: id,
        agentId,
        status,
        headers,
        bytes,
        encoding,
        at: now,
        receivedAt: null,
      });
    }
    if (serviceId !== null && code === null) store.services.observed(serviceId, { at: now, ok, latencyMs });
  });
  const paid = purchaseOf(context, id);
  publish({ type: 'transfer', transfer: paid });
  if (word?.txSignature != null && isViaFacilitator(paid)) void viaFacilitator.follow(paid, word.txSignature);
};

/** Cut off after more than is kept: showing the payment again would not bring it back to its reader. */
const notKept = <S extends SellerAnswer | Silence>(said: S): S =>
  isAnswer(said) ? said : { ...said, code: 'answer_not_kept' };

const silence = (error: unknown): Silence => {
  if (error instanceof AppError) return { error: error.message, code: error.code };
  throw error;
};
/** A seller that refused or broke may take the same payment a moment later. */
const mayBeShownAgain = ({ status }: SellerAnswer): boolean =>
  [402, 408, 425, 429].includes(status) || status >= 500;

/** Cookies belong to the treasury's connection, and the treasury is not the agent's browser. */
export const withoutCookies = ({ headers, ...answer }: SellerAnswer): SellerAnswer => ({
  ...answer,
  headers: Object.fromEntries(Object.entries(headers).filter(([name]) => name !== 'set-cookie')),
});
