// Compares two policies field by field, and marks changes that allow the agent more.
import { hoursText, type Hours } from '../../../server/contract/limits/hours.ts';
import { serviceLimitsText, type ServiceLimits } from '../../../server/contract/limits/service-limits.ts';
import {
  byKind,
  fieldEntries,
  isFieldTighter,
  readStated,
  type FieldEntry,
} from '../../../server/contract/limits/policy-fields.ts';
import { parseUsdc } from '../../../server/money.ts';
import { momentOf } from '../../shared/time.ts';
import { raisesOfField, type Raise } from '../../../server/contract/limits/raise.ts';

export type Value =
  | { kind: 'amount'; amount: string }
  | { kind: 'text'; text: string }
  /** By their ids. */
  | { kind: 'services'; ids: string[] };

export interface Change {
  label: string;
  before: Value;
  after: Value;
  loosens: boolean;
  raises: readonly Raise[];
}

/** The limits that these changes remove, or raise more than ten times over. */
export const raisesIn = (changes: readonly Change[]): Raise[] => changes.flatMap(({ raises }) => raises);

type Policy = Readonly<Record<string, unknown>>;

/** The fields that differ, in the order in which a policy is displayed. */
export const changesOf = (from: Policy, to: Policy): Change[] =>
  fieldEntries
    .filter(([name]) => JSON.stringify(from[name]) !== JSON.stringify(to[name]))
    .map(([name, field]) => ({
      label: field.label,
      before: draw(field, from[name]),
      after: draw(field, to[name]),
      loosens: loosens(field, from[name], to[name]),
      raises: raisesOfField(field, from[name], to[name]),
    }));

/** Whether `to` allows anything that `from` does not; an unreadable value counts as looser. */
const loosens = (field: FieldEntry, from: unknown, to: unknown): boolean => {
  const [before, after] = [readStated(field, from), readStated(field, to)];
  return before === undefined || after === undefined || !isFieldTighter(field, before, after);
};

const words = (text: string): Value => ({ kind: 'text', text });

export const draw = (field: FieldEntry, value: unknown): Value => {
  const none = words(field.none ?? 'None');
  if (value === null) return none;
  const text = String(value);
  return byKind<Value>(field, {
    amount: () => (parseUsdc(text) === null ? words(text) : { kind: 'amount', amount: text }),
    seconds: () => (Number(value) === 0 ? none : words(duration(Number(value)))),
    count: ({ short }) => words(`${text} ${short}`),
    services: () =>
      Array.isArray(value) && value.length > 0 ? { kind: 'services', ids: value.map(String) } : none,
    models: () => (Array.isArray(value) && value.length > 0 ? words(value.join(', ')) : none),
    choice: ({ options }) => words(options[text] ?? text),
    time: () => words(momentOf(text)),
    hours: () => words(hoursText(value as Hours)),
    serviceLimits: () => words(serviceLimitsText(value as ServiceLimits<string>)),
  });
};

const duration = (seconds: number): string => {
  for (const [unit, name] of [
    [86_400, 'd'],
    [3_600, 'h'],
    [60, 'min'],
  ] as const) {
    if (seconds % unit === 0) return `${seconds / unit} ${name}`;
  }
  return `${seconds} s`;
};
