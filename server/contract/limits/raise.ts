// A limit that is removed, or raised more than ten times over, such as by a slip of the keyboard.
import { parseUsdc } from '../../money.ts';
import type { FieldEntry } from './policy-field.ts';
import {
  limitAt,
  serviceLimitFields,
  serviceLimitUnits,
  shownId,
  type ServiceLimits,
} from './service-limits.ts';

export interface Raise {
  label: string;
  /** An amount, or a number of `unit`. Null for a limit without a figure, which is removed. */
  before: string | null;
  /** Null when it is removed. */
  after: string | null;
  unit?: string;
  /** What holds once a limit without a figure is removed. */
  instead?: string;
  /** Rounded down; null when nothing could be spent before, or when it is removed. */
  times: number | null;
}

const askedAbove = 10n;
/** A limit of zero has no multiple: it is compared as if it were 1 USDC. */
const inPlaceOfZero = 1_000_000n;

/** Null for what is no large raise, and where there was no limit before. */
export const raiseOf = (label: string, before: string, after: string | null): Raise | null => {
  if (after === null) return { label, before, after, times: null };
  const [from, to] = [parseUsdc(before), parseUsdc(after)];
  if (from === null || to === null || to <= (from === 0n ? inPlaceOfZero : from) * askedAbove) return null;
  return { label, before, after, times: from === 0n ? null : Number(to / from) };
};

/** Of one field of a policy, as replies state its values. */
export const raisesOfField = (field: FieldEntry, before: unknown, after: unknown): Raise[] => {
  const { label } = field;
  if (isNone(field, before)) return [];
  switch (field.kind) {
    case 'serviceLimits':
      return ofServices(label, before, after);
    case 'amount':
    case 'count': {
      // The time to answer in limits no spending.
      if (field.kind === 'count' && field.usual !== null) return [];
      const raise = raiseOf(label, String(before), after == null ? null : String(after));
      const words = field.kind === 'count' ? { unit: field.short } : field.none && { instead: field.none };
      return raise === null ? [] : [{ ...raise, ...words }];
    }
    case 'models': {
      const [from, to] = [before, after] as (string[] | null)[];
      // A group may have no list, which is no limit. To allow an agent models at all is no removal.
      if ((from?.length === 0 && to !== null) || to?.includes('*') === false) return [];
      return [{ ...removed(label), ...(to !== null && { instead: 'Every model' }) }];
    }
    default: {
      const instead = field.kind === 'choice' ? 'Paid without asking you' : field.none;
      return isNone(field, after) ? [{ ...removed(label), ...(instead !== undefined && { instead }) }] : [];
    }
  }
};

const removed = (label: string) => ({ label, before: null, after: null, times: null });

/** Whether a value limits nothing. An empty list of models allows none. */
const isNone = ({ kind, usual }: FieldEntry, value: unknown): boolean => {
  if (value == null) return true;
  if (kind === 'models') return (value as string[]).includes('*');
  return ['seconds', 'services', 'choice'].includes(kind) && String(value) === String(usual);
};

const ofServices = (label: string, before: unknown, after: unknown): Raise[] => {
  const [from, to] = [before, after] as (ServiceLimits<string> | null)[];
  return Object.entries(from ?? {}).flatMap(([serviceId, limit]) =>
    present(
      serviceLimitFields.map((field) => {
        const [old, raised] = [limit[field], limitAt(to ?? null, serviceId)?.[field]];
        const name = `${label}, ${shownId(serviceId)}, per ${serviceLimitUnits[field]}`;
        return old === undefined ? null : raiseOf(name, old, raised ?? null);
      }),
    ),
  );
};

const present = (raises: readonly (Raise | null)[]): Raise[] => raises.filter((raise) => raise !== null);
