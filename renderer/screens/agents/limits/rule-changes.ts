// The differences between the rules in force and those that a form holds.
import { fieldEntries, fieldNamed } from '../../../../server/contract/limits/policy-fields.ts';
import { raisesOfField, type Raise } from '../../../../server/contract/limits/raise.ts';
import {
  serviceLimitsChange,
  type ChangeOf,
  type ServiceLimits,
} from '../../../../server/contract/limits/service-limits.ts';
import { parseUsdc } from '../../../../server/money.ts';

/** A policy, or limits, as replies state them. */
export interface Rules {
  serviceLimits: ServiceLimits<string> | null;
}

/** Only differences are sent, so that saving does not undo what the agent has tightened in the meantime. */
export const changesOf = <Stated extends Rules>(before: Stated, after: Stated): ChangeOf<Stated, string> => {
  const { serviceLimits: _whole, ...changes } = Object.fromEntries(
    Object.entries(after).filter(([name, value]) => !isSame(before[name as keyof Stated], value, name)),
  );
  const atServices = serviceLimitsChange(before.serviceLimits, after.serviceLimits);
  return (atServices === null ? changes : { ...changes, serviceLimits: atServices }) as ChangeOf<
    Stated,
    string
  >;
};

/** @param name of the field; an amount needs none */
export const isSame = (before: unknown, after: unknown, name = ''): boolean => {
  const [hadNone, hasNone] = [before, after].map((value) => isNone(value, name));
  if (hadNone || hasNone) return hadNone === hasNone;
  if (typeof before !== 'string' || typeof after !== 'string')
    return JSON.stringify(before) === JSON.stringify(after);
  const [one, other] = [parseUsdc(before), parseUsdc(after)];
  return one === null || other === null ? before === after : one === other;
};

/** An empty list of services limits nothing, as null does. One of models allows none. */
const isNone = (value: unknown, name: string): boolean =>
  value === null || (Array.isArray(value) && value.length === 0 && fieldNamed(name)?.kind === 'services');

/** The limits that are removed, or raised more than ten times over. */
export const raisesOf = (before: object, after: object): Raise[] => {
  const [from, to] = [before, after] as Record<string, unknown>[];
  return fieldEntries.flatMap(([name, field]) => raisesOfField(field, from?.[name], to?.[name]));
};
