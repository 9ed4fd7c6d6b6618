// The limits of time and size for the answer of one purchase, by the caller's wish and the host's settings.
import type { Body } from '../../contract/schemas.ts';
import { AppError, fieldError } from '../../errors.ts';
import type { EngineContext } from '../calls/call.ts';
import type { AnswerLimits, Offer } from '../ports.ts';

export interface AskedLimits extends AnswerLimits {
  /** The caller set a time limit: it then applies to an answer that costs nothing as well. */
  isPatient: boolean;
  /** `withinMs` is the time between two pieces of the answer. */
  isStream: boolean;
  /** So much of a paid answer is kept; room for it is set aside before anything is paid. */
  keptBytes: number;
}

/** @throws AppError `bad_request` for more than the host allows */
export const limitsOf = (
  { settings: { answers } }: Pick<EngineContext, 'settings'>,
  { timeoutSeconds, maxBytes }: Pick<Body<'fetch'>, 'timeoutSeconds' | 'maxBytes'>,
): AskedLimits => {
  const mostSeconds = answers.withinMs / 1_000;
  if (timeoutSeconds !== undefined && timeoutSeconds > mostSeconds)
    throw fieldError('timeoutSeconds', `must be at most ${mostSeconds} here (--answer-seconds)`);
  if (maxBytes !== undefined && maxBytes > answers.mostBytes)
    throw fieldError('maxBytes', `must be at most ${answers.mostBytes} here (--answer-bytes)`);
  const mostBytes = maxBytes ?? answers.mostBytes;
  return {
    withinMs: timeoutSeconds === undefined ? answers.withinMs : timeoutSeconds * 1_000,
    mostBytes,
    isPatient: timeoutSeconds !== undefined,
    isStream: false,
    keptBytes: mostBytes,
  };
};

/** For an answer that its caller gets while it arrives. */
export const streamLimits = ({ settings: { answers } }: Pick<EngineContext, 'settings'>): AskedLimits => ({
  withinMs: answers.withinMs,
  mostBytes: answers.streamBytes,
  isPatient: true,
  isStream: true,
  keptBytes: Math.min(answers.mostBytes, answers.streamBytes),
});

/** Call it before paying. @throws AppError `answer_too_slow`, `answer_too_large` if the seller announces more */
export const refuseWhatCannotFit = ({ announced = {} }: Offer, limits: AnswerLimits): void => {
  const { withinMs = 0, mostBytes = 0 } = announced;
  if (withinMs > limits.withinMs)
    throw new AppError(
      'answer_too_slow',
      `The seller says that it may take ${withinMs / 1_000} s, longer than timeoutSeconds allows (${limits.withinMs / 1_000}). Nothing was paid.`,
      { timeoutSeconds: limits.withinMs / 1_000, announcedSeconds: withinMs / 1_000 },
    );
  if (mostBytes > limits.mostBytes)
    throw new AppError(
      'answer_too_large',
      `The seller says that its answer has ${mostBytes} bytes, more than maxBytes allows (${limits.mostBytes}). Nothing was paid.`,
      { maxBytes: limits.mostBytes, announcedBytes: mostBytes },
    );
};
