// Stops the requests to models that an event binds, in the turn of the event.
import { modelServiceId } from '../../contract/models/suppliers.ts';
import { AppError } from '../../errors.ts';
import type { EngineContext } from '../calls/call.ts';
import type { EngineEvent, LanguageModels, ModelRequest } from '../ports.ts';
import { refuseUnless } from './hold.ts';
import type { Running } from './running.ts';

/** Events after which requests may have to end. */
const stops: readonly EngineEvent['type'][] = ['freeze', 'agent', 'lock', 'service', 'halted'];

type Suppliers = Pick<LanguageModels, 'suppliers'>;

/** Returns what takes up an event, after its commit. */
export const createStopping = (
  context: EngineContext,
  suppliers: Suppliers,
  running: ReadonlySet<Running>,
): ((event: EngineEvent) => void) => {
  const due: EngineEvent[] = [];
  const stopBound = (event: EngineEvent): void => {
    /** The same for all requests of a key to a model: each end of a request is an event of its agent. */
    const answers = new Map<string, AppError | null>();
    for (const one of running) {
      const { agentId, keyId, serviceId, model } = one.request;
      if (event.type === 'agent' && event.agentId !== agentId) continue;
      const asked = `${keyId} ${serviceId} ${model}`;
      if (!answers.has(asked)) answers.set(asked, stopOf(context, suppliers, one.request));
      const why = answers.get(asked);
      if (why) one.stop(why);
    }
  };
  return (event) => {
    if (!stops.includes(event.type)) return;
    // The end of a request is an event too: this loop takes it up, so that none runs within another.
    if (due.push(event) > 1) return;
    try {
      for (const next of due) stopBound(next);
    } finally {
      due.length = 0;
    }
  };
};

const stopOf = (
  context: EngineContext,
  { suppliers }: Suppliers,
  { serviceId, model, ...request }: ModelRequest,
): AppError | null => {
  try {
    refuseUnless(context, request);
  } catch (error) {
    if (error instanceof AppError) return error;
    throw error;
  }
  const isOn = suppliers().some(({ id, enabled }) => enabled && modelServiceId(id) === serviceId);
  if (!isOn) return new AppError('not_available', `The owner turned off the supplier of ${model}.`);
  const blocked = context.store.serviceRules.blocking({ serviceId, payee: '', url: null });
  return blocked === null
    ? null
    : new AppError('service_blocked', `The owner blocked the service ${serviceId} for all agents.`);
};
