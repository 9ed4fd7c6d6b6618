// Sellers' answers, each kept in a file and a row for replays: for a day, or until their client has them and room is
// needed.
import { isDelivery } from '../../contract/payments/wishes.ts';
import { AppError } from '../../errors.ts';
import type { EngineContext } from '../calls/call.ts';
import type { AnswerFiles, DeliveredAnswer, Transfer } from '../ports.ts';
import { repeat } from '../../lib/repeat.ts';
import type { Room } from './room.ts';

export interface Kept {
  /** With its body; undefined when nothing is kept. */
  of(transferId: string): DeliveredAnswer | undefined;
  /** The same, for requests of the answer alone. @throws AppError `not_found` that says why there is none */
  need(transfer: Transfer): DeliveredAnswer;
  /**
   * The client acknowledges the answer. Nothing else marks it as received: bytes may be lost on the way. An equal request
   * is another purchase then if the answer was a delivery, and `repeatedWithinMs` later if it was none.
   * @param arrived the answer, if it is not kept yet
   */
  acknowledge(transferId: string, arrived?: Pick<DeliveredAnswer, 'status'>): void;
  /** Call it before the first request: it matches rows and files. */
  prepare(): Promise<void>;
  start(): void;
  stop(): Promise<void>;
}

const keptMs = 86_400_000;
const pruneEveryMs = 3_600_000;
const atOnce = 256;

type KeptContext = Pick<EngineContext, 'store' | 'time' | 'log'>;

export const createKept = (context: KeptContext, files: AnswerFiles, room: Room): Kept => {
  const { store, time, log } = context;

  const of = (transferId: string): DeliveredAnswer | undefined => {
    const known = store.answers.get(transferId);
    if (known === undefined) return undefined;
    const { status, headers } = known;
    return { status, headers, body: files.body(transferId, known) };
  };

  const prune = async (): Promise<void> => {
    for (;;) {
      const some = store.answers.before(time.now() - keptMs, atOnce);
      if (some.length === 0) return;
      await room.remove(some);
      for (const agentId of new Set(some.map((answer) => answer.agentId))) room.changed(agentId);
    }
  };
  const pruning = repeat(prune, pruneEveryMs, (error) =>
    log.warn({ err: error }, 'old answers could not be removed now'),
  );

  return {
    of,
    need(transfer) {
      const found = of(transfer.id);
      if (found !== undefined) return found;
      throw new AppError('not_found', whyNot(transfer));
    },
    acknowledge(transferId, arrived) {
      const answer = store.answers.get(transferId);
      store.atomically(() => {
        store.answers.receive(transferId, time.now());
        if (isDelivered(store.transfers.get(transferId), arrived ?? answer))
          store.wishes.receive(transferId, time.now());
      });
      if (answer !== undefined) room.changed(answer.agentId);
    },
    async prepare() {
      await moveFrom01(context, files);
      await sweep(context, files);
    },
    start: pruning.start,
    stop: pruning.stop,
  };
};

/** Only of a purchase that the treasury itself takes to its seller does it know what was answered. */
const isDelivered = (row: Transfer | undefined, answer: { status: number } | undefined): boolean => {
  const purchase = row?.purchase ?? null;
  if (purchase === null || purchase.carrier === 'agent') return true;
  return answer === undefined ? purchase.delivery === 'delivered' : isDelivery(answer);
};

const whyNot = ({ purchase }: Transfer): string => {
  if (purchase === null || purchase.carrier === 'agent')
    return 'The treasury did not fetch anything with this payment.';
  if (purchase.delivery === 'delivered')
    return 'This answer is no longer kept: answers are removed after 24 hours, or to make room once their client has them.';
  return 'The seller has not delivered yet. Call fetch again with the same Idempotency-Key to show it the payment.';
};

/** Each answer is in its file before the database forgets it. */
const moveFrom01 = async ({ store }: KeptContext, files: AnswerFiles): Promise<void> => {
  for (let old = store.answers.oldest01(); old !== undefined; old = store.answers.oldest01()) {
    const { answer, bytes } = old;
    const draft = files.draft(answer.transferId);
    await draft.write(bytes);
    await draft.keep();
    store.atomically(() => {
      store.answers.keep(answer);
      store.answers.forget01(answer.transferId);
    });
  }
};

/** Removes files without a row, which were never whole or were removed, and rows without their file. */
const sweep = async ({ store, log }: KeptContext, files: AnswerFiles): Promise<void> => {
  const sizes = await files.list();
  let known = store.answers.after('', atOnce);
  for (; known.length > 0; known = store.answers.after(known.at(-1)?.transferId ?? '', atOnce)) {
    const lost = known.filter(({ transferId, bytes }) => sizes.get(transferId) !== bytes);
    for (const { transferId } of lost) log.warn({ transfer: transferId }, 'the file of an answer is gone');
    store.atomically(() => {
      for (const { transferId } of lost) store.answers.remove(transferId);
    });
    for (const { transferId, bytes } of known) if (sizes.get(transferId) === bytes) sizes.delete(transferId);
  }
  for (const name of sizes.keys()) await files.remove(name);
};
