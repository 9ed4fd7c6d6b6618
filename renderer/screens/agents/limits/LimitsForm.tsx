// The form of the limits of a group, or of the treasury over all agents.
import type { ChangeOf } from '../../../../server/contract/limits/service-limits.ts';
import { confirmRaises } from '../../../shared/ui/confirm-raises.tsx';
import { ErrorNote } from '../../../shared/ui/ErrorNote.tsx';
import { notifyDone } from '../../../shared/notify.ts';
import { useUnsaved } from '../../../shared/unsaved.tsx';
import { useCommand } from '../../../shared/hooks/use-command.ts';
import { Form } from '../../../shared/ui/Form.tsx';
import type { limitsForm } from './policy-form.ts';
import { PolicyFields } from './PolicyFields.tsx';
import { changesOf, raisesOf } from './rule-changes.ts';
import { SaveOrDiscard } from './SaveOrDiscard.tsx';
import { usePolicyForm } from './use-policy-form.ts';

type Limits = NonNullable<ReturnType<(typeof limitsForm)['toldOf']>>;

interface LimitsFormProps {
  kind: typeof limitsForm;
  limits: Limits;
  /** `the group Research`. */
  of: string;
  save: (change: ChangeOf<Limits, string>) => Promise<unknown>;
}

export const LimitsForm = ({ kind, limits, of, save }: LimitsFormProps) => {
  const { form, showRefusal } = usePolicyForm(kind, limits);
  const wanted = kind.toldOf(form.values);
  const changes = wanted === null ? {} : changesOf(limits, wanted);
  const isChanged = wanted === null || Object.keys(changes).length > 0;
  useUnsaved(isChanged ? `the limits of ${of}` : null);
  const command = useCommand(() =>
    save(changes).then(() => notifyDone(`The limits of ${of} are saved.`), showRefusal),
  );
  return (
    <Form
      gap="lg"
      onSubmit={form.onSubmit(() => confirmRaises(raisesOf(limits, changes), () => void command.run()))}
    >
      <PolicyFields form={form} fields={kind.fields} />
      <ErrorNote error={command.error} notDone="The limits were not changed." />
      <SaveOrDiscard what="limits" isChanged={isChanged} isBusy={command.isBusy} onDiscard={form.reset} />
    </Form>
  );
};
