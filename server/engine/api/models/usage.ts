// The use of language models with the owner's own keys, by agent: nothing of it is on the chain.
import { supplierOf } from '../../../contract/models/suppliers.ts';
import type { Query, Reply } from '../../../contract/schemas.ts';
import { addUsdc, formatUsdc, usdc, type Usdc } from '../../../money.ts';
import { agentOnRecord, done, type EngineContext } from '../../calls/call.ts';
import { iso } from '../../calls/views.ts';
import type { ModelRequest, ModelUsage, SomeOperations } from '../../ports.ts';

const dayMs = 86_400_000;
const requestDays = 90;

export const modelUsageOperations = (context: Pick<EngineContext, 'store' | 'time'>) => {
  const { store, time } = context;

  const usage = (
    of: { agentId?: string; keyId?: string },
    { days, ...page }: Query<'modelUsage'>,
  ): Reply<'modelUsage'> => {
    const now = time.now();
    const since = (count: number): number => (Math.floor(now / dayMs) - count + 1) * dayMs;
    const from = since(days);
    const requests = store.modelRequests.list({ ...of, ...page });
    const oldest = since(Math.max(days, requestDays));
    const rows = store.modelRequests.usage({ ...of, from, to: now + 1 });
    const held = store.modelRequests
      .held(of.agentId)
      .filter(({ keyPath }) => of.keyId === undefined || keyPath.includes(of.keyId));
    return {
      since: iso(from),
      total: sumOf(rows.map(({ amount }) => amount)),
      held: sumOf(held.map(({ bound }) => bound)),
      days: rows.map(dayView),
      requests: requests.filter(({ createdAt }) => createdAt >= oldest).map(requestView),
    };
  };

  return {
    modelUsage({ caller, params: { agentId }, query }) {
      agentOnRecord(store, agentId);
      // A delegated key sees what was used with it, and with the keys that it delegated.
      const isDelegated = caller.role === 'agent' && caller.keyLevel > 0;
      return done(usage({ agentId, ...(isDelegated ? { keyId: caller.keyId } : {}) }, query));
    },
    allModelUsage: ({ query }) => done(usage({}, query)),
  } satisfies SomeOperations;
};

const sumOf = (amounts: readonly Usdc[]): string =>
  formatUsdc(amounts.reduce((sum, one) => addUsdc(sum, one), usdc(0n)));

const dayView = ({ day, serviceId, model, amount, input, cachedInput, output, ...rest }: ModelUsage) => ({
  ...rest,
  day: iso(day).slice(0, 10),
  supplierId: supplierOf(serviceId),
  modelId: model,
  amount: formatUsdc(amount),
  inputTokens: input,
  cachedInputTokens: cachedInput,
  outputTokens: output,
});

const requestView = (request: ModelRequest): Reply<'modelUsage'>['requests'][number] => ({
  requestId: request.id,
  agentId: request.agentId,
  supplierId: supplierOf(request.serviceId),
  modelId: request.model,
  answeredModel: request.answeredModel,
  status: request.state,
  bound: formatUsdc(request.bound),
  amount: request.amount === null ? null : formatUsdc(request.amount),
  mark: request.mark,
  inputTokens: request.usage?.input ?? null,
  outputTokens: request.usage?.output ?? null,
  supplierRequestId: request.supplierRequest,
  error: request.refusal?.message ?? null,
  corrects: request.corrects,
  timestamp: iso(request.createdAt),
  cursor: request.seq,
});
