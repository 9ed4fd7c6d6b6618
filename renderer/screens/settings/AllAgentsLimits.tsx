// The owner's further limits over all agents together, beside the ceiling.
import { ask } from '../../api/owner.ts';
import { ErrorNote } from '../../shared/ErrorNote.tsx';
import { Panel } from '../../shared/Panel.tsx';
import { queries, useOwner } from '../../stores/queries.ts';
import { Gauges } from '../agents/LimitGauges.tsx';
import { LimitsForm } from '../agents/LimitsForm.tsx';
import { limitsBesidesCeiling } from '../agents/policy-form.ts';

export const AllAgentsLimits = () => {
  const { data, error, refetch } = useOwner('getTreasuryLimits');
  return (
    <Panel
      title="Further limits for all agents"
      note="They bind all agents together, beside the ceiling, whatever their own policies and groups allow."
    >
      <ErrorNote error={error} onRetry={() => void refetch()} />
      {data !== undefined && (
        <>
          <Gauges
            used={{ ...data.used, budgets: data.used.budgets.filter(({ field }) => field !== 'dailyBudget') }}
            of="all agents"
          />
          <LimitsForm
            kind={limitsBesidesCeiling}
            limits={data.limits}
            of="all agents"
            save={async (body) => {
              await ask('setTreasuryLimits', { body });
              await queries.invalidateQueries({ queryKey: ['getTreasuryLimits'] });
            }}
          />
        </>
      )}
    </Panel>
  );
};
