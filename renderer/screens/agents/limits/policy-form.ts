// Converts a policy, or the limits of a group or the treasury, to the values of a form, and back, by the table of fields.
import {
  fieldEntries,
  limitEntries,
  type FieldEntry,
  type FieldKind,
  type LimitField,
  type policyFields,
  type PolicyField,
} from '../../../../server/contract/limits/policy-fields.ts';
import type { Reply } from '../../../../server/contract/schemas.ts';
import { draftingOf, type Drafts } from './field-drafts.ts';
import type { Policy } from './policy-sentence.ts';
import { draftsOf, followedDrafts, type ServiceLimitDraft } from './service-limit-drafts.ts';

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

export type Limits = Reply<'getGroup'>['limits'];
type Value = Policy[PolicyField] | null;

const at = (values: object, name: PolicyField): unknown => (values as Record<string, unknown>)[name];

const fieldValue = (field: FieldEntry, value: Value): unknown => {
  const draft = draftingOf(field).draftOf(value, field);
  // An empty list of services sets no limit, as null does.
  const isSet = value !== null && !(field.kind === 'services' && (draft as Drafts['services']).length === 0);
  return field.mayBeNone === true ? { isSet, value: draft } : draft;
};

/** Null while a field that may be left out is left out. */
const setDraft = ({ mayBeNone }: FieldEntry, typed: unknown): Drafts[FieldKind] | null => {
  if (mayBeNone !== true) return typed as Drafts[FieldKind];
  const { isSet, value } = typed as Optional<Drafts[FieldKind]>;
  return isSet ? value : null;
};

/** The draft of a limit that the owner begins to set, or takes away. */
export const draftFor = (field: FieldEntry, isSet: boolean): unknown => {
  if (field.kind === 'choice') return isSet;
  if (field.mayBeNone === true) return { isSet, value: draftingOf(field).draftOf(null, field) };
  return fieldValue(field, field.usual as Value);
};

/** An agent always has its amounts, and a time in which the owner can answer. */
export const mayBeUnset = ({ kind, mayBeNone }: FieldEntry): boolean =>
  mayBeNone === true || ['seconds', 'services', 'models', 'choice'].includes(kind);

/** The value that the form states of a field: null where that sets no limit, undefined while it is wrong. */
export const limitIn = (values: object, name: PolicyField, field: FieldEntry): unknown => {
  const draft = setDraft(field, at(values, name));
  if (draft === null) return null;
  const { errorOf, valueOf } = draftingOf(field);
  if (errorOf(draft, field) !== null) return undefined;
  const value = valueOf(draft, field);
  const isNone = field.mayBeNone !== true && mayBeUnset(field) && String(value) === String(field.usual);
  return isNone ? null : value;
};

/** Where the form keeps what is typed into a field. */
export const pathOf = (name: PolicyField, field: FieldEntry): string => {
  const path = field.mayBeNone === true ? `${name}.value` : name;
  return field.kind === 'seconds' ? `${path}.count` : path;
};

/** The form of some fields: `Stated` is what replies state of them, and `Values` what the form holds. */
export interface FieldsForm<Stated, Values> {
  fields: Fields;
  valuesOf(stated: Stated): Values;
  /** Errors by the paths of the fields; empty without any. */
  errorsOf(values: Values): Record<string, string>;
  /** Null while a field is invalid. */
  statedOf(values: Values): Stated | null;
  /** Merges rules that changed while their form was open: fields that the owner has not touched follow them. */
  followed(values: Values, old: Values, next: Values): Values;
}

const formOf = <Stated extends object, Values extends object>(fields: Fields): FieldsForm<Stated, Values> => {
  const each = <R>(make: (field: FieldEntry, name: PolicyField) => unknown): R =>
    Object.fromEntries(fields.map(([name, field]) => [name, make(field, name)])) as R;

  const errorsOf = (values: Values): Record<string, string> => {
    const found: Record<string, string> = {};
    for (const [name, field] of fields) {
      const draft = setDraft(field, at(values, name));
      const error = draft === null ? null : draftingOf(field).errorOf(draft, field);
      if (error !== null) found[pathOf(name, field)] = error;
    }
    return found;
  };
  return {
    fields,
    errorsOf,
    valuesOf: (stated) => each((field, name) => fieldValue(field, at(stated, name) as Value)),
    statedOf(values) {
      if (Object.keys(errorsOf(values)).length > 0) return null;
      return each((field, name) => {
        const draft = setDraft(field, at(values, name));
        return draft === null ? null : draftingOf(field).valueOf(draft, field);
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
/** Of a group, and of all agents. */
export const limitsForm = formOf<Limits, LimitValues>(limitEntries);
