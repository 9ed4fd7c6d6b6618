// A request to a language model from its sending to its end. It is settled once, by what is known at that moment: when its
// answer has ended, when its client has gone, or in the turn in which the owner stops it.
import { AppError } from '../../errors.ts';
import type { EngineContext } from '../calls/call.ts';
import { settingsIn } from '../domain/language-model.ts';
import type { ModelRequest, ModelRequestEnd, TokenCounts } from '../ports.ts';
import type { Plan } from './plan.ts';
import type { Prefixes } from './prefixes.ts';
import { endRequest, neverLeft } from './settle.ts';
import { settle, type Ending } from './wire/cut.ts';
import type { StreamFacts } from './wire/stream-reader.ts';
import { nothing } from './wire/usage.ts';

export interface Running {
  request: ModelRequest;
  /** Aborted by a stop, and when the client has gone. */
  signal: AbortSignal;
  /** Call it in the turn in which the body leaves. */
  sent(): void;
  /** Of an answer: its status, and what it has said whenever that is asked for. */
  answered(
    head: Pick<Ending, 'streamed'> & { status: number; supplierRequest: string | null },
    facts: () => StreamFacts,
  ): void;
  /** Settles it, unless that was done; `error`: it did not come to its end. */
  end(error?: unknown): void;
  /** Ends it now, in this turn. */
  stop(why: AppError): void;
  /** Why it was stopped, if it was. */
  stoppedBy(): AppError | null;
}

const saidNothing = (): StreamFacts => ({ ...nothing, began: false, whole: false });

/** @param ended called once, after it was settled or released */
export const run = (
  context: EngineContext,
  prefixes: Prefixes,
  { request, plan, gone, ended }: { request: ModelRequest; plan: Plan; gone: AbortSignal; ended: () => void },
): Running => {
  const stopping = new AbortController();
  let isSent = false;
  let head: { status: number; streamed: boolean; supplierRequest: string | null } | null = null;
  let facts = saidNothing;
  let isOver = false;
  let stopped: AppError | null = null;

  const finish = (error: unknown): void => {
    if (isOver) return;
    isOver = true;
    const said = facts();
    const sent = isSent && !(error instanceof AppError && error.details?.['sent'] === false);
    const settlement = settle(plan.reserved, {
      sent,
      status: head?.status ?? null,
      streamed: head?.streamed ?? false,
      ...said,
      // A client may hang up once it has read the end.
      whole: said.whole || (error === undefined && head?.streamed === false && said.began),
    });
    const { usage } = said;
    const reported = {
      usage: usage === null ? null : countsOf(usage),
      answeredModel: shortened(said.model),
      supplierRequest: shortened(head?.supplierRequest ?? said.id),
      status: head?.status ?? null,
    };
    const { outcome, amount, mark } = settlement;
    const end: ModelRequestEnd =
      outcome === 'released'
        ? { ...reported, state: 'released', refusal: neverLeft(whyReleased(error, head?.status ?? null)) }
        : { ...reported, state: 'settled', amount, mark };
    try {
      endRequest(context, request.id, end);
      if (outcome === 'settled' && mark === 'exact' && usage !== null) {
        learn(usage.input, amount > request.bound);
        if (said.id !== null) prefixes.keepResponse(plan.scope, said.id, usage.input + usage.output);
      }
    } catch (failure) {
      // It stays held, and the next start settles it at its bound. The announcement of a stop must go on.
      context.log.error({ err: failure, request: request.id }, 'a request to a model could not be settled');
    }
    // Before the event: its listeners must not find this request still running.
    ended();
    context.publish({ type: 'agent', agentId: request.agentId });
  };

  /** A supplier that counts more than its bound is one whose bound is wrong: nobody asks that model before the owner looked. */
  const learn = (input: number, isAbove: boolean): void => {
    if (!isAbove) return prefixes.learn(plan.scope, plan.read.parts, input);
    prefixes.forget(plan.scope);
    switchOff(context, plan);
  };

  return {
    request,
    signal: AbortSignal.any([gone, stopping.signal]),
    sent: () => void (isSent = true),
    answered(answer, say) {
      head = answer;
      facts = say;
    },
    end: finish,
    stoppedBy: () => stopped,
    stop(why) {
      stopped ??= why;
      finish(why);
      stopping.abort(why);
    },
  };
};

const countsOf = ({ input, cachedInput, cacheWrite, output, reasoning }: TokenCounts): TokenCounts => ({
  input,
  cachedInput,
  cacheWrite,
  output,
  reasoning,
});

/** A name or an id of the supplier's, as it is kept. */
export const shortened = (text: string | null): string | null => text && text.slice(0, 200);

const whyReleased = (error: unknown, status: number | null): string =>
  status !== null
    ? `The supplier refused the request with status ${status}, before any model answered. Nothing was spent.`
    : error instanceof AppError
      ? `${error.message} Nothing was spent.`
      : 'The request did not leave. Nothing was spent.';

const switchOff = ({ store, publish }: EngineContext, { supplier, ask: { model } }: Plan): void => {
  const settings = settingsIn(store.languageModels.list(), supplier.id, model);
  store.atomically(() => store.languageModels.set({ ...settings, enabled: false }));
  const message = `${supplier.name} counted more for a request to ${model} than the most that it could have cost. The model is switched off; look at its prices under Models.`;
  publish({ type: 'warning', code: 'model_above_bound', message });
};
