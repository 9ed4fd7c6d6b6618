// A task's state, drawn the same on every screen.
import { Dot, OutcomeBadge } from '../../shared/ui/StatusBadge.tsx';
import { taskStatuses, type Task } from './filters.ts';
import { Spinner } from './Spinner.tsx';

type TaskBadgeProps = { task: Pick<Task, 'status' | 'approvalId'> };

export const TaskBadge = ({ task: { status, approvalId } }: TaskBadgeProps) => {
  if (approvalId !== undefined && status === 'queued') return <OutcomeBadge outcome="waiting" />;
  const { label, color } = taskStatuses[status];
  const isUnderWay = status === 'queued' || status === 'generating';
  return (
    <Dot color={color} {...(isUnderWay && { variant: 'default', leftSection: <Spinner size={12} /> })}>
      {label}
    </Dot>
  );
};
