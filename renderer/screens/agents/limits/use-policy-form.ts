// The form of rules that may change while it is open, by an agent's own tightening or by an approval.
import { useForm } from '@mantine/form';
import { useEffect, useRef, useState } from 'react';
import type { FieldEntry, PolicyField } from '../../../../server/contract/limits/policy-fields.ts';
import type { ChangeOf } from '../../../../server/contract/limits/service-limits.ts';
import { fieldErrors } from '../../../shared/field-errors.ts';
import { useCommand } from '../../../shared/hooks/use-command.ts';
import { notifyDone } from '../../../shared/notify.ts';
import { confirmRaises } from '../../../shared/ui/confirm-raises.tsx';
import { useUnsaved } from '../../../shared/unsaved.tsx';
import { draftFor, pathOf, type FieldsForm } from './policy-form.ts';
import { changesOf, raisesOf, type Rules } from './rule-changes.ts';

interface RulesFormProps<Stated extends Rules, Values> {
  kind: FieldsForm<Stated, Values>;
  /** In force: the same object until they have changed. */
  rules: Stated;
  what: 'policy' | 'limits';
  /** The node: `the group Research`. */
  of: string;
  save: (changes: ChangeOf<Stated, string>) => Promise<unknown>;
}

/** What the form would change, and its end, which asks before it removes a limit or raises it much. `wanted` is null while a field is wrong. */
export const useRulesForm = <Stated extends Rules, Values extends object>({
  kind: { fields, valuesOf, errorsOf, statedOf, followed },
  rules,
  what,
  of,
  save,
}: RulesFormProps<Stated, Values>) => {
  const form = useForm<Values>({
    initialValues: valuesOf(rules),
    validate: (values) => errorsOf(values),
    validateInputOnBlur: true,
  });
  const shown = useRef(rules);
  useEffect(() => {
    if (shown.current === rules) return;
    const next = valuesOf(rules);
    form.setValues(followed(form.getValues(), valuesOf(shown.current), next));
    form.setInitialValues(next);
    shown.current = rules;
  }, [rules, form, valuesOf, followed]);
  const [open, setOpen] = useState<readonly PolicyField[]>([]);
  const onOpen = (name: PolicyField, isOpen: boolean): void =>
    setOpen((before) => [...before.filter((one) => one !== name), ...(isOpen ? [name] : [])]);
  const wanted = statedOf(form.values);
  const changes = wanted === null ? {} : changesOf(rules, wanted);
  const count = Object.keys(changes).length;
  const isChanged = wanted === null || count > 0;
  useUnsaved(isChanged ? `the ${what} of ${of}` : null);

  /** Shows a refusal at the fields that it names. @throws the error when it names none of them */
  const showRefusal = (error: unknown): void => {
    const names = fields.map(([name]) => name);
    const named = fieldErrors(error instanceof Error ? error : null, names);
    if (named === null) throw error;
    form.setErrors(Object.fromEntries(fields.map(([name, field]) => [pathOf(name, field), named[name]])));
  };
  const closing = (then: () => void) => (): void => {
    setOpen([]);
    then();
  };
  const done = `The ${what} of ${of} ${what === 'limits' ? 'are' : 'is'} saved.`;
  const saved = closing(() => notifyDone(done));
  const { run, isBusy, error } = useCommand(() => save(changes).then(saved, showRefusal));
  const state = form as PolicyFormState;
  /** Begins to set a limit, or takes it away. */
  const onSet = (name: PolicyField, field: FieldEntry, isSet: boolean): void => {
    form.clearFieldError(pathOf(name, field));
    state.setFieldValue(name, draftFor(field, isSet));
    onOpen(name, isSet);
  };
  return {
    wanted,
    changes,
    rows: { form: state, fields, rules: rules as object, open, onOpen, onSet },
    onSubmit: form.onSubmit(() =>
      count === 0 ? setOpen([]) : confirmRaises(raisesOf(rules, wanted ?? rules), () => void run()),
    ),
    end: { what, isChanged, count, isBusy, error, onDiscard: closing(form.reset) },
  };
};
export type RulesFormEnd = ReturnType<typeof useRulesForm>['end'];
export type FormRows = ReturnType<typeof useRulesForm>['rows'];

/** A form of any of these fields, as their controls use it. */
export interface PolicyFormState {
  values: object;
  errors: ReturnType<typeof useForm>['errors'];
  setFieldValue(path: string, value: unknown): void;
  validateField(path: string): unknown;
  // The library types what it returns as `any`.
  getInputProps(
    path: string,
    options?: { type: 'checkbox' },
  ): ReturnType<ReturnType<typeof useForm>['getInputProps']>;
}

/** Of the control of a field. */
export interface ControlProps {
  form: PolicyFormState;
  /** Where the form keeps its value. */
  path: string;
  field: FieldEntry;
}
