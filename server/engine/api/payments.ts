// Payments: making them, and reading their state.
import { fieldError } from '../../errors.ts';
import { budgetOf, explainPayment } from '../calls/explain.ts';
import { carryOut } from '../calls/request.ts';
import {
  agentNamed,
  agentOnRecord,
  askerOf,
  done,
  keyIdOf,
  notArchived,
  type EngineContext,
} from '../calls/call.ts';
import type { Body } from '../../contract/schemas.ts';
import type { Agent, Caller, Intent, SomeOperations, TransferQuery } from '../ports.ts';
import type { Purchases } from '../purchase/purchases.ts';
import { paymentNamed } from './path.ts';
import { historyView, paymentView, visibleTo } from '../calls/views.ts';
import { paymentAnswer, receiptOf } from '../calls/payment-answer.ts';

/** The kinds that pay a service from an agent's wallet; allocations and recalls are not spending. */
const spending = ['payment', 'charge'] as const;

/** A delegated key sees what was paid with it, and with the keys that it delegated. */
const delegateOf = (caller: Caller): Pick<TransferQuery, 'delegate'> =>
  caller.role === 'agent' && caller.keyLevel > 0
    ? { delegate: { keyId: caller.keyId, level: caller.keyLevel } }
    : {};

export const paymentOperations = (context: EngineContext, purchases: Purchases) => {
  const { store } = context;

  const intentOf = (agent: Agent, body: Extract<Body<'pay'>, { service: unknown }>): Intent => {
    const service = store.services.get(body.service);
    if (service === undefined) {
      throw fieldError(
        'service',
        `there is no service ${body.service}. Look it up with the service search`,
        'not_found',
      );
    }
    if (service.source === 'model-registry')
      throw fieldError('service', `${service.id} is a model. Use it with ${service.endpoint}`);
    const payee = service.payees[0];
    if (payee === undefined || payee === agent.wallet)
      throw fieldError('service', `${service.id} names no wallet that this agent can pay`);
    return {
      kind: 'payment',
      agentId: agent.agentId,
      walletIndex: agent.walletIndex,
      wallet: agent.wallet,
      payee,
      asset: 'USDC',
      amount: body.amount,
      serviceId: service.id,
      serviceName: service.name,
      description: body.description,
      reason: body.reason ?? null,
      invoice: body.invoice ?? null,
    };
  };

  return {
    async pay(call) {
      const { body } = call;
      if (!('service' in body)) return purchases.sign(call, body);
      const agent = agentOnRecord(store, call.params.agentId);
      const asker = askerOf(call, `agent:${agent.agentId}`, 'pay');
      const transfer = await carryOut(context, asker, () => intentOf(notArchived(agent), body), {
        waitMs: call.waitMs,
      });
      return paymentAnswer(context, transfer);
    },
    async explainPolicy({ caller, params, body }) {
      const agent = agentOnRecord(store, params.agentId);
      const wanted = { ...body, currency: 'USDC', description: '' } as const;
      const verdict = await explainPayment(context, agent, () => intentOf(agent, wanted), keyIdOf(caller));
      const { code, message, details } = visibleTo(caller, verdict);
      const isDelegated = caller.role === 'agent' && caller.keyLevel > 0;
      const budget = isDelegated ? null : budgetOf(context, agent.agentId);
      return done({ verdict: verdict.verdict, code, message, details: { ...details }, budget });
    },
    fetch: purchases.fetch,

    getPayment({ caller, params }) {
      const agent = agentOnRecord(store, params.agentId);
      const transfer = paymentNamed(context, agent.agentId, params.paymentId);
      return done(
        paymentView(transfer, caller, receiptOf(context, transfer), store.answers.get(transfer.id)),
      );
    },

    received({ params }) {
      const agent = agentOnRecord(store, params.agentId);
      const { id } = paymentNamed(context, agent.agentId, params.paymentId);
      purchases.kept.acknowledge(id);
      return done({ paymentId: id, received: true });
    },

    spendHistory({ caller, params, query }) {
      const { agentId } = agentNamed(store, params.agentId);
      const { limit, before } = query;
      const page = before === undefined ? {} : { before };
      const rows = store.transfers.list({
        agentId,
        kinds: spending,
        withoutDenied: true,
        limit,
        ...page,
        ...delegateOf(caller),
      });
      return done({ payments: rows.map(historyView) });
    },
  } satisfies SomeOperations;
};
