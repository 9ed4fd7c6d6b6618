// For an agent that asks the seller with its own HTTP: signs, and answers with the header that carries the payment.
import type { Accepted, Body } from '../../contract/schemas.ts';
import { invariant } from '../../errors.ts';
import { accepted, agentOnRecord, askerOf, notArchived } from '../calls/call.ts';
import { paymentAnswer } from '../calls/payment-answer.ts';
import { awaitDecision, openTransfer, usualWaitMs } from '../calls/request.ts';
import { current } from '../payment/steps.ts';
import type { Answer, Call, Sellers, Transfer } from '../ports.ts';
import type { Purchasing } from './carry.ts';
import { choose, intentOf } from './choose.ts';

export type X402Body = Extract<Body<'pay'>, { x402: unknown }>;
type Paid = NonNullable<Accepted<'pay'>['x402']>;

export const signForAgent = async (
  { context, sellers }: Purchasing,
  call: Call<'pay'>,
  body: X402Body,
): Promise<Answer<'pay'>> => {
  const { store, machine, outcomes } = context;
  const agent = agentOnRecord(store, call.params.agentId);
  const asker = askerOf(call, `agent:${agent.agentId}`, 'pay');
  const { id } = await openTransfer(context, asker, () => {
    notArchived(agent);
    const { extensions = null, description, resource } = body;
    const read = sellers.offerOf(body.x402, resource, extensions);
    const offer = choose(context, [read], {}, undefined);
    const intent = intentOf(context, agent, {
      asked: { method: '', url: resource, body: null },
      offer,
      carrier: 'agent',
    });
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
  const row = current(context, id);
  const canPay = (row.state === 'signed' || row.state === 'sent') && !machine.busy(id);
  const x402 = canPay ? headerOf(sellers, row) : null;
  if (x402 === null) return paymentAnswer(context, row);
  machine.submitViaFacilitator(id);
  return accepted({ paymentId: id, status: 'pending', x402 });
};

const headerOf = (sellers: Sellers, { id, purchase, signed }: Transfer): Paid => {
  invariant(purchase !== null && signed !== null, 'what is handed over is signed');
  const proof = { paymentId: id, wire: signed.wire, txSignature: null, receipt: null };
  const { name, value } = sellers.credential(purchase, proof);
  return { header: name, value };
};
