// Room for the answers of paid APIs: 64 MiB for each agent, set aside once a seller asks for payment, and before anything
// is paid. Answers that their client acknowledged are removed to make room for more; the others stay for a day.
import { AppError } from '../../errors.ts';
import type { EngineContext } from '../calls/call.ts';
import type { AnswerFiles, KeptAnswer } from '../ports.ts';
import { callerHasGone } from '../payment/decision/refusals.ts';
import { onlyOnce } from './places.ts';

const roomOfAgent = 64 * 1024 * 1024;

export interface Room {
  /**
   * Sets bytes aside. Waits while answers under way may leave some.
   * @throws AppError `answers_full` when only unacknowledged answers are in the way; `not_available` when the caller
   *   has gone
   */
  take(agentId: string, bytes: number, gone: AbortSignal): Promise<SetAside>;
  /** There may be more room for the agent now. */
  changed(agentId: string): void;
  /** Removes answers and their files. */
  remove(answers: readonly KeptAnswer[]): Promise<void>;
}

export interface SetAside {
  giveBack: () => void;
  /** It had to wait for other answers, maybe for long. */
  hasWaited: boolean;
}

/** The most answers that one step removes to make room. */
const someAnswers = 64;

export const createRoom = (context: Pick<EngineContext, 'store' | 'log'>, files: AnswerFiles): Room => {
  const { store } = context;
  const setAside = new Map<string, number>();
  const waiting = new Map<string, Set<() => void>>();

  const setAsideBy = (agentId: string): number => setAside.get(agentId) ?? 0;
  const missing = (agentId: string, bytes: number): number =>
    store.answers.sum(agentId) + setAsideBy(agentId) + bytes - roomOfAgent;
  const changed = (agentId: string): void => {
    for (const look of waiting.get(agentId) ?? []) look();
  };
  const reserve = (agentId: string, bytes: number): (() => void) => {
    setAside.set(agentId, setAsideBy(agentId) + bytes);
    return onlyOnce(() => {
      const left = setAsideBy(agentId) - bytes;
      if (left === 0) setAside.delete(agentId);
      else setAside.set(agentId, left);
      changed(agentId);
    });
  };

  const makeRoom = async (agentId: string, bytes: number): Promise<boolean> => {
    const chosen: KeptAnswer[] = [];
    let freed = 0;
    for (const answer of store.answers.received(agentId, someAnswers)) {
      if (freed >= bytes) break;
      chosen.push(answer);
      freed += answer.bytes;
    }
    await remove(context, files, chosen);
    return chosen.length > 0;
  };

  const nextChange = (agentId: string, gone: AbortSignal): Promise<void> =>
    new Promise((resolve, reject) => {
      // The caller may have gone while room was being made.
      if (gone.aborted) return reject(callerHasGone());
      const own = waiting.get(agentId) ?? new Set();
      waiting.set(agentId, own);
      const end = (): void => {
        gone.removeEventListener('abort', end);
        own.delete(end);
        if (own.size === 0) waiting.delete(agentId);
        if (gone.aborted) reject(callerHasGone());
        else resolve();
      };
      own.add(end);
      gone.addEventListener('abort', end, { once: true });
    });

  return {
    async take(agentId, bytes, gone) {
      for (let hasWaited = false; ;) {
        if (gone.aborted) throw callerHasGone();
        const lacking = missing(agentId, bytes);
        if (lacking <= 0) return { giveBack: reserve(agentId, bytes), hasWaited };
        if (await makeRoom(agentId, lacking)) continue;
        if (setAsideBy(agentId) === 0) throw answersFull(bytes);
        await nextChange(agentId, gone);
        hasWaited = true;
      }
    },
    changed,
    remove: (answers) => remove(context, files, answers),
  };
};

/** A file that cannot be removed now is removed at the next start. */
const remove = async (
  { store, log }: Pick<EngineContext, 'store' | 'log'>,
  files: AnswerFiles,
  answers: readonly KeptAnswer[],
): Promise<void> => {
  store.atomically(() => {
    for (const { transferId } of answers) store.answers.remove(transferId);
  });
  for (const { transferId } of answers)
    await files
      .remove(transferId)
      .catch((error: unknown) =>
        log.warn({ err: error, transfer: transferId }, 'an answer’s file stays until the next start'),
      );
};

const answersFull = (bytes: number): AppError =>
  new AppError(
    'answers_full',
    `This agent’s 64 MiB for unread answers cannot hold another ${bytes} bytes. Nothing was paid. Confirm with POST /v1/agents/:agentId/payments/:paymentId/received which answers have arrived, or ask for less with maxBytes; answers are removed after 24 hours.`,
    { maxBytes: bytes, room: roomOfAgent },
  );
