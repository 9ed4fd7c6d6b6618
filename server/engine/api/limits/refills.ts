// Whether an agent is refilled.
import type { Reply } from '../../../contract/schemas.ts';
import { formatUsdc } from '../../../money.ts';
import { agentNamed, done, type EngineContext } from '../../calls/call.ts';
import { isoOrNull } from '../../calls/views.ts';
import type { Agent, SomeOperations } from '../../ports.ts';

const dayMs = 86_400_000;

/** Its money is taken back: a refill would only send it again. */
export const endRefill = ({ store, publish }: EngineContext, { agentId, refill }: Agent): void => {
  if (refill === null) return;
  store.atomically(() => store.agents.update(agentId, { refill: null }));
  const message = `${agentId} is no longer refilled, since its money was taken back.`;
  publish({ type: 'warning', code: 'refill_ended', message });
  publish({ type: 'agent', agentId });
};

const refillView = ({ store, time }: EngineContext, { agentId, refill }: Agent): Reply<'getRefill'> => {
  const { refilled, lastAt } = store.transfers.refills(agentId, time.now() - dayMs);
  return {
    agentId,
    refill:
      refill === null
        ? null
        : {
            below: formatUsdc(refill.below),
            to: formatUsdc(refill.to),
            perDay: formatUsdc(refill.perDay),
          },
    refilled: formatUsdc(refilled),
    lastAt: isoOrNull(lastAt),
  };
};

export const refillOperations = (context: EngineContext) => {
  const { store, publish } = context;
  return {
    getRefill: ({ params }) => done(refillView(context, agentNamed(store, params.agentId))),

    setRefill({ params, body: { refill } }) {
      const { agentId } = agentNamed(store, params.agentId);
      const agent = store.atomically(() => store.agents.update(agentId, { refill }));
      publish({ type: 'agent', agentId });
      return done(refillView(context, agent));
    },
  } satisfies SomeOperations;
};
