// Compares two policies field by field, and marks changes that allow the agent more.
import { parseUsdc } from '../../../server/money.ts';

export type Value = { kind: 'amount'; amount: string } | { kind: 'text'; text: string };

export interface Change {
  label: string;
  before: Value;
  after: Value;
  loosens: boolean;
}

type Policy = Readonly<Record<string, unknown>>;

interface Field {
  label: string;
  draw: (value: unknown) => Value;
  /** Whether `to` allows anything that `from` does not; an unreadable value counts as looser. */
  loosens: (from: unknown, to: unknown) => boolean;
}

/** The fields that differ, in the order in which a policy is displayed. */
export const changesOf = (from: Policy, to: Policy): Change[] =>
  Object.entries(fields)
    .filter(([name]) => JSON.stringify(from[name]) !== JSON.stringify(to[name]))
    .map(([name, { label, draw, loosens }]) => ({
      label,
      before: draw(from[name]),
      after: draw(to[name]),
      loosens: loosens(from[name], to[name]),
    }));

const words = (text: string): Value => ({ kind: 'text', text });
const units = (value: unknown): bigint | null => (typeof value === 'string' ? parseUsdc(value) : null);

const drawAmount = (value: unknown): Value =>
  units(value) === null ? words(String(value)) : { kind: 'amount', amount: String(value) };

const isHigher = (from: unknown, to: unknown): boolean => {
  const [before, after] = [units(from), units(to)];
  return before === null || after === null || after > before;
};

const isMore = (from: unknown, to: unknown): boolean => !(Number(to) <= Number(from));

const listOf = (value: unknown): string[] => (Array.isArray(value) ? value.map(String) : []);

/** An empty list allows every service. */
const admitsMore = (from: unknown, to: unknown): boolean => {
  const [before, after] = [listOf(from), listOf(to)];
  if (before.length === 0) return false;
  return after.length === 0 || after.some((service) => !before.includes(service));
};

const fields: Record<string, Field> = {
  dailyBudget: { label: 'Daily budget', draw: drawAmount, loosens: isHigher },
  maxPerPayment: { label: 'Most per payment', draw: drawAmount, loosens: isHigher },
  cooldownSeconds: {
    label: 'Pause between payments',
    draw: (value) => words(Number(value) === 0 ? 'None' : duration(Number(value))),
    loosens: (from, to) => isMore(to, from),
  },
  allowedServices: {
    label: 'Services',
    draw: (value) => words(listOf(value).length === 0 ? 'Every service' : listOf(value).join(', ')),
    loosens: admitsMore,
  },
  approveAbove: {
    label: 'Asks you above',
    draw: (value) => (value === null ? words('Never') : drawAmount(value)),
    loosens: (from, to) => from !== null && (to === null || isHigher(from, to)),
  },
  newPayees: {
    label: 'A payee it never paid',
    draw: (value) => words(value === 'approve' ? 'Asks you first' : 'Pays'),
    loosens: (from, to) => from !== 'allow' && to !== 'approve',
  },
  approvalMinutes: {
    label: 'You can answer within',
    draw: (value) => words(`${String(value)} min`),
    loosens: isMore,
  },
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
