// The form of the limits of a group, or of the treasury over all agents.
import { Form } from '../../../shared/ui/Form.tsx';
import type { Limits, LimitValues } from './policy-form.ts';
import { PolicyFields } from './PolicyFields.tsx';
import { SaveOrDiscard } from './SaveOrDiscard.tsx';
import { useRulesForm } from './use-policy-form.ts';

type LimitsFormProps = Omit<Parameters<typeof useRulesForm<Limits, LimitValues>>[0], 'what'>;

export const LimitsForm = (limits: LimitsFormProps) => {
  const { form, onSubmit, end } = useRulesForm({ ...limits, what: 'limits' });
  return (
    <Form gap="lg" onSubmit={onSubmit}>
      <PolicyFields form={form} fields={limits.kind.fields} />
      <SaveOrDiscard {...end} />
    </Form>
  );
};
