// The life of a picture that an agent asked for. The money is in payment/machine.ts: a charge takes it, a refund gives
// it back. Both are transfers; the task links them.
//
//   queued      the charge is written in the same transaction. Once it is seen on the chain, the provider is asked
//   generating  on disk before the provider is asked, so that a crash causes no second request
//   success     the picture was decoded and is on disk
//   failed      in the same transaction a refund is owed, if the charge may have taken money
//
// A refund is owed until it is final. It waits for its charge to be final (before that a fork could take the charge
// back), for USDC and SOL in the treasury, and for the treasury to be unlocked; a freeze does not hold it up. For each
// charge, the database admits one refund that can still land (index transfer_refund). After a refund that failed on the
// chain or provably expired, another follows.
//
// After a crash at                 the disk says                     and `look` at the next start
//   before the charge is seen      queued                            goes on when it is seen
//   asked .. answered              generating, no picture            fails and refunds it, or asks again if repeatable
//   picture kept .. success        generating, with its picture      ends in success
//   failure .. refund opened       failed, owed                      opens the refund
//   refund opened .. final         failed, owed, its transfer open   waits for it, as for any transfer
import { AppError } from '../../errors.ts';
import type { EngineContext } from '../calls/call.ts';
import { stopFor } from '../payment/context.ts';
import type { ImageProviders, Model, Pictures, StoredImage, Task } from '../ports.ts';
import { repeat } from '../../lib/repeat.ts';
import { payBack } from './refunds.ts';
import { tell } from './task-view.ts';
import { isPaid, isVoid } from '../domain/states.ts';
import { type Failure, tooLate, failureOf, chargeFailed, notOffered, interrupted } from './failures.ts';

export interface Generation {
  /** Takes every unsettled task as far as it goes now. Never rejects. */
  look(): Promise<void>;
  /** Looks soon: a charge, a refund or a task has changed. */
  touch(): void;
  /** Ends a queued task and owes its refund; call it inside a transaction. Null when it is no longer queued. */
  giveUp(task: Task, failure: Failure): Task | null;
  start(): void;
  /** Aborts open requests, and leaves unfinished tasks to the next start. */
  stop(): Promise<void>;
}

export interface GenerationDeps {
  providers: ImageProviders;
  pictures: Pictures;
  /** How long a provider may take, in milliseconds. */
  answersWithinMs?: number;
}

const lookEveryMs = 1_000;

interface Generating {
  context: EngineContext;
  providers: ImageProviders;
  pictures: Pictures;
  answersWithinMs: number;
  /** Tasks whose provider this process is asking, with their image models. */
  asking: Map<string, { model: Model; done: Promise<void> }>;
  /** Tasks of whose refund the owner was warned. */
  warned: Set<string>;
  ending: AbortController;
  touch(): void;
}

export const createGeneration = (
  context: EngineContext,
  { providers, pictures, answersWithinMs = 5 * 60_000 }: GenerationDeps,
): Generation => {
  const { store, log } = context;
  const ending = new AbortController();
  const asking: Generating['asking'] = new Map();
  let looking: Promise<void> | null = null;
  let again = false;
  const failed = (error: unknown): void => log.warn({ err: error }, 'the tasks could not be looked at now');
  const lookUntilDone = async (): Promise<void> => {
    while (again && !ending.signal.aborted) {
      again = false;
      for (const task of store.tasks.unsettled()) await step(generating, task);
    }
  };
  const look = (): Promise<void> => {
    again = true;
    looking ??= lookUntilDone()
      .catch(failed)
      .finally(() => {
        looking = null;
      });
    return looking;
  };
  const touch = (): void => {
    if (!ending.signal.aborted) setImmediate(() => void look());
  };
  const generating: Generating = {
    context,
    providers,
    pictures,
    answersWithinMs,
    asking,
    warned: new Set(),
    ending,
    touch,
  };
  const timer = repeat(look, lookEveryMs, failed);

  return {
    look,
    touch,
    giveUp: (task, failure) => fail(context, task, failure),
    start: timer.start,
    async stop() {
      ending.abort();
      await timer.stop();
      await looking;
      await Promise.allSettled([...asking.values()].map(({ done }) => done));
    },
  };
};

/** Ends the task and owes its refund. Null when it is no longer in its state. */
const fail = ({ store, time }: EngineContext, task: Task, failure: Failure): Task | null => {
  const charge = store.transfers.get(task.chargeId);
  const refund = charge === undefined || isVoid(charge) ? 'void' : 'owed';
  return store.tasks.move(task.id, task.state, 'failed', { failure, refund, endedAt: time.now() });
};

const end = (generating: Generating, task: Task, failure: Failure): void => {
  const { context, touch } = generating;
  const failed = context.store.atomically(() => fail(context, task, failure));
  if (failed === null) return;
  context.log.info({ task: task.id, code: failure.code }, 'a picture was not made');
  tell(context, failed);
  touch();
};

const succeed = (context: EngineContext, task: Task, image: StoredImage): void => {
  const { store, time } = context;
  const done = store.atomically(() =>
    store.tasks.move(task.id, 'generating', 'success', { image, endedAt: time.now() }),
  );
  if (done !== null) tell(context, done);
};

/** The task's charge is on its way, waits for the owner, or is seen. */
const begin = (generating: Generating, task: Task): void => {
  const { context, providers, asking } = generating;
  const { store, time, keys, halted } = context;
  const charge = store.transfers.get(task.chargeId);
  if (charge === undefined || isVoid(charge)) return end(generating, task, chargeFailed(charge));
  const model = providers.models().find(({ id }) => id === task.modelId);
  if (model === undefined || !model.enabled || !providers.usable(model))
    return end(generating, task, notOffered);
  const stop = stopFor(context, charge);
  // A stop holds here too: the charge is refunded, and no provider is asked.
  if (stop !== null && isStop(stop)) return end(generating, task, { code: stop.code, message: stop.message });
  if (stop !== null || halted.reason !== null || keys.locked() || !isPaid(charge)) return;
  const busy = [...asking.values()].filter((one) => one.model.providerId === model.providerId);
  if (busy.length >= providers.atOnce(model)) return;
  const started = store.atomically(() =>
    stopFor(context, charge) === null
      ? store.tasks.move(task.id, 'queued', 'generating', { startedAt: time.now() })
      : null,
  );
  if (started === null) return;
  tell(context, started);
  ask(generating, started, model);
};

export const ask = (generating: Generating, task: Task, model: Model): void => {
  const { asking, touch } = generating;
  const done = draw(generating, task, model).finally(() => {
    asking.delete(task.id);
    touch();
  });
  asking.set(task.id, { model, done });
};

/** Never rejects. Ignores an answer that comes after the time limit. */
const draw = async (generating: Generating, task: Task, model: Model): Promise<void> => {
  const { context, providers, pictures, answersWithinMs, ending } = generating;
  const { store, time, log, halted } = context;
  const { id: taskId, prompt, resolution } = task;
  const asked = performance.now();
  const observed = (ok: boolean): void => {
    const call = { at: time.now(), ok, latencyMs: performance.now() - asked };
    store.atomically(() => store.services.observed(model.id, call));
  };
  try {
    const signal = AbortSignal.any([ending.signal, AbortSignal.timeout(answersWithinMs)]);
    const drawing = await orLate(providers.draw(model, { taskId, prompt, resolution }, signal), signal);
    const image = await pictures.keep(taskId, drawing.bytes);
    succeed(context, task, image);
    observed(true);
  } catch (error) {
    // The next start recovers the task.
    if (ending.signal.aborted || halted.reason !== null) return;
    if (!(error instanceof AppError)) log.error({ err: error, task: taskId }, 'a picture could not be made');
    observed(false);
    end(generating, task, failureOf(error));
  }
};

/** A former process asked the task's provider, and ended. */
const recover = async (generating: Generating, task: Task): Promise<void> => {
  const { context, providers, pictures } = generating;
  const image = await pictures.find(task.id);
  if (image !== null) return succeed(context, task, image);
  const model = providers.models().find(({ id }) => id === task.modelId);
  if (model !== undefined && providers.usable(model) && providers.repeatable(model))
    ask(generating, task, model);
  else end(generating, task, interrupted);
};

const step = async (generating: Generating, task: Task): Promise<void> => {
  const { context, asking, warned } = generating;
  try {
    if (task.state === 'queued') begin(generating, task);
    else if (task.state === 'failed') await payBack(context, task, warned);
    else if (!asking.has(task.id)) await recover(generating, task);
  } catch (error) {
    context.log.warn({ err: error, task: task.id }, 'a task could not be taken further now');
  }
};

const isStop = ({ code }: AppError): boolean => code === 'frozen' || code === 'suspended';

/** Stops waiting for a provider that ignores the signal. Removes the listener, so that nothing retains the answer. */
const orLate = <T>(answer: Promise<T>, signal: AbortSignal): Promise<T> =>
  new Promise((resolve, reject) => {
    const refuse = (): void => reject(tooLate());
    if (signal.aborted) refuse();
    else signal.addEventListener('abort', refuse, { once: true });
    const letGo = (): void => signal.removeEventListener('abort', refuse);
    answer.then(resolve, reject).finally(letGo);
  });
