// Limits for one answer, in time and size: tight for a refusal, wider for purchased goods.
import type { AnswerLimits, BodySink, Goods } from '../engine/ports.ts';
import { AppError } from '../errors.ts';

/** Limits for an answer whose head has come. */
export interface Reading {
  mostBytes: number;
  /** Null: the body goes into memory. */
  into: BodySink | null;
  tooLarge(): AppError;
  /** Waits until a chunk is written. A stream's time begins anew then. */
  handingOn(written: Promise<void>): Promise<void>;
}

interface AnswerLimit {
  /** Aborted when the time is up. */
  signal: AbortSignal;
  /** Call when the head has come. */
  begin(status: number): Reading;
  /** The error that the caller gets for what ended the request. */
  explain(error: unknown): AppError;
  end(): void;
}

const mebibyte = 1024 * 1024;

/** @param small limits for every answer from 400 on, and for all when `goods` is missing */
export const createAnswerLimit = (
  small: AnswerLimits,
  { goods, beforeSending }: { goods?: Goods; beforeSending?: () => void },
  origin: string,
): AnswerLimit => {
  const timeout = new AbortController();
  let startedAt = performance.now();
  let withinMs = goods?.headWithinMs ?? small.withinMs;
  // A seller that is asked for its offer must be quick, unless the caller said otherwise.
  let isCallersLimit = beforeSending !== undefined || withinMs > small.withinMs;
  let timer: NodeJS.Timeout | undefined;
  const arm = (): void => {
    clearTimeout(timer);
    timer = setTimeout(() => timeout.abort(), Math.max(0, startedAt + withinMs - performance.now()));
  };
  const armAnew = (): void => {
    startedAt = performance.now();
    arm();
  };
  arm();
  const refusal = (code: 'answer_too_large' | 'answer_too_slow', why: string): AppError =>
    new AppError(isCallersLimit ? code : 'not_available', `${origin} ${why}.`);

  return {
    signal: timeout.signal,
    begin(status) {
      const isGoods = goods !== undefined && status < 400;
      isCallersLimit = isGoods;
      if (isGoods) ({ withinMs } = goods);
      const isStream = isGoods && goods.isStream === true;
      if (isStream) armAnew();
      else arm();
      const { mostBytes } = isGoods ? goods : small;
      const tooLarge = (): AppError => refusal('answer_too_large', `says more than ${sizeOf(mostBytes)}`);
      const handingOn = async (written: Promise<void>): Promise<void> => {
        if (!isStream) return written;
        clearTimeout(timer);
        await written;
        armAnew();
      };
      return { mostBytes, into: isGoods ? goods.into : null, tooLarge, handingOn };
    },
    explain(error) {
      if (!timeout.signal.aborted)
        return new AppError('not_available', `${origin} cannot be reached.`, {}, { cause: error });
      return refusal('answer_too_slow', `did not answer within ${withinMs / 1_000} s`);
    },
    end: () => clearTimeout(timer),
  };
};

const sizeOf = (bytes: number): string =>
  bytes >= mebibyte / 10 ? `${Math.round((bytes / mebibyte) * 100) / 100} MiB` : `${bytes} bytes`;
