// For an agent that asks the seller itself, over HTTP or as the client of an MCP server: signs, and answers with what
// carries the payment.
import type { Accepted, Body } from '../../contract/schemas.ts';
import { invariant } from '../../errors.ts';
import { accepted, agentOnRecord, askerOf, done, notArchived } from '../calls/call.ts';
import { paymentAnswer } from '../calls/payment-answer.ts';
import { awaitDecision, openTransfer, usualWaitMs } from '../calls/request.ts';
import { isPaid } from '../domain/states.ts';
import { refuseWhenStopped } from '../payment/context.ts';
import { current } from '../payment/machine/steps.ts';
import { isViaFacilitator, txSignatureOf } from '../payment/machine/tx-signature.ts';
import type { Agent, Answer, Call, Intent, McpProof, Sellers, Transfer } from '../ports.ts';
import type { Purchasing } from './carry.ts';
import { choose, intentOf } from './choose.ts';
import { mcpIntentOf } from './mcp-intent.ts';
import { offersFrom } from './unpayable.ts';

/** What a seller asked of the agent itself: an entry of x402's `accepts`, or the demand of an MCP server. */
export type AskedBody = Exclude<Body<'pay'>, { service: unknown }>;
type X402Body = Extract<AskedBody, { x402: unknown }>;
type Paid = NonNullable<Accepted<'pay'>['x402']>;

export const signForAgent = async (
  purchasing: Purchasing,
  call: Call<'pay'>,
  body: AskedBody,
): Promise<Answer<'pay'>> => {
  const { context } = purchasing;
  const { store, machine, outcomes } = context;
  const agent = agentOnRecord(store, call.params.agentId);
  const asker = askerOf(call, `agent:${agent.agentId}`, 'pay');
  const { id } = await openTransfer(context, asker, () => {
    notArchived(agent);
    return askedIntent(purchasing, agent, body);
  });
  await awaitDecision(context, id, asker, call.waitMs);
  void machine.advance(id);
  const isReady = (): boolean => {
    const row = current(context, id);
    // We send a transaction that no facilitator does: its signature pays once it is confirmed.
    const waits = isViaFacilitator(row) ? ['reserved'] : ['reserved', 'signed', 'sent'];
    return !['awaiting_approval', ...waits].includes(row.state) && !machine.busy(id);
  };
  if (store.transfers.state(id) !== 'awaiting_approval')
    await outcomes.wait(id, isReady, call.waitMs ?? usualWaitMs, asker.keyId);
  return 'x402' in body ? withHeader(purchasing, id) : withProof(purchasing, id);
};

const askedIntent = ({ context, sellers }: Purchasing, agent: Agent, body: AskedBody): Intent => {
  const intent =
    'x402' in body
      ? x402Intent({ context, sellers }, agent, body)
      : mcpIntentOf(context, agent, {
          resource: body.resource,
          request: body.request,
          offer: choose(
            context,
            offersFrom(context, agent, body.resource, () => sellers.demanded(body.demand, body.resource)),
            {},
            undefined,
          ),
        });
  const { description, reason } = body;
  return { ...intent, description: description || intent.description, reason: reason ?? null };
};

const x402Intent = (
  { context, sellers }: Pick<Purchasing, 'context' | 'sellers'>,
  agent: Agent,
  body: X402Body,
): Intent => {
  const { x402, resource, extensions = null } = body;
  const offer = choose(context, [sellers.offerOf(x402, resource, extensions)], {}, undefined);
  const asked = { method: '', url: resource, body: null };
  return intentOf(context, agent, { asked, offer, carrier: 'agent' });
};

const withHeader = ({ context, sellers }: Purchasing, id: string): Answer<'pay'> => {
  const { machine } = context;
  const row = current(context, id);
  const canPay = (row.state === 'signed' || row.state === 'sent') && !machine.busy(id);
  const x402 = canPay ? headerOf(sellers, row) : null;
  if (x402 === null) return paymentAnswer(context, row);
  machine.submitViaFacilitator(id);
  return accepted({ paymentId: id, status: 'pending', x402 });
};

const headerOf = (sellers: Sellers, row: Transfer): Paid => {
  const { name, value } = sellers.credential(...paymentOf(row));
  return { header: name, value };
};

/** An MCP server may be shown a payment again at any later time: it may not have answered the first time. */
const withProof = ({ context, sellers }: Purchasing, id: string): Answer<'pay'> => {
  const row = current(context, id);
  if (!canBeShown(row) || context.machine.busy(id)) return paymentAnswer(context, row);
  const proof = proofOf(sellers, row);
  if (isViaFacilitator(row)) context.machine.submitViaFacilitator(id);
  else refuseWhenStopped(context, row);
  const answer = paymentAnswer(context, row);
  return answer.kind === 'done' ? done({ ...answer.body, proof }) : accepted({ ...answer.body, proof });
};

const canBeShown = (row: Transfer): boolean =>
  isPaid(row) || (isViaFacilitator(row) && (row.state === 'signed' || row.state === 'sent'));

const proofOf = (sellers: Sellers, row: Transfer): McpProof & { value: Record<string, unknown> } => {
  const { key, value } = sellers.mcpProof(...paymentOf(row));
  return { key, value: { ...value } };
};

const paymentOf = (row: Transfer): Parameters<Sellers['credential']> => {
  const { id, purchase, signed } = row;
  invariant(purchase !== null && signed !== null, 'what is handed over is signed');
  return [purchase, { paymentId: id, wire: signed.wire, txSignature: txSignatureOf(row), receipt: null }];
};
