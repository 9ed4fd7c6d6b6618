// One transfer or refusal in the list. The whole row links to its page.
import { Text } from '@mantine/core';
import { memo } from 'react';
import { Link } from 'wouter';
import { AgentPicture } from '../../shared/ui/AgentPicture.tsx';
import { Amount } from '../../shared/ui/Amount.tsx';
import { Moment } from '../../shared/ui/Moment.tsx';
import { useAgentNames } from '../../shared/agent-names.ts';
import { refusalOf } from '../../../server/contract/refusals/refused-transfer.ts';
import { kinds, titleOf } from '../../shared/status.ts';
import { StatusBadge } from '../../shared/ui/StatusBadge.tsx';
import styles from './activity.module.css';
import type { Entry } from './filters.ts';

interface ActivityRowProps {
  entry: Entry;
  index: number;
  start: number;
  /** Tab reaches one row only; the arrow keys move between rows. */
  isTabStop: boolean;
  measure: (row: HTMLElement | null) => void;
}

export const ActivityRow = memo(function ActivityRow(props: ActivityRowProps) {
  const { entry, index, start, isTabStop, measure } = props;
  const { id, kind, agentId, amount, currency, timestamp } = entry;
  const nameOf = useAgentNames(agentId === null ? [] : [agentId]);
  const reason = refusalOf(entry, nameOf)?.sentence ?? entry.note;
  return (
    <div
      role="row"
      aria-rowindex={index + 2}
      data-index={index}
      ref={measure}
      className={styles['row']}
      style={{ transform: `translateY(${start}px)` }}
    >
      <div role="cell" className={styles['time']}>
        <Moment iso={timestamp} c="dimmed" />
      </div>
      <div role="cell" className={styles['what']}>
        <Link href={`/activity/${id}`} className={styles['link']} tabIndex={isTabStop ? 0 : -1}>
          {titleOf(entry, nameOf)}
        </Link>
        {reason !== null && (
          <Text size="sm" c="dimmed" className={styles['reason']}>
            {reason}
          </Text>
        )}
      </div>
      <div role="cell" className={styles['agent']}>
        <Text size="sm" className="break-anywhere">
          {agentId === null ? (
            'Treasury'
          ) : (
            <>
              <AgentPicture agentId={agentId} size={16} /> {nameOf(agentId)}
            </>
          )}
        </Text>
        {kind !== 'payment' && (
          <Text size="xs" c="dimmed">
            {kinds[kind]}
          </Text>
        )}
      </div>
      <div role="cell" className={styles['status']}>
        <StatusBadge of={entry} />
      </div>
      <div role="cell" className={`${styles['amount']} ${styles['right']} may-wrap`}>
        <Amount value={amount} currency={currency} />
      </div>
    </div>
  );
});
