// One transfer or refusal in the list. The whole row links to its page.
import { Text } from '@mantine/core';
import { memo } from 'react';
import { Link } from 'wouter';
import { AgentPicture } from '../../shared/ui/AgentPicture.tsx';
import { Label } from '../../shared/ui/Address.tsx';
import { Moment } from '../../shared/ui/Moment.tsx';
import { useAgentNames } from '../../shared/agent-names.ts';
import { refusalOf } from '../../../server/contract/refusals/refused-transfer.ts';
import { isOwnMove, kinds, titleOf } from '../../shared/status.ts';
import { clockOf, momentOf } from '../../shared/time.ts';
import { SignedAmount } from '../../shared/ui/Amount.tsx';
import { StatusBadge } from '../../shared/ui/StatusBadge.tsx';
import styles from './activity.module.css';
import type { Entry } from './filters.ts';

interface ActivityRowProps {
  entry: Entry;
  index: number;
  /** The heading above it, where its day begins. */
  day: string | null;
  zone: string;
  isByTime: boolean;
  /** The decimals of the amounts. */
  places: number;
  start: number;
  /** Tab reaches one row only; the arrow keys move between rows. */
  isTabStop: boolean;
  measure: (row: HTMLElement | null) => void;
}

export const ActivityRow = memo(function ActivityRow(props: ActivityRowProps) {
  const { entry, index, day, zone, isByTime, places, start, isTabStop, measure } = props;
  const { id, kind, agentId, timestamp } = entry;
  const nameOf = useAgentNames(agentId === null ? [] : [agentId]);
  const isPlain = kind === 'payment' || isOwnMove(kind);
  const words = [isPlain ? null : kinds[kind], refusalOf(entry, nameOf)?.sentence ?? entry.note]
    .filter((part) => part !== null)
    .join(' · ');
  return (
    <div
      role="presentation"
      data-index={index}
      ref={measure}
      className={styles['item']}
      style={{ transform: `translateY(${start}px)` }}
    >
      {day !== null && (
        <div role="row" className={styles['day']}>
          <div role="cell" aria-colspan={columns}>
            {day}
          </div>
        </div>
      )}
      <div role="row" aria-rowindex={index + 2} className={styles['row']}>
        <div role="cell" className={styles['time']}>
          <Moment
            iso={timestamp}
            exact={{ words: isByTime ? clockOf(timestamp, zone) : momentOf(timestamp, zone), zone }}
            c="dimmed"
          />
        </div>
        <div role="cell" className={styles['what']}>
          <Link
            href={`/activity/${id}`}
            className={styles['link']}
            tabIndex={isTabStop ? 0 : -1}
            draggable={false}
          >
            {titleOf(entry, nameOf)} {kind === 'withdrawal' && <Label of={entry.payee} />}
          </Link>
          {words !== '' && (
            <Text c="dimmed" className="break-anywhere">
              {words}
            </Text>
          )}
          {kind === 'payment' && <Reason {...entry} />}
        </div>
        <div role="cell" className={styles['agent']}>
          <Text className="break-anywhere">
            {agentId === null ? (
              'Treasury'
            ) : (
              <>
                <AgentPicture agentId={agentId} size={16} /> {nameOf(agentId)}
              </>
            )}
          </Text>
        </div>
        <div role="cell" className={styles['status']}>
          <StatusBadge of={entry} />
        </div>
        <div role="cell" className={`${styles['amount']} ${styles['right']} may-wrap`}>
          <SignedAmount of={entry} places={places} />
        </div>
      </div>
    </div>
  );
});

/** In the agent's own words. */
const Reason = ({ description }: Pick<Entry, 'description'>) =>
  description !== '' && (
    <Text c="dimmed" truncate title={`“${description}”`}>
      “{description}”
    </Text>
  );

const columns = 5;
