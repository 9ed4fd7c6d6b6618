// The gateway to language models, START HERE: a request is read and bounded (plan), held (hold), sent once, passed on while
// it is answered, and settled (running). Nothing is sent twice, and nothing that was sent is released without knowledge.
import { AppError } from '../../errors.ts';
import { agentNamed, type EngineContext } from '../calls/call.ts';
import { createBurst } from '../payment/decision/burst.ts';
import { callerHasGone, errorFrom } from '../payment/decision/refusals.ts';
import { announceSeen } from '../payment/decision/watching.ts';
import { announceApproval } from '../payment/owner/approval.ts';
import type {
  AskSupplier,
  EngineEvent,
  LanguageModels,
  ModelCall,
  ModelGateway,
  ModelRequest,
} from '../ports.ts';
import { holdRequest, refuseUnless, refusedSince } from './hold.ts';
import { countRequest, modelList } from './list.ts';
import { planOf, refuseChanged, withFitting, type Plan } from './plan.ts';
import { passOn } from './pass-on.ts';
import { createPrefixes, type Prefixes } from './prefixes.ts';
import { run, type Running } from './running.ts';
import { saleOf, sell, type Proxy } from './sellers.ts';
import { createStopping } from './stopping.ts';
import { beating, createWaiting, type Waiting } from './waiting.ts';
import { wireRefusal, wireRefusalEvent } from './wire/errors.ts';
import { paths } from './wire/wires.ts';

export interface Gateway extends ModelGateway {
  /** Call it for each event, after its commit: a stop ends the requests that it binds in the same turn. */
  noticed(event: EngineEvent): void;
  /** Ends all requests, each settled by what is known of it. */
  stop(): Promise<void>;
}

/** Of one agent. */
const countsPerMinute = 60;
const mostAtOnce = 1_000;

export interface GatewayDeps {
  languageModels: LanguageModels;
  askSupplier: AskSupplier;
}

/** The parts that the requests of all agents share. */
interface Shared extends GatewayDeps {
  context: EngineContext;
  proxy: Proxy;
  prefixes: Prefixes;
  waiting: Waiting;
  running: Set<Running>;
  /** Why nothing more is sent. */
  closing: AppError | null;
}

export const createGateway = (context: EngineContext, deps: GatewayDeps & { proxy: Proxy }): Gateway => {
  const waiting = createWaiting(context.outcomes, callerHasGone);
  const running = new Set<Running>();
  const shared: Shared = { ...deps, context, prefixes: createPrefixes(), waiting, running, closing: null };
  const calls = new Set<Promise<void>>();
  const counts = createBurst(countsPerMinute);
  const stopping = createStopping(context, deps.languageModels, running);
  return {
    async call(asked) {
      if (shared.closing !== null) throw shared.closing;
      const answered = answer(shared, asked);
      calls.add(answered);
      try {
        await answered;
      } finally {
        calls.delete(answered);
      }
    },
    async count(asked) {
      refuseUnless(context, asked.caller);
      if (!counts.admit(asked.caller.agentId, context.time.now())) throw tooManyCounts();
      await countTokens(shared, asked);
    },
    async models({ caller, wire }) {
      await deps.languageModels.ready();
      return modelList(context, deps.languageModels, caller, wire);
    },
    refusal: wireRefusal,
    refusalEvent: wireRefusalEvent,
    noticed(event) {
      stopping(event);
      if (event.type === 'approval' && event.approval.kind === 'standing') waiting.wakeAll();
    },
    async stop() {
      shared.closing = new AppError('not_available', 'The treasury is stopping. Ask again when it runs.');
      for (const one of running) one.stop(shared.closing);
      waiting.wakeAll();
      await Promise.allSettled(calls);
    },
  };
};

const answer = async (shared: Shared, asked: ModelCall): Promise<void> => {
  const { context, prefixes, waiting, running, languageModels } = shared;
  agentNamed(context.store, asked.caller.agentId);
  // Fail fast, before a large body is parsed; T1 repeats the check.
  refuseUnless(context, asked.caller);
  refuseTooMany(running, asked);
  await languageModels.ready();
  const sale = saleOf(languageModels, asked, paths[asked.wire]);
  if (sale !== null) return sell(shared.proxy, sale, asked);
  const plan = planOf(languageModels, prefixes, asked);
  const request = await hold(shared, plan, asked);
  const one = run(context, prefixes, {
    request,
    plan,
    gone: asked.gone,
    ended() {
      running.delete(one);
      waiting.ended(callerOf(plan.ask));
    },
  });
  running.add(one);
  try {
    if (shared.closing !== null) throw shared.closing;
    await send(shared, one, plan, asked);
    one.end();
  } catch (error) {
    one.end(error);
    throw one.stoppedBy() ?? error;
  }
};

/** Resolves once the row is on disk. @throws AppError as the request is refused */
const hold = async (
  shared: Shared,
  plan: Plan,
  { gone, reader }: Pick<ModelCall, 'gone' | 'reader'>,
): Promise<ModelRequest> => {
  const { context, waiting } = shared;
  const { ask } = plan;
  let asked: string | null = null;
  const attempt = (isLast: boolean) => {
    if (shared.closing !== null) throw shared.closing;
    const trying = { mayWait: !isLast, asked };
    const { result, durable } = context.store.grouped(() => holdRequest(context, ask, trying));
    if (result.seen !== null) announceSeen(context, result.seen);
    if (result.kind === 'held') return { request: result.request, durable };
    if (result.asked !== null && asked === null) {
      asked = result.asked;
      announceApproval(context, asked);
    }
    if (result.waits && !isLast) return result.asked === null ? 'waits' : 'asks';
    const { code, message, details } = result.refusal;
    throw withFitting(new AppError(code, message, details), plan);
  };
  const beat = beating(reader, plan.read.streams);
  try {
    const { request, durable } = await waiting.admit(callerOf(ask), ask.keyId, attempt, gone);
    await durable;
    return request;
  } finally {
    clearInterval(beat);
  }
};

const send = async (
  { context, languageModels, askSupplier }: Shared,
  one: Running,
  plan: Plan,
  { wire, headers, reader }: ModelCall,
): Promise<void> => {
  const answered = await askSupplier({
    supplier: plan.supplier,
    key: languageModels.keyOf(plan.supplier.id),
    path: paths[wire],
    body: plan.text,
    headers,
    signal: one.signal,
    beforeSending() {
      one.signal.throwIfAborted();
      refuseChanged(languageModels, plan);
      const refusal = refusedSince(context, one.request);
      if (refusal !== null) throw errorFrom(refusal, one.request.id);
      one.sent();
    },
  });
  await passOn(one, plan, reader, answered);
};

const countTokens = async (shared: Shared, asked: ModelCall): Promise<void> => {
  const { context, languageModels, askSupplier } = shared;
  await languageModels.ready();
  const { supplier, text, refuseNow } = countRequest(context, languageModels, asked);
  const { status, headers, body } = await askSupplier({
    supplier,
    key: languageModels.keyOf(supplier.id),
    path: '/messages/count_tokens',
    body: text,
    headers: asked.headers,
    signal: asked.gone,
    beforeSending() {
      if (shared.closing !== null) throw shared.closing;
      refuseUnless(context, asked.caller);
      refuseNow();
    },
  });
  asked.reader.begin({ status, headers, requestId: null, loweredTo: null });
  for await (const chunk of body) if (!(await asked.reader.write(chunk))) return;
};

const tooManyCounts = (): AppError =>
  new AppError(
    'too_many_requests',
    `An agent may count tokens ${countsPerMinute} times a minute. Try again in a minute.`,
    { retryAfterSeconds: 60 },
  );

/** @throws AppError `too_many_requests` */
const refuseTooMany = (running: ReadonlySet<Running>, { caller: { agentId } }: ModelCall): void => {
  const own = [...running].filter(({ request }) => request.agentId === agentId).length;
  if (own < mostAtOnce) return;
  throw new AppError('too_many_requests', `This agent has ${mostAtOnce} requests to models under way.`, {
    retryAfterSeconds: 5,
  });
};

/** Requests of one key to one supplier free each other's bounds. */
const callerOf = ({ keyId, serviceId }: Plan['ask']): string => `${keyId} ${serviceId}`;
