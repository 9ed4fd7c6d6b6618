// Refills: when an agent's wallet runs low, the treasury allocates to it by itself. Each is an ordinary allocation through
// the machine, decided in the transaction that reserves it.
import { AppError } from '../../errors.ts';
import { repeat, type Repeated } from '../../lib/repeat.ts';
import { allocationOf } from '../payment/owner/allocation.ts';
import { addNotice } from '../notices/add-notice.ts';
import { refuseWhenStopped, type Context } from '../payment/context.ts';
import { openIntent, ownAsker } from '../payment/decision/intent.ts';
import type { Machine } from '../payment/machine/machine.ts';
import { refillDueNow } from '../payment/decision/refill-facts.ts';
import type { Agent, Transfer } from '../ports.ts';
import type { Funds } from './funds.ts';

const lookMs = 2_000;
const byItself = { cause: 'refill' } as const;

export interface Refills extends Repeated {
  /** Refills every agent that is due. Never rejects. */
  look(): Promise<void>;
}

export const createRefills = (context: Context, parts: { funds: Funds; machine: Machine }): Refills => {
  const look = async (): Promise<void> => {
    const due = context.store.agents
      .list()
      .filter((agent) => refillDueNow(context, agent, context.time.now()) !== null);
    for (const agent of due) await refill(context, parts, agent);
  };
  const failed = (error: unknown): void =>
    context.log.error({ err: error }, 'the refills that are due could not be read now');
  return { look: () => look().catch(failed), ...repeat(look, lookMs, failed) };
};

const refill = async (
  context: Context,
  { funds, machine }: { funds: Funds; machine: Machine },
  { agentId, wallet }: Agent,
): Promise<void> => {
  const { store, settings, time, publish, log } = context;
  try {
    refuseWhenStopped(context, { kind: 'allocation', agentId });
    // A balance that was read before the last refill landed would have it made twice.
    await funds.refresh([wallet, settings.owner]);
    const now = store.agents.get(agentId);
    const foreseen = now === undefined ? null : refillDueNow(context, now, time.now());
    if (now === undefined || foreseen === null) return;
    const facts = await funds.prepare(allocationOf(context, now, foreseen, byItself));
    const row = store.atomically((): Transfer | null => {
      const agent = store.agents.get(agentId);
      const amount = agent === undefined ? null : refillDueNow(context, agent, time.now());
      if (agent === undefined || amount === null) return null;
      const { row: opened } = openIntent(
        context,
        allocationOf(context, agent, amount, byItself),
        ownAsker,
        facts,
      );
      if (opened.state === 'reserved')
        addNotice(context, { kind: 'refilled', agentId, amount, subject: opened.id });
      return opened;
    });
    if (row === null) return;
    publish({ type: 'transfer', transfer: row });
    void machine.advance(row.id);
  } catch (error) {
    // A stop, a lock or a chain that does not answer: the next look tries again.
    if (!(error instanceof AppError)) log.error({ err: error, agentId }, 'a refill failed inside');
  }
};
