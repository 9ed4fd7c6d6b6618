// The form of rules that may change while it is open, by an agent's own tightening or by an approval.
import { useForm } from '@mantine/form';
import { useEffect, useRef } from 'react';
import type { FieldEntry } from '../../../../server/contract/limits/policy-fields.ts';
import { fieldErrors } from '../../../shared/field-errors.ts';
import { pathOf, type FieldsForm } from './policy-form.ts';

/** @param told the same object until the rules have changed */
export const usePolicyForm = <Told, Values extends object>(
  { fields, valuesOf, errorsOf, followed }: FieldsForm<Told, Values>,
  told: Told,
) => {
  const form = useForm<Values>({
    initialValues: valuesOf(told),
    validate: (values) => errorsOf(values),
    validateInputOnBlur: true,
  });
  const shown = useRef(told);
  useEffect(() => {
    if (shown.current === told) return;
    const next = valuesOf(told);
    form.setValues(followed(form.getValues(), valuesOf(shown.current), next));
    form.setInitialValues(next);
    shown.current = told;
  }, [told, form, valuesOf, followed]);

  /** Shows a refusal at the fields that it names. @throws the error when it names none of them */
  const showRefusal = (error: unknown): void => {
    const named = fieldErrors(
      error instanceof Error ? error : null,
      fields.map(([name]) => name),
    );
    if (named === null) throw error;
    form.setErrors(
      Object.fromEntries(
        fields.flatMap(([name, field]) =>
          named[name] === undefined ? [] : [[pathOf(name, field), named[name]]],
        ),
      ),
    );
  };
  return { form, showRefusal };
};

/** A form of any of these fields, as their controls use it. */
export interface PolicyFormState {
  values: object;
  errors: ReturnType<typeof useForm>['errors'];
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
