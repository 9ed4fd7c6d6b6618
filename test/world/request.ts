// An agent's request, by POST /pay or by a paid fetch, and what it is answered in one shape.
import type { Operations } from '../../server/engine/api/owner.ts';
import type { Call } from '../../server/engine/ports.ts';
import { usdc } from '../../server/money.ts';
import { endsOf, isMovement, type Ask } from './judge/notes.ts';
import { urlOf } from './shops.ts';

export interface Asked {
  ask: Ask;
  call: Omit<Call<'pay'>, 'body'>;
}

/** The owner's movement, answered as a payment is. */
const move = async (
  { allocate, recall, withdraw }: Operations,
  { ask, call: { params, ...call } }: Asked,
): Promise<Record<string, unknown>> => {
  const amount = usdc(ask.amount);
  const asked = { ...call, caller: { role: 'owner' } as const };
  const currency = 'USDC' as const;
  const { body } =
    ask.via === 'withdrawal'
      ? await withdraw({ ...asked, params: {}, body: { asset: currency, amount, to: endsOf(ask).payee } })
      : await (ask.via === 'recall' ? recall : allocate)({ ...asked, params, body: { amount, currency } });
  return { ...body, paymentId: (body as { transferId: string }).transferId };
};

/** The answer of a payment: `paymentId`, `status` and what else there is. */
export const request = async (operations: Operations, asked: Asked): Promise<Record<string, unknown>> => {
  const { pay, fetch } = operations;
  const { ask, call } = asked;
  const { service, amount, via } = ask;
  if (isMovement(ask)) return move(operations, asked);
  if (via === 'pay') {
    const body = { service, amount: usdc(amount), currency: 'USDC' as const, description: '' };
    return (await pay({ ...call, body })).body as Record<string, unknown>;
  }
  const url = urlOf(service, ask);
  const answer = await fetch({ ...call, body: { url, method: 'GET', headers: {} } });
  if (answer.kind !== 'streamed') {
    const { payment, ...body } = answer.body as { payment?: object };
    return { ...body, ...payment };
  }
  answer.release();
  return { ...answer.head.payment };
};
