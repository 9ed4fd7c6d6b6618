// The outcome of one attempt to deliver a notice.
import { AppError } from '../errors.ts';
import { plainLine } from '../lib/plain-line.ts';

export type Outcome =
  /** `answer`: what the endpoint said, for the owner. */
  | { kind: 'delivered' | 'failed' | 'refused'; answer: string }
  /** Its secret cannot be read now. */
  | { kind: 'locked' };

export interface HttpAnswer {
  status: number;
  bytes: Buffer;
}

/** 4xx means that the endpoint will never take it, except for a timeout (408) and too many requests (429). */
export const outcomeOf = ({ status, bytes }: HttpAnswer, hidden: string | null = null): Outcome => {
  const isTaken = status >= 200 && status < 300;
  const isRefused = status >= 400 && status < 500 && status !== 408 && status !== 429;
  const kind = isTaken ? 'delivered' : isRefused ? 'refused' : 'failed';
  return { kind, answer: `HTTP ${status}${saidIn(bytes, hidden)}` };
};

/** @param hidden a secret that the endpoint was sent, and may repeat */
const saidIn = (bytes: Buffer, hidden: string | null): string => {
  const text = bytes.subarray(0, 2_000).toString();
  const said = plainLine(hidden === null ? text : text.replaceAll(hidden, '[hidden]'));
  return said === '' ? '' : `: ${said}`;
};

/** @throws any error that is a defect */
export const failed = (error: unknown): Outcome => {
  if (!(error instanceof AppError)) throw error;
  if (error.code === 'locked') return { kind: 'locked' };
  return { kind: 'failed', answer: error.message };
};
