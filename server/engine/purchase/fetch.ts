// A paid fetch, from the call to its answer.
import type { Body } from '../../contract/schemas.ts';
import { AppError, fieldError, invariant } from '../../errors.ts';
import { agentOnRecord, askerOf } from '../calls/call.ts';
import { awaitDecision, usualWaitMs } from '../calls/request.ts';
import { current } from '../payment/machine/steps.ts';
import type { Answer, Call, SellerRequest } from '../ports.ts';
import { fetchAnswer } from './answer.ts';
import type { AskFirst } from './ask-first.ts';
import { never, setOut, type Purchasing } from './carry.ts';
import { limitsOf } from './limits.ts';

/**
 * Pays for one request to a seller, if it asks for payment, and returns its answer.
 * @throws AppError as the request was refused, and as `fetchAnswer` does
 */
export const fetchPaid = async (
  purchasing: Purchasing,
  askFirst: AskFirst,
  call: Call<'fetch'>,
): Promise<Answer<'fetch'>> => {
  const { context, running, answers, shown, hindered, kept } = purchasing;
  const { store, outcomes } = context;
  const { timeoutSeconds, maxBytes, ...asked } = call.body;
  const limits = limitsOf(context, { timeoutSeconds, maxBytes });
  const agent = agentOnRecord(store, call.params.agentId);
  // Limits of time and size are not part of the request: a replay may allow more.
  const asker = askerOf({ ...call, body: asked }, `agent:${agent.agentId}`, 'fetch');
  const wanted = {
    agent,
    request: requestOf(asked),
    limits,
    maxAmount: asked.maxAmount,
    reason: asked.reason ?? null,
    live: null,
  };
  const opened = await askFirst(asker, wanted, call.gone ?? never);
  if (opened.kind === 'free') {
    invariant(opened.answer !== null, 'a fetch has no live reader');
    return opened.answer;
  }
  const { id, leave } = opened;
  setOut(purchasing, id, wanted, leave);
  await awaitDecision(context, id, asker, call.waitMs);
  const waitMs = call.waitMs ?? Math.max(usualWaitMs, limits.isPatient ? limits.withinMs : 0);
  if (store.transfers.state(id) !== 'awaiting_approval')
    await outcomes.wait(id, () => answers.has(id) || !running.has(id), waitMs, asker.keyId);
  const why = hindered.get(id);
  if (why !== undefined) throw new AppError(why.code, why.message, { ...why.details, paymentId: id });
  const answer = answers.get(id) ?? kept.of(id);
  return fetchAnswer(store, current(context, id), { answer, isShown: shown.has(id) });
};

const requestOf = ({
  url,
  method,
  headers,
  body,
}: Pick<Body<'fetch'>, 'url' | 'method' | 'headers' | 'body'>): SellerRequest => {
  if (body !== undefined && method === 'GET') throw fieldError('body', 'GET has none');
  const target = new URL(url);
  target.hash = '';
  return { url: target.href, method, headers, body: body ?? null };
};
