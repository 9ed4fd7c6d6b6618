// The owner's two answers to an alert of the watch: it is normal, or the agent is back to usual.
import { ask } from '../../api/owner.ts';
import { notifyFailure } from '../../shared/notify.ts';
import { useCommand } from '../../shared/hooks/use-command.ts';

export const useAlertAnswers = (agentId: string) => {
  const params = { agentId };
  /** Without an alert's id: of the one that made the agent ask, or else of the newest. */
  const normal = useCommand((tripId?: string) =>
    ask('watchNormal', { params, body: tripId === undefined ? {} : { tripId } }).catch(
      notifyFailure('The rule is not muted'),
    ),
  );
  const usual = useCommand(() =>
    ask('watchUsual', { params }).catch(notifyFailure('Its payments still wait for you')),
  );
  return { normal, usual };
};
