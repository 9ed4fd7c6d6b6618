// One purchase from the wrapped server: pays its demand, and repeats the request with the payment, once.
import { randomUUID } from 'node:crypto';
import { AppError } from '../../errors.ts';
import { endedText, refusalText } from './answers.ts';
import { refusesPayment, type Demand } from './demand.ts';
import { isObject, type JsonObject, type Part, type Request } from './message.ts';
import type { Held, Payment } from './payments.ts';
import { paidWith, type Proof } from './repeated.ts';

/** How a purchase ended: with the server's answer, or with a text in its place. */
export type Outcome = { answer: Part } | { text: string };

export interface Server {
  /** Sends a request under its id, which is JSON. Resolves with its response; null: the server has ended before. */
  ask(id: string, request: string): Promise<Part | null>;
  /** How it ended. */
  how(): string;
}

export interface Purchase {
  readonly payment: Payment;
  readonly travelsAs: Demand['travelsAs'];
  /** The approval that it waits for. */
  held: Held | null;
  /** Set once the server is shown the payment. */
  proof: Proof | null;
  /** Never rejects. */
  outcome: Promise<Outcome>;
}

export const beginPurchase = (
  server: Server,
  payment: Payment,
  request: Request,
  { travelsAs }: Demand,
): Purchase => {
  const purchase: Purchase = { payment, travelsAs, held: null, proof: null, outcome: nothingYet };
  const pay = async (): Promise<Outcome> => {
    const proof = await payment.proof((held) => (purchase.held = held));
    purchase.proof = proof;
    return show(server, purchase, proof, request);
  };
  purchase.outcome = pay().catch(textOf);
  return purchase;
};

/** Shows the same payment with the request that answers what the server asked its client for meanwhile. */
export const goOn = (server: Server, purchase: Purchase, proof: Proof, request: Request): void => {
  purchase.outcome = show(server, purchase, proof, request).catch(textOf);
};

const nothingYet: Promise<Outcome> = Promise.resolve({ text: '' });

const show = async (
  server: Server,
  { payment, travelsAs }: Purchase,
  proof: Proof,
  request: Request,
): Promise<Outcome> => {
  const id = JSON.stringify(`treasury:${randomUUID()}`);
  const answer = await server.ask(id, paidWith(request, id, proof, travelsAs));
  if (answer === null) return { text: endedText(server.how(), payment.id()) };
  // It is paid once, whatever it says.
  return refusesPayment(request, answer.said) ? textOf(askedAgain(payment)) : { answer };
};

const askedAgain = (payment: Payment): AppError =>
  new AppError(
    'not_delivered',
    'The server was paid for this call and asks for payment again. Nothing more was paid.',
    { paymentId: payment.id() ?? '' },
  );

const textOf = (error: unknown): { text: string } => ({
  text: refusalText(
    error instanceof AppError ? error : new AppError('internal', 'The call could not be paid.'),
  ),
});

/** The state that a server gives its client with a question, instead of its answer; null for an answer. */
export const questionIn = ({ result }: JsonObject): string | null => {
  if (!isObject(result)) return null;
  const { resultType, requestState } = result;
  return resultType === 'input_required' && typeof requestState === 'string' ? requestState : null;
};
