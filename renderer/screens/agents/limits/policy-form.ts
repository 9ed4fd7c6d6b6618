// Converts a policy, or the limits of a group or the treasury, to the values of a form, and back, by the table of fields.
import {
  byKind,
  fieldEntries,
  limitEntries,
  type FieldEntry,
  type FieldKind,
  type LimitField,
  type policyFields,
  type PolicyField,
} from '../../../../server/contract/limits/policy-fields.ts';
import type { Reply } from '../../../../server/contract/schemas.ts';
import type { Hours } from '../../../../server/contract/limits/hours.ts';
import type { ServiceLimits } from '../../../../server/contract/limits/service-limits.ts';
import { limitRule } from '../../../shared/amount-rule.ts';
import type { Policy } from './policy-sentence.ts';
import {
  draftsOf,
  followedDrafts,
  limitsOf,
  serviceLimitsRule,
  type ServiceLimitDraft,
} from './service-limit-drafts.ts';

export const waitUnits = { seconds: 1, minutes: 60, hours: 3_600, days: 86_400 } as const;
type WaitUnit = keyof typeof waitUnits;

/** The form's draft of a field, by its kind. */
interface Drafts extends Record<FieldKind, unknown> {
  amount: string;
  seconds: { count: string; unit: WaitUnit };
  count: string;
  services: string[];
  /** The option that allows less. */
  choice: boolean;
  /** By this machine's clock, as `datetime-local` has it. */
  time: string;
  hours: { days: string[]; from: string; to: string };
  serviceLimits: ServiceLimitDraft[];
}
interface Optional<T> {
  isSet: boolean;
  value: T;
}
type DraftOf<E> = E extends { kind: infer K extends FieldKind }
  ? E extends { mayBeNone: true }
    ? Optional<Drafts[K]>
    : Drafts[K]
  : never;
export type PolicyValues = { [F in PolicyField]: DraftOf<(typeof policyFields)[F]> };
export type LimitValues = { [F in LimitField]: Optional<Drafts[(typeof policyFields)[F]['kind']]> };

type Fields = readonly (readonly [PolicyField, FieldEntry])[];

/** The largest unit that gives a whole number. */
const unitOf = (seconds: number): WaitUnit => {
  if (seconds === 0) return 'minutes';
  const fits = (unit: WaitUnit): boolean => seconds % waitUnits[unit] === 0;
  return (['days', 'hours', 'minutes'] as const).find(fits) ?? 'seconds';
};

/** Proposed where none are set. */
const usualHours: Hours = { days: [1, 2, 3, 4, 5], from: '08:00', to: '19:00' };

const localText = (time: number): string => {
  const offset = new Date(time).getTimezoneOffset() * 60_000;
  return new Date(time - offset).toISOString().slice(0, 16);
};

export type Limits = Reply<'getGroup'>['limits'];
type Value = Policy[PolicyField] | null;

const draftOf = (field: FieldEntry, value: Value): unknown =>
  byKind<unknown>(field, {
    amount: () => value ?? '',
    seconds() {
      const unit = unitOf(Number(value));
      return { count: String(Number(value) / waitUnits[unit]), unit };
    },
    count: () => String(value ?? ''),
    services: () => value ?? [],
    choice: ({ options }) => value === Object.keys(options).at(-1),
    time: () => (typeof value === 'string' ? localText(Date.parse(value)) : ''),
    hours() {
      const { days, from, to } = (value as Hours | null) ?? usualHours;
      return { days: days.map(String), from, to };
    },
    serviceLimits: () => draftsOf((value as ServiceLimits<string> | null) ?? {}),
  });

const fieldValue = (field: FieldEntry, value: Value): unknown => {
  const draft = draftOf(field, value);
  // An empty list of services sets no limit, as null does.
  const isSet = value !== null && !(field.kind === 'services' && (draft as Drafts['services']).length === 0);
  return field.mayBeNone === true ? { isSet, value: draft } : draft;
};

/** Null while a field that may be left out is left out. */
const setDraft = (field: FieldEntry, draft: unknown): unknown => {
  if (field.mayBeNone !== true) return draft;
  const { isSet, value } = draft as Optional<unknown>;
  return isSet ? value : null;
};

/** Where the form keeps what is typed into a field. */
export const pathOf = (name: PolicyField, field: FieldEntry): string => {
  const path = field.mayBeNone === true ? `${name}.value` : name;
  return field.kind === 'seconds' ? `${path}.count` : path;
};

const wholeRule = (text: string, low: number, high: number, what: string): string | null =>
  /^\d{1,9}$/.test(text.trim()) && Number(text) >= low && Number(text) <= high ? null : what;

const errorOf = (field: FieldEntry, draft: unknown): string | null =>
  byKind(field, {
    amount: () => limitRule(draft as Drafts['amount']),
    seconds({ least, most, mostSaid }) {
      const { count, unit } = draft as Drafts['seconds'];
      const size = waitUnits[unit];
      return wholeRule(count, least / size, most / size, `Write a whole number, at most ${mostSaid} in all.`);
    },
    count({ unit, least, most, mostSaid }) {
      const said = mostSaid === undefined ? '' : ` (${mostSaid})`;
      const what = `Write whole ${unit} from ${least} to ${most.toLocaleString('en')}${said}.`;
      return wholeRule(draft as Drafts['count'], least, most, what);
    },
    services({ most, mayBeNone }) {
      const { length } = draft as Drafts['services'];
      if (length === 0 && mayBeNone === true) return 'Choose at least one service.';
      return length > most ? `At most ${most} services.` : null;
    },
    choice: () => null,
    time: () => (Number.isNaN(Date.parse(draft as Drafts['time'])) ? 'Write a day and a time.' : null),
    hours() {
      const { days, from, to } = draft as Drafts['hours'];
      if (days.length === 0) return 'Choose at least one day.';
      return from === '' || to === '' || from === to ? 'Write two different times.' : null;
    },
    serviceLimits: ({ most }) => serviceLimitsRule(draft as Drafts['serviceLimits'], most),
  });

const valueOf = (field: FieldEntry, draft: unknown): unknown =>
  byKind<unknown>(field, {
    amount: () => (draft as Drafts['amount']).trim(),
    seconds() {
      const { count, unit } = draft as Drafts['seconds'];
      return Number(count) * waitUnits[unit];
    },
    count: () => Number(draft),
    services: () => draft,
    choice: ({ options }) => Object.keys(options).at(draft === true ? -1 : 0),
    time: () => new Date(draft as Drafts['time']).toISOString(),
    hours() {
      const { days, from, to } = draft as Drafts['hours'];
      return { days: days.map(Number).toSorted((a, b) => a - b), from, to };
    },
    serviceLimits: () => limitsOf(draft as Drafts['serviceLimits']),
  });

/** The form of some fields: `Told` is what replies tell of them, and `Values` what the form holds. */
export interface FieldsForm<Told, Values> {
  fields: Fields;
  valuesOf(told: Told): Values;
  /** Errors by the paths of the fields; empty without any. */
  errorsOf(values: Values): Record<string, string>;
  /** Null while a field is invalid. */
  toldOf(values: Values): Told | null;
  /** Merges rules that changed while their form was open: fields that the owner has not touched follow them. */
  followed(values: Values, old: Values, next: Values): Values;
}

const at = (values: object, name: PolicyField): unknown => (values as Record<string, unknown>)[name];

const formOf = <Told extends object, Values extends object>(fields: Fields): FieldsForm<Told, Values> => {
  const each = <R>(make: (field: FieldEntry, name: PolicyField) => unknown): R =>
    Object.fromEntries(fields.map(([name, field]) => [name, make(field, name)])) as R;

  const errorsOf = (values: Values): Record<string, string> => {
    const found: Record<string, string> = {};
    for (const [name, field] of fields) {
      const draft = setDraft(field, at(values, name));
      const error = draft === null ? null : errorOf(field, draft);
      if (error !== null) found[pathOf(name, field)] = error;
    }
    return found;
  };
  return {
    fields,
    errorsOf,
    valuesOf: (told) => each((field, name) => fieldValue(field, at(told, name) as Value)),
    toldOf(values) {
      if (Object.keys(errorsOf(values)).length > 0) return null;
      return each((field, name) => {
        const draft = setDraft(field, at(values, name));
        return draft === null ? null : valueOf(field, draft);
      });
    },
    followed: (values, old, next) =>
      each((field, name) => {
        const [typed, before] = [values, old].map((one) => setDraft(field, at(one, name)));
        if (JSON.stringify(typed) === JSON.stringify(before)) return at(next, name);
        return field.kind === 'serviceLimits'
          ? followedLimits(typed, before, setDraft(field, at(next, name)))
          : at(values, name);
      }),
  };
};

/** Each service is followed by itself. */
const followedLimits = (...drafts: unknown[]): Optional<ServiceLimitDraft[]> => {
  const [typed = [], old = [], next = []] = drafts.map((one) => (one ?? []) as ServiceLimitDraft[]);
  const value = followedDrafts(typed, old, next);
  return value.length === 0 ? { isSet: false, value: draftsOf({}) } : { isSet: true, value };
};

export const policyForm = formOf<Policy, PolicyValues>(fieldEntries);
/** Of a group. */
export const limitsForm = formOf<Limits, LimitValues>(limitEntries);
/** Of the treasury: its limit of a day, the ceiling, has a form of its own. */
export const limitsBesidesCeiling = formOf<Limits, LimitValues>(
  limitEntries.filter(([name]) => name !== 'dailyBudget'),
);
