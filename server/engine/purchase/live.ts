// An answer that its reader gets while it arrives: from the seller straight to the reader, and, where it is paid, into
// the file that a replay is read from.
import { AppError } from '../../errors.ts';
import { callerHasGone } from '../payment/decision/refusals.ts';
import { headFor } from './answer.ts';
import type { AnswerDraft, AnswerReader, BodySink, SellerAnswer, Streamed } from '../ports.ts';
import type { AskedLimits } from './limits.ts';

type Head = Pick<SellerAnswer, 'status' | 'headers'>;

export interface Live {
  /** The reader has a head, and can be sent no other. */
  hasBegun(): boolean;
  /** Without effect once the reader was sent something else. */
  begin(head: Head): void;
  /** Resolves when there is room for more; to false when nobody reads. */
  write(piece: Buffer): Promise<boolean>;
  /** The reader is sent something else: no answer reaches it from now on. */
  detach(): void;
}

/** @param payment for the head, as it is when the answer begins */
export const createLive = (reader: AnswerReader, payment: () => Streamed['head']['payment']): Live => {
  let state: 'waiting' | 'begun' | 'detached' = 'waiting';
  return {
    hasBegun: () => state === 'begun',
    begin(head) {
      if (state !== 'waiting') return;
      state = 'begun';
      reader.begin(headFor(head, payment()));
    },
    write: (piece) => (state === 'begun' ? reader.write(piece) : Promise.resolve(false)),
    detach() {
      if (state === 'waiting') state = 'detached';
    },
  };
};

/** For an answer that costs nothing: it is not kept. */
export const sinkOf = (live: Live): BodySink => ({
  begin: live.begin,
  async write(piece) {
    if (!(await live.write(piece))) throw callerHasGone();
  },
});

/** For an answer that is paid. It is kept up to `keptBytes`, whether or not somebody reads. */
export interface Tee extends BodySink {
  /** False once the answer is larger than that, or the disk takes no more. */
  isKept(): boolean;
}

/**
 * Without a reader, writing throws AppError `answer_not_kept` for what is not kept, and `answer_too_slow` for what
 * still comes `withinMs` after the reader has gone: nobody else would end the request.
 */
export const createTee = (live: Live, draft: AnswerDraft, limits: AskedLimits): Tee => {
  let bytes = 0;
  let isKept = true;
  let goneAt: number | null = null;

  const drop = async (): Promise<void> => {
    isKept = false;
    await draft.discard();
  };
  const keep = async (piece: Buffer): Promise<void> => {
    bytes += piece.byteLength;
    if (!isKept) return;
    if (bytes > limits.keptBytes) return drop();
    // Our full disk is no reason to break off what the reader is getting.
    await draft.write(piece).catch(drop);
  };
  return {
    isKept: () => isKept,
    begin: live.begin,
    async write(piece) {
      const [isRead] = await Promise.all([live.write(piece), keep(piece)]);
      if (isRead) return;
      if (!isKept)
        throw new AppError(
          'answer_not_kept',
          'The client disconnected, and the answer is too large to keep.',
        );
      goneAt ??= performance.now();
      if (performance.now() - goneAt > limits.withinMs)
        throw new AppError('answer_too_slow', 'The client disconnected, and the answer took too long.');
    },
  };
};
