// The draft of a field in a form, by the field's kind: from the value of a reply, and back.
import type { Hours } from '../../../../server/contract/limits/hours.ts';
import {
  modelPatternForm,
  type FieldEntry,
  type FieldKind,
  type Stated,
} from '../../../../server/contract/limits/policy-field.ts';
import { limitRule } from '../../../shared/amount-rule.ts';
import { draftsOf, limitsOf, serviceLimitsRule, type ServiceLimitDraft } from './service-limit-drafts.ts';

export const waitUnits = { seconds: 1, minutes: 60, hours: 3_600, days: 86_400 } as const;
type WaitUnit = keyof typeof waitUnits;

export interface Drafts extends Record<FieldKind, unknown> {
  amount: string;
  seconds: { count: string; unit: WaitUnit };
  count: string;
  services: string[];
  models: string[];
  /** The option that allows less. */
  choice: boolean;
  /** By this machine's clock, as `datetime-local` has it. */
  time: string;
  hours: { days: string[]; from: string; to: string };
  serviceLimits: ServiceLimitDraft[];
}

type EntryOf<K extends FieldKind> = Extract<FieldEntry, { kind: K }>;

interface Drafting<K extends FieldKind> {
  /** For null, the draft that is proposed. */
  draftOf(value: Stated[K] | null, entry: EntryOf<K>): Drafts[K];
  /** Null for a valid draft. */
  errorOf(draft: Drafts[K], entry: EntryOf<K>): string | null;
  /** Of a valid draft. */
  valueOf(draft: Drafts[K], entry: EntryOf<K>): Stated[K];
}

/** The largest unit that gives a whole number. */
const unitOf = (seconds: number): WaitUnit => {
  if (seconds === 0) return 'minutes';
  const fits = (unit: WaitUnit): boolean => seconds % waitUnits[unit] === 0;
  return (['days', 'hours', 'minutes'] as const).find(fits) ?? 'seconds';
};

const usualHours: Hours = { days: [1, 2, 3, 4, 5], from: '08:00', to: '19:00' };

const localText = (time: number): string => {
  const offset = new Date(time).getTimezoneOffset() * 60_000;
  return new Date(time - offset).toISOString().slice(0, 16);
};

const wholeRule = (text: string, low: number, high: number, what: string): string | null =>
  /^\d{1,9}$/.test(text.trim()) && Number(text) >= low && Number(text) <= high ? null : what;

const drafting: { readonly [K in FieldKind]: Drafting<K> } = {
  amount: {
    draftOf: (value) => value ?? '',
    errorOf: (draft) => limitRule(draft),
    valueOf: (draft) => draft.trim(),
  },
  seconds: {
    draftOf(value) {
      const unit = unitOf(Number(value));
      return { count: String(Number(value) / waitUnits[unit]), unit };
    },
    errorOf({ count, unit }, { least, most, mostSaid }) {
      const size = waitUnits[unit];
      return wholeRule(count, least / size, most / size, `Enter a whole number, at most ${mostSaid} in all.`);
    },
    valueOf: ({ count, unit }) => Number(count) * waitUnits[unit],
  },
  count: {
    draftOf: (value) => String(value ?? ''),
    errorOf(draft, { unit, least, most, mostSaid }) {
      const said = mostSaid === undefined ? '' : ` (${mostSaid})`;
      const what = `Enter whole ${unit} from ${least} to ${most.toLocaleString('en')}${said}.`;
      return wholeRule(draft, least, most, what);
    },
    valueOf: Number,
  },
  services: {
    draftOf: (value) => value ?? [],
    errorOf({ length }, { most, mayBeNone }) {
      if (length === 0 && mayBeNone === true) return 'Choose at least one service.';
      return length > most ? `At most ${most} services.` : null;
    },
    valueOf: (draft) => draft,
  },
  models: {
    draftOf: (value) => value ?? [],
    errorOf(draft, { most }) {
      const wrong = draft.find((one) => !modelPatternForm.test(one));
      if (wrong !== undefined) return `${wrong} is no model’s id, and no beginning of ids followed by *.`;
      return draft.length > most ? `At most ${most} models.` : null;
    },
    valueOf: (draft) => draft,
  },
  choice: {
    draftOf: (value, { options }) => value === Object.keys(options).at(-1),
    errorOf: () => null,
    valueOf: (draft, { options }) => Object.keys(options).at(draft ? -1 : 0) ?? '',
  },
  time: {
    draftOf: (value) => (value === null ? '' : localText(Date.parse(value))),
    errorOf: (draft) => (Number.isNaN(Date.parse(draft)) ? 'Enter a day and a time.' : null),
    valueOf: (draft) => new Date(draft).toISOString(),
  },
  hours: {
    draftOf(value) {
      const { days, from, to } = value ?? usualHours;
      return { days: days.map(String), from, to };
    },
    errorOf({ days, from, to }) {
      if (days.length === 0) return 'Choose at least one day.';
      return from === '' || to === '' || from === to ? 'Enter two different times.' : null;
    },
    valueOf: ({ days, from, to }) => ({ days: days.map(Number).toSorted((a, b) => a - b), from, to }),
  },
  serviceLimits: {
    draftOf: (value) => draftsOf(value ?? {}),
    errorOf: (draft, { most }) => serviceLimitsRule(draft, most),
    valueOf: (draft) => limitsOf(draft),
  },
};

/** For code that treats all fields alike. */
export const draftingOf = ({ kind }: FieldEntry): Drafting<FieldKind> =>
  drafting[kind] as Drafting<FieldKind>;
