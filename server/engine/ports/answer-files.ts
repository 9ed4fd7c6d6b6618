// The port to the files that hold sellers' answers; store/ implements it.
import type { BodySink, SellerAnswer } from './sellers.ts';

/** A complete body: in memory while it is small, otherwise in a file. */
export interface AnswerBody {
  readonly bytes: number;
  /** Its representation in JSON. */
  readonly encoding: 'utf8' | 'base64';
  /** Chunks of some kilobytes, read on demand. @throws when the file is gone */
  read(): AsyncIterable<Buffer>;
}

/** A seller's answer, with its body in memory or in a file. */
export interface DeliveredAnswer extends Pick<SellerAnswer, 'status' | 'headers'> {
  body: AnswerBody;
}

export interface AnswerDraft extends BodySink {
  /** The body that was written. */
  body(): AnswerBody;
  /** Resolves once the body would survive a power cut under its name. */
  keep(): Promise<void>;
  /** Removes the file. */
  discard(): Promise<void>;
}

/**
 * Bodies of sellers' answers, in files that only this user can read. File names are payment ids or our own, never a
 * seller's. Writing throws AppError `disk_low` when the disk takes no more.
 */
export interface AnswerFiles {
  draft(name: string): AnswerDraft;
  body(name: string, known: Pick<AnswerBody, 'bytes' | 'encoding'>): AnswerBody;
  /** Sizes in bytes, by name. */
  list(): Promise<Map<string, number>>;
  remove(name: string): Promise<void>;
}
