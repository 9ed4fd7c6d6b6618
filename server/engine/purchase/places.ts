// How many purchases run at once: some of each agent and some of all, the others in turn. What can be paid is never
// refused for its rate. An agent with nothing running is always let in, so that nobody is held up by the slow sellers of
// others.
import { callerHasGone } from '../payment/refusals.ts';
import { createLanes } from '../../lib/turns.ts';

export interface Places {
  /**
   * Resolves when there is a place, with what gives it back; calling that twice does no harm.
   * @param isFirst before those of the agent that have not begun
   * @throws AppError `not_available` when the caller has gone meanwhile
   */
  take(agentId: string, gone: AbortSignal, isFirst?: boolean): Promise<() => void>;
}

export interface PlacesOptions {
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
          // Counted before the next one is looked at.
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
