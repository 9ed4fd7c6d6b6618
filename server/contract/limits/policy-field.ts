// The entry of a field of a policy, by the field's kind.
import type { Usdc } from '../../money.ts';
import type { Hours } from './hours.ts';
import type { ServiceLimits } from './service-limits.ts';

/** The values of a field inside the treasury, by kind. */
export interface Held {
  amount: Usdc;
  seconds: number;
  count: number;
  services: readonly string[];
  models: readonly string[];
  choice: string;
  /** Unix milliseconds. */
  time: number;
  hours: Hours;
  serviceLimits: ServiceLimits;
}
/** The same in requests and replies. */
export interface Stated {
  amount: string;
  seconds: number;
  count: number;
  services: string[];
  models: string[];
  choice: string;
  /** ISO 8601. */
  time: string;
  hours: Hours;
  serviceLimits: ServiceLimits<string>;
}

export type FieldKind = keyof Held;

interface Entry<K extends FieldKind> {
  kind: K;
  /** Of the table `policy`. */
  column: string;
  /** A later version added the column, which is null in older rows: they keep their digests, and read as `usual`. */
  isLater?: true;
  /** The field may be null, which sets no limit. */
  mayBeNone?: true;
  /** Its value until somebody sets another. */
  usual: Held[K] | null;
  /** Whether `to` allows nothing that `from` does not. Null is compared already: it allows most. */
  isTighter(from: Held[K], to: Held[K]): boolean;

  /** Its name where the owner reads about it. */
  label: string;
  /** The name of null, zero seconds or an empty list where a change is shown. */
  none?: string;
  /** For a field whose rule refuses: its name there, if that differs, and what a refused payment was. */
  refusal?: { label?: string; payment: string };
  /** Its control in the form: its label, if that differs; `asks` is how it is offered while it is not set. */
  form: { label?: string; note?: string; asks?: string };
  command: { label: string; help: string; before?: string };
  /** Set for an argument of the tool `set_policy`. */
  tool?: string;
  /** The sentence that shows the owner its value; `woven`: policy-sentence.ts says it with other fields, or with names. */
  sentence: 'woven' | ((value: Stated[K]) => string);
}

type AmountEntry = Entry<'amount'>;
/** `mostSaid` is `most` in words. */
type SecondsEntry = Entry<'seconds'> & { least: number; most: number; mostSaid: string };
type CountEntry = Entry<'count'> & {
  unit: string;
  short: string;
  least: number;
  most: number;
  mostSaid?: string;
};
type ServicesEntry = Entry<'services'> & { most: number };
/** The words for each option, the one that allows most first. */
type ChoiceEntry = Entry<'choice'> & { options: Readonly<Record<string, string>> };

/** Fields of these kinds are no arguments of the tool. */
type Further<K extends FieldKind> = Omit<Entry<K>, 'tool'> & { tool?: never };
type ModelsEntry = Further<'models'> & { most: number };
type TimeEntry = Further<'time'>;
type HoursEntry = Further<'hours'>;
type ServiceLimitsEntry = Further<'serviceLimits'> & { most: number };

export type FieldEntry =
  | AmountEntry
  | SecondsEntry
  | CountEntry
  | ServicesEntry
  | ModelsEntry
  | ChoiceEntry
  | TimeEntry
  | HoursEntry
  | ServiceLimitsEntry;

export const isLower = <T extends bigint | number>(from: T, to: T): boolean => to <= from;
export const isHigher = <T extends bigint | number>(from: T, to: T): boolean => to >= from;

/** The empty list is the set of all services. */
export const isSubset = (whole: readonly string[], part: readonly string[]): boolean =>
  whole.length === 0 || (part.length > 0 && part.every((service) => whole.includes(service)));

/** A model's id, or the beginning of ids followed by `*`. */
export const modelPatternForm = /^(?:[\x21-\x29\x2b-\x7e]+\*?|\*)$/;

/** Whether a model is one of those that the patterns name: exact ids, and beginnings that end with `*`. */
export const isModelIn = (patterns: readonly string[], model: string): boolean =>
  patterns.some((pattern) =>
    pattern.endsWith('*') ? model.startsWith(pattern.slice(0, -1)) : model === pattern,
  );

/** The empty list is the set of no model. A pattern lies within another if that one covers all that it can name. */
export const areModelsWithin = (whole: readonly string[], part: readonly string[]): boolean =>
  part.every((pattern) =>
    pattern.endsWith('*')
      ? whole.some((one) => one.endsWith('*') && pattern.startsWith(one.slice(0, -1)))
      : isModelIn(whole, pattern),
  );

/** A function for each kind of field. */
type ByKind<T> = { readonly [K in FieldKind]: (entry: Extract<FieldEntry, { kind: K }>) => T };

/** Calls the function for the field's kind. */
export const byKind = <T>(entry: FieldEntry, make: ByKind<T>): T =>
  (make[entry.kind] as (entry: FieldEntry) => T)(entry);
