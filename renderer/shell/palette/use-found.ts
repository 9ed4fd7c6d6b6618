// Payments and services that match the typed words; the treasury finds them.
import { useDebouncedValue } from '@mantine/hooks';
import { useAgentNames } from '../../shared/agent-names.ts';
import { figureOf } from '../../shared/format.ts';
import { becameOf, titleOf } from '../../shared/status.ts';
import { agoOf } from '../../shared/time.ts';
import { useOwner } from '../../stores/queries.ts';
import { pathOfService } from '../../screens/catalog/service-words.ts';
import type { Command } from './commands.ts';

const typingMs = 200;
const leastLetters = 2;
const most = '5';
const none: readonly never[] = [];

interface Found {
  commands: readonly Command[];
  isSearching: boolean;
  error: Error | null;
}

export const useFound = (text: string): Found => {
  const typed = text.trim();
  const [q] = useDebouncedValue(typed, typingMs);
  const enabled = q.length >= leastLetters;
  const payments = useOwner('activity', { query: { q, limit: most } }, { enabled });
  const services = useOwner('searchServices', { query: { q, limit: most } }, { enabled });
  const entries = (enabled ? payments.data?.entries : undefined) ?? none;
  const nameOf = useAgentNames(entries.flatMap(({ agentId }) => (agentId === null ? [] : [agentId])));
  const now = Date.now();
  return {
    commands: [
      ...((enabled ? services.data?.results : undefined) ?? none).map(({ id, name }): Command => ({
        id: `service ${id}`,
        label: name,
        note: 'Service',
        does: { kind: 'open', path: pathOfService(id) },
      })),
      ...entries.map((entry): Command => ({
        id: `payment ${entry.id}`,
        label: `${titleOf(entry, nameOf)}, ${figureOf(entry.amount)} ${entry.currency}`,
        note: [
          entry.agentId === null ? 'Treasury' : nameOf(entry.agentId),
          becameOf(entry).label,
          agoOf(entry.timestamp, now),
        ].join(' · '),
        does: { kind: 'open', path: `/activity/${encodeURIComponent(entry.id)}` },
      })),
    ],
    isSearching: typed.length >= leastLetters && (q !== typed || payments.isFetching || services.isFetching),
    error: payments.error ?? services.error,
  };
};
