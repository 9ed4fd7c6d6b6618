// One purchase from the wrapped server: pays its demand, and repeats the request with the payment, once.
import { randomUUID } from 'node:crypto';
import type { JSONRPCRequest, JSONRPCResponse } from '@modelcontextprotocol/server';
import { AppError } from '../../errors.ts';
import { endedText, refusalText } from './answers.ts';
import { isObject, refusesPayment, type Demand } from './demand.ts';
import type { Held, Payment } from './payments.ts';
import { paidWith, type Proof } from './repeated.ts';

/** How a purchase ended: with the server's answer, or with a text in its place. */
export type Outcome = { answer: JSONRPCResponse } | { text: string };

export interface Server {
  /** Sends a request. Resolves with its response; null: the server has ended before. */
  ask(request: JSONRPCRequest): Promise<JSONRPCResponse | null>;
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
  request: JSONRPCRequest,
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
export const goOn = (server: Server, purchase: Purchase, proof: Proof, request: JSONRPCRequest): void => {
  purchase.outcome = show(server, purchase, proof, request).catch(textOf);
};

const nothingYet: Promise<Outcome> = Promise.resolve({ text: '' });

const show = async (
  server: Server,
  { payment, travelsAs }: Purchase,
  proof: Proof,
  request: JSONRPCRequest,
): Promise<Outcome> => {
  const answer = await server.ask(paidWith(request, `treasury:${randomUUID()}`, proof, travelsAs));
  if (answer === null) return { text: endedText(server.how(), payment.id()) };
  // It is paid once, whatever it says.
  return refusesPayment(request.method, answer) ? textOf(askedAgain(payment)) : { answer };
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
export const questionIn = (response: JSONRPCResponse): string | null => {
  if (!('result' in response) || !isObject(response.result)) return null;
  const { resultType, requestState } = response.result;
  return resultType === 'input_required' && typeof requestState === 'string' ? requestState : null;
};
