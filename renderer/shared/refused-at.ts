// The treasury's refusal of a form: at the fields that it names, or beside them.
import type { useForm } from '@mantine/form';
import { fieldErrors } from './field-errors.ts';
import type { Work } from './hooks/use-work.ts';

/** @param within where the request has the form's fields, such as `mailServer.` */
export const refusedAt = <V extends Record<string, unknown>>(
  fields: readonly (keyof V & string)[],
  form: Pick<ReturnType<typeof useForm<V>>, 'errors' | 'getInputProps'>,
  { isBusy, error }: Pick<Work<never, unknown>, 'isBusy' | 'error'>,
  within = '',
) => {
  const named = fieldErrors(
    error,
    fields.map((field) => within + field),
  );
  return {
    inputOf: (field: keyof V & string) => ({
      ...form.getInputProps(field),
      error: form.errors[field] ?? named?.[within + field],
    }),
    /** The command, with an error only where no field shows it. */
    command: { isBusy, error: named === null ? error : null },
  };
};
