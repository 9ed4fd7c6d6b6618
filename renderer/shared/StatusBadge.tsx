import { Badge } from '@mantine/core';
import { statuses, type Status } from './status.ts';

/** A payment's status, drawn the same on every screen. */
export const StatusBadge = ({ status }: { status: Status }) => {
  const { label, color, meaning } = statuses[status];
  return (
    <Badge variant="dot" color={color} title={meaning} tt="none" fw={600}>
      {label}
    </Badge>
  );
};
