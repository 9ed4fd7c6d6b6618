// Archives an agent: all its USDC goes back to the treasury, its API keys end, and it is hidden.
//
// Each recall is a transfer with an idempotency key of its own, so that a repeated archive never takes an earlier
// recall for a new one, and reports the sum of all of them.
import { AppError } from '../../errors.ts';
import { formatUsdc, usdc } from '../../money.ts';
import { agentOnRecord, askerOf, done, notArchived, type EngineContext } from '../calls/call.ts';
import { carryOut } from '../calls/request.ts';
import { recall, remember, type Idempotency } from '../payment/decision/idempotency.ts';
import { ownAsker } from '../payment/decision/intent.ts';
import { available } from '../payment/decision/balance.ts';
import { announceRevoked, revokeKeys } from '../payment/owner/revoke.ts';
import { suspend } from '../payment/owner/stop.ts';
import type { Agent, Call, Operation, Transfer } from '../ports.ts';
import { agentView } from '../calls/views.ts';
import { endRefill } from './limits/refills.ts';
import { readEnds, recallOf } from './transfers.ts';
import { isPaid } from '../domain/states.ts';

/** A wallet that fills as fast as it is emptied is not archived. */
const mostRecalls = 20;

export const archiveOperation =
  (context: EngineContext): Operation<'archive'> =>
  async (call) => {
    const agent = agentOnRecord(context.store, call.params.agentId);
    const { idempotency } = askerOf(call, `agent:${agent.agentId}`, 'archive');
    const recalls = createRecalls(context, agent, idempotency?.key ?? context.newId('arc'));
    if (recall(context, idempotency) !== undefined) return done(answerOf(agent, recalls.made()));
    // Suspended first, so that no payment comes in between.
    suspend(context, notArchived(agent).agentId, 'archived');
    endRefill(context, agent);
    await recallAll(context, agent, recalls, call.waitMs);
    return done(answerOf(close(context, agent, idempotency), recalls.made()));
  };

interface Recalls {
  /** The recalls of this request so far, whatever their states. */
  made(): Transfer[];
  /** The idempotency key of the next one. */
  next(): Idempotency;
}

const createRecalls = (context: EngineContext, { agentId }: Agent, request: string): Recalls => {
  const nth = (n: number): Idempotency => ({
    // No client's idempotency key has this scope.
    scope: `archive:${agentId}`,
    key: `${request} ${n}`,
    route: 'archive',
    body: {},
  });
  const made = (): Transfer[] => {
    const rows: Transfer[] = [];
    for (;;) {
      const id = recall(context, nth(rows.length))?.transferId;
      const row = id == null ? undefined : context.store.transfers.get(id);
      if (row === undefined) return rows;
      rows.push(row);
    }
  };
  return { made, next: () => nth(made().length) };
};

/** @throws AppError `conflict` while a transfer is under way; a later request goes on from there */
const recallAll = async (
  context: EngineContext,
  agent: Agent,
  recalls: Recalls,
  waitMs: Call<'archive'>['waitMs'],
): Promise<void> => {
  const { store, funds, settings } = context;
  for (let left = mostRecalls; left > 0; left -= 1) {
    await funds.refresh([agent.wallet]);
    if (store.transfers.openOf(agent.agentId).some(({ state }) => state !== 'seen'))
      throw new AppError(
        'conflict',
        'This agent still has payments that are not settled. Archive it again once they are.',
      );
    const rest = available(context, agent.wallet);
    if (rest <= 0n) return;
    const asker = { ...ownAsker, idempotency: recalls.next() };
    const recalled = await carryOut(context, asker, () => recallOf(settings.owner, agent, rest), { waitMs });
    if (recalled.refusal !== null) {
      const { code, message, details } = recalled.refusal;
      throw new AppError(code, message, { ...details, transferId: recalled.id });
    }
    if (!isPaid(recalled)) break;
    await readEnds(context, recalled);
  }
  throw new AppError('conflict', 'Its USDC is not back in the treasury yet. Archive it again in a moment.');
};

const close = (context: EngineContext, agent: Agent, idempotency: Idempotency | null): Agent => {
  const { store, time, publish } = context;
  const { agentId } = agent;
  // An equal request at the same time has closed it.
  if (recall(context, idempotency) !== undefined) return agent;
  // The owner may have resumed it meanwhile.
  suspend(context, agentId, 'archived');
  const keys = store.keys.list(agentId);
  const { archived, cancelled } = store.atomically(() => {
    remember(context, idempotency, { transferId: null, approvalId: null });
    return {
      cancelled: revokeKeys(context, keys),
      archived: store.agents.update(agentId, { archivedAt: time.now() }),
    };
  });
  announceRevoked(context, keys, cancelled);
  publish({ type: 'agent', agentId });
  return archived;
};

const answerOf = (agent: Agent, recalls: readonly Transfer[]) => {
  const moved = recalls.filter(isPaid).reduce((sum, { amount }) => sum + amount, 0n);
  return { ...agentView(agent), recalled: formatUsdc(usdc(moved)) };
};
