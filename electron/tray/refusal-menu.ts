// The tray's item for the last refused payment: why, and the changes with which the agent's next try succeeds.
import type { MenuItemConstructorOptions } from 'electron';
import { namesOf } from '../../server/contract/agents/agent-names.ts';
import { labelOf, type Remedy } from '../../server/contract/refusals/remedy.ts';
import { tellOwner } from '../../server/contract/refusals/to-owner.ts';
import { inert } from '../inert.ts';
import type { Snapshot } from '../snapshot.ts';

export interface RefusalActions {
  /** @param isPaused the agent is, and is resumed after the change */
  remedy(refused: { agentId: string; transferId: string }, remedy: Remedy, isPaused: boolean): void;
  open(path?: string): void;
}

/** Refusals that the owner caused, by a decision, by silence or by a stop: no news to the owner. */
const byOwner = new Set(['approval_denied', 'approval_cancelled', 'approval_expired', 'frozen', 'suspended']);

const isOwnersDoing = (code: string | undefined): boolean => byOwner.has(code ?? '');

export const refusalItems = (
  { lastRefusal, agents }: Snapshot,
  { remedy, open }: RefusalActions,
): MenuItemConstructorOptions[] => {
  if (lastRefusal === null || lastRefusal.agentId === null || lastRefusal.failure === null) return [];
  const { id, agentId, amount, currency, service, serviceId, failure } = lastRefusal;
  if (isOwnersDoing(failure.code)) return [];
  const agentName = namesOf(agents).get(agentId) ?? agentId;
  const isPaused = agents.some(
    (one) => one.agentId === agentId && one.status === 'suspended' && one.statusReason === null,
  );
  const { sentence, remedies } = tellOwner({
    agentName,
    service: serviceId === null ? null : { id: serviceId, name: service },
    failure,
  });
  return [
    {
      id: 'refusal',
      label: plain(`Refused: ${agentName}, ${amount} ${currency} to ${service}`),
      submenu: [
        { label: plain(sentence, 160), enabled: false },
        ...remedies.map((one) => ({
          label: plain(labelOf(one, isPaused)),
          click: () => remedy({ agentId, transferId: id }, one, isPaused),
        })),
        { label: 'Show', click: () => open(`/activity/${encodeURIComponent(id)}`) },
      ],
    },
  ];
};

/** A single ampersand in a label would underline the next letter. */
const plain = (text: string, most = 80): string => inert(text, most).replaceAll('&', '&&');
