// The input of a format's writer, and its output.
import type { BookFormatName } from '../../contract/books/book-formats.ts';
import type { Network, Span } from '../../engine/ports.ts';
import type { Day } from '../../lib/local-days.ts';
import type { Entry } from '../entry.ts';
import type { Classified } from '../rules.ts';

/** The file as a whole. */
export interface Book {
  /** The treasury's address. */
  treasury: string;
  network: Network;
  /** The IANA name of the owner's time zone, whose days these are. */
  zone: string;
  /** Unix milliseconds: the first of the file, and the first after it. Formats by day begin and end with a day. */
  span: Span;
  /** Everything before this is final, and no entry can come before it any more: the end of a whole day. */
  finalUntil: number;
  dayAt(at: number): Day;
  classify(entry: Entry): Classified;
  /** The group's name now, archived or not. */
  groupName(groupId: string): string;
  /** The file goes on where an earlier one ended: it opens no account again. */
  continues: boolean;
}

/** Makes the text of a file, entry by entry. Nothing that it keeps grows with the number of entries. */
export interface Writer {
  /** An entry from before the file's span. It is not written, and moves the balances and the carry. */
  before(entry: Entry): void;
  /** The text before the first entry; called after the last `before`. */
  begin(): string;
  entry(entry: Entry): string;
  end(): string;
}

export type Writers = { readonly [N in BookFormatName]: (book: Book) => Writer };
