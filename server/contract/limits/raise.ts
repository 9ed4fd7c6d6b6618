// A limit that is removed, or raised more than ten times over, such as by a slip of the keyboard.
import { parseUsdc } from '../../money.ts';
import type { FieldEntry, FieldKind } from './policy-field.ts';
import {
  limitAt,
  serviceLimitFields,
  serviceLimitUnits,
  shownId,
  type ServiceLimits,
} from './service-limits.ts';

export interface Raise {
  label: string;
  before: string;
  /** Null when it is removed. */
  after: string | null;
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
export const raisesOfField = ({ kind, label }: FieldEntry, before: unknown, after: unknown): Raise[] =>
  before == null ? [] : (ofKind[kind]?.(label, before, after) ?? []);

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

/** Null for a kind that is no money. */
const ofKind: Record<FieldKind, ((label: string, before: unknown, after: unknown) => Raise[]) | null> = {
  amount: (label, before, after) =>
    present([raiseOf(label, String(before), after == null ? null : String(after))]),
  serviceLimits: ofServices,
  seconds: null,
  count: null,
  services: null,
  models: null,
  choice: null,
  time: null,
  hours: null,
};
