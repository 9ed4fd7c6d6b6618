// Shows a seller the payment, and writes down what it says: the answer, or the evidence that it did not deliver.
import { setTimeout as wait } from 'node:timers/promises';
import { AppError, invariant } from '../../errors.ts';
import type { EngineContext } from '../api.ts';
import { refuseWhenStopped, stopFor } from '../context.ts';
import { receiptOf } from '../operations/payments.ts';
import type { Machine } from '../payment.ts';
import type { SellerAnswer, SellerRequest, Sellers, Transfer } from '../ports.ts';
import { isHandedOver, txSignatureOf } from '../tx-signature.ts';
import { iso } from '../views.ts';
import type { HandedOver } from './handed-over.ts';

/** Sellers of our own protocol that do not see a payment yet are shown it so often. */
const presentations = 4;
const betweenMs = 1_500;

export interface ShowDeps {
  context: EngineContext;
  sellers: Sellers;
  machine: Machine;
  handedOver: HandedOver;
  /** Called with the seller's answer as it comes, before it is written down. */
  heard(id: string, answer: SellerAnswer): void;
  /** The host is going: silence is not the seller's fault any more. */
  isStopped(): boolean;
}

/** Shows the payment, as often as the seller wants, and enters its answer, or its silence. */
export const createShow = (deps: ShowDeps) => {
  const { context, sellers, machine, handedOver, isStopped } = deps;
  const { store, time, publish } = context;

  const current = (id: string): Transfer & { purchase: NonNullable<Transfer['purchase']> } => {
    const row = store.transfers.get(id);
    invariant(row !== undefined && row.purchase !== null, 'a purchase is never deleted');
    return { ...row, purchase: row.purchase };
  };

  const show = async (id: string, request: SellerRequest): Promise<void> => {
    const row = current(id);
    const { purchase, signed } = row;
    invariant(signed !== null, 'what is shown to a seller is signed');
    const receipt = purchase.dialect === 'receipt' ? receiptOf(context, row) : null;
    // Made later, when the vault is locked now.
    if (purchase.dialect === 'receipt' && receipt === null) return;
    const proof = { paymentId: id, wire: signed.wire, txSignature: txSignatureOf(row), receipt };
    const payment = {
      credential: sellers.credential(purchase, proof),
      beforeSending: () => (isHandedOver(row) ? machine.handOver(id) : refuseWhenStopped(context, row)),
    };
    for (let left = presentations; left > 0; left -= 1) {
      const asked = performance.now();
      const said = await sellers.ask(request, payment).then(withoutCookies, silence);
      if (isAnswer(said) && left > 1 && said.status === 402 && sellers.wantsRetry(said)) {
        await wait(betweenMs);
        continue;
      }
      const isItsFault = isAnswer(said) || (!isStopped() && stopFor(context, row) === null);
      const latencyMs = performance.now() - asked;
      if (isAnswer(said) && !mayBeShownAgain(said)) {
        // Lost before it is on disk, the same payment would be shown again: whoever waits need not wait for the disk.
        deps.heard(id, said);
        await new Promise((resolve) => setImmediate(resolve));
      }
      if (isItsFault) enter(id, said, latencyMs);
      return;
    }
  };

  const enter = (id: string, said: SellerAnswer | Silence, latencyMs: number): void => {
    const { purchase, serviceId } = current(id);
    const answer = isAnswer(said) ? said : null;
    const word = answer === null ? null : sellers.settlement(purchase.dialect, answer);
    // Who redirects has not delivered: nobody follows with a payment in hand.
    const ok = answer !== null && answer.status >= 200 && answer.status < 300;
    const now = time.now();
    const evidence = {
      shown: Number(purchase.evidence?.['shown'] ?? 0) + 1,
      firstShownAt: purchase.evidence?.['firstShownAt'] ?? iso(now - Math.round(latencyMs)),
      answeredAt: iso(now),
      status: answer?.status ?? null,
      error: ok ? null : errorOf(said, word?.error ?? null),
      ...(word === null ? {} : { sellersWord: { success: word.success, txSignature: word.txSignature } }),
    };
    store.lazily(() => {
      store.purchases.deliver(id, ok ? 'delivered' : 'undelivered', evidence);
      if (answer !== null && !mayBeShownAgain(answer)) store.purchases.keepAnswer(id, answer, now);
      if (serviceId !== null) store.services.observed(serviceId, { at: now, ok, latencyMs });
    });
    const row = current(id);
    publish({ type: 'transfer', transfer: row });
    if (word?.txSignature != null && isHandedOver(row)) void handedOver.follow(row, word.txSignature);
  };

  return show;
};

interface Silence {
  error: string;
}

const silence = (error: unknown): Silence => {
  if (error instanceof AppError) return { error: error.message };
  throw error;
};
const isAnswer = (said: SellerAnswer | Silence): said is SellerAnswer => 'status' in said;

/** A seller that refused or broke may take the same payment a moment later. */
const mayBeShownAgain = ({ status }: SellerAnswer): boolean =>
  [402, 408, 425, 429].includes(status) || status >= 500;

const errorOf = (said: SellerAnswer | Silence, word: string | null): string =>
  isAnswer(said) ? (word ?? `The seller answered ${said.status}.`) : said.error;

/** Cookies are the connection's, and the treasury is not the agent's browser. */
export const withoutCookies = ({ headers, ...answer }: SellerAnswer): SellerAnswer => ({
  ...answer,
  headers: Object.fromEntries(Object.entries(headers).filter(([name]) => name !== 'set-cookie')),
});
