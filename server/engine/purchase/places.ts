// Limits the purchases that run at once, for each agent and in all; the others queue round-robin. No payment is refused
// for its rate. An agent with nothing running is always admitted, so that slow sellers of other agents hold up none.
import { callerHasGone } from '../payment/decision/refusals.ts';
import { createLanes } from '../../lib/turns.ts';

export interface Places {
  /**
   * Resolves when there is a place, with the function that gives it back, which is idempotent.
   * @param isFirst ahead of the agent's purchases that have not begun
   * @throws AppError `not_available` when the caller has gone meanwhile
   */
  take(agentId: string, gone: AbortSignal, isFirst?: boolean): Promise<() => void>;
}

interface PlacesOptions {
  ofOneAgent: number;
  ofAll: number;
}

export const createPlaces = ({ ofOneAgent, ofAll }: PlacesOptions): Places => {
  const running = new Map<string, number>();
  const waiting = createLanes<() => void>();
  let all = 0;

  const runningOf = (agentId: string): number => running.get(agentId) ?? 0;
  const mayGo = (agentId: string): boolean => {
    const own = runningOf(agentId);
    return own === 0 || (own < ofOneAgent && all < ofAll);
  };
  const count = (agentId: string, change: 1 | -1): void => {
    all += change;
    const own = runningOf(agentId) + change;
    if (own === 0) running.delete(agentId);
    else running.set(agentId, own);
  };
  const admit = (): void => {
    for (let next = waiting.take(mayGo); next !== undefined; next = waiting.take(mayGo)) next();
  };

  return {
    take: (agentId, gone, isFirst) =>
      new Promise((resolve, reject) => {
        if (gone.aborted) return reject(callerHasGone());
        const leave = onlyOnce(() => {
          count(agentId, -1);
          admit();
        });
        const enter = (): void => {
          gone.removeEventListener('abort', drop);
          // Counted before `admit` considers the next one.
          count(agentId, 1);
          resolve(leave);
        };
        const drop = (): void => {
          if (waiting.remove(agentId, enter)) reject(callerHasGone());
        };
        gone.addEventListener('abort', drop, { once: true });
        waiting.add(agentId, enter, isFirst);
        admit();
      }),
  };
};

export const onlyOnce = (work: () => void): (() => void) => {
  let isDone = false;
  return () => {
    if (isDone) return;
    isDone = true;
    work();
  };
};
