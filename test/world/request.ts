// An agent's request, by POST /pay or by a paid fetch, and what it is answered in one shape.
import type { Operations } from '../../server/engine/api/owner.ts';
import type { Call } from '../../server/engine/ports.ts';
import { usdc } from '../../server/money.ts';
import type { Ask } from './notes.ts';
import { urlOf } from './shops.ts';

export interface Asked {
  ask: Ask;
  call: Omit<Call<'pay'>, 'body'>;
}

/** The answer of a payment: `paymentId`, `status` and what else there is. */
export const request = async (
  { pay, fetch }: Operations,
  { ask, call }: Asked,
): Promise<Record<string, unknown>> => {
  const { service, amount, via } = ask;
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
