// The form of a policy that may change while it is open, by the agent's own tightening or by an approval.
import { useForm } from '@mantine/form';
import { useEffect, useRef } from 'react';
import { errorsOf, followed, valuesOf, type PolicyValues } from './policy-form.ts';
import type { Policy } from './policy-sentence.ts';

export const usePolicyForm = (policy: Policy) => {
  const form = useForm<PolicyValues>({
    initialValues: valuesOf(policy),
    validate: errorsOf,
    validateInputOnBlur: true,
  });
  const shown = useRef(policy);
  useEffect(() => {
    if (shown.current === policy) return;
    const next = valuesOf(policy);
    form.setValues(followed(form.getValues(), valuesOf(shown.current), next));
    form.setInitialValues(next);
    shown.current = policy;
  }, [policy, form]);
  return form;
};

export type PolicyFormState = ReturnType<typeof usePolicyForm>;
