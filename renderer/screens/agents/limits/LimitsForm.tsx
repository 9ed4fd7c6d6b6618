// The limits of a group, or of the treasury over all agents, to read and to change.
import { Form } from '../../../shared/ui/Form.tsx';
import { BoostLine } from '../../../shared/ui/Gauge.tsx';
import { Panel } from '../../../shared/ui/Panel.tsx';
import type { Reply } from '../../../../server/contract/schemas.ts';
import { LimitTable } from './LimitTable.tsx';
import type { Limits, LimitValues } from './policy-form.ts';
import { SaveOrDiscard } from './SaveOrDiscard.tsx';
import { useRulesForm } from './use-policy-form.ts';

interface LimitsFormProps extends Omit<Parameters<typeof useRulesForm<Limits, LimitValues>>[0], 'what'> {
  title: string;
  note: string;
  used: Reply<'getGroup'>['used'];
  spentToday?: string | undefined;
}

export const LimitsForm = ({ title, note, used, spentToday, ...limits }: LimitsFormProps) => {
  const { rows, onSubmit, end } = useRulesForm({ ...limits, what: 'limits' });
  return (
    <Form onSubmit={onSubmit}>
      <Panel title={title} note={note}>
        <LimitTable rows={rows} used={used} spentToday={spentToday} of={limits.of} />
        <BoostLine boost={used.boost} mayEnd />
      </Panel>
      <SaveOrDiscard {...end} />
    </Form>
  );
};
