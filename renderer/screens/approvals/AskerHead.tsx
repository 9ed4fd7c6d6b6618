// The head of a request from a terminal: its name, its deadline, and the code that the terminal shows too.
import { Group, Text, Title } from '@mantine/core';
import styles from './approvals.module.css';
import { Deadline } from './Deadline.tsx';

interface AskerHeadProps {
  /** The title's id. */
  id: string;
  /** Such as “The machine”. */
  what: string;
  /** Its own, unverified name. */
  name: string;
  asks: string;
  code: string;
  createdAt: string;
  expiresAt: string;
}

export const AskerHead = ({ id, what, name, asks, code, createdAt, expiresAt }: AskerHeadProps) => (
  <>
    <Group justify="space-between" align="flex-start" gap="sm">
      <Title order={2} size="h4" fw={400} id={id} tabIndex={-1}>
        {what}{' '}
        <Text span inherit fw={600} className="break-anywhere">
          “{name}”
        </Text>{' '}
        {asks}
      </Title>
      <Deadline createdAt={createdAt} expiresAt={expiresAt} />
    </Group>
    <Text fz={32} fw={650} ff="monospace" className={styles['code']} size="md">
      {code}
    </Text>
  </>
);
