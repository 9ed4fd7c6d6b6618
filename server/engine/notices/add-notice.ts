// Writes a notice in the transaction of its event.
import { hash } from 'node:crypto';
import { namesOf } from '../../contract/agents/agent-names.ts';
import { isPaid } from '../domain/states.ts';
import type { Time } from '../domain/time.ts';
import type { News, Store, Transfer } from '../ports.ts';
import { newsOf, type Happening } from './words.ts';

type Noticing = { store: Pick<Store, 'notices' | 'agents'>; time: Pick<Time, 'now'> };

/**
 * Tells the owner, on every channel that wants notices of this kind. Call it inside the transaction of the event: the
 * notice is written with it, or not at all.
 * @param latestAt Unix milliseconds: folding delays the notice no longer than that
 */
export const addNotice = ({ store, time }: Noticing, what: Happening, latestAt?: number): void => {
  if (!store.notices.isWanted(what.kind)) return;
  const at = time.now();
  store.notices.add(newsFor(store, what), { at, ...(latestAt === undefined ? {} : { latestAt }) });
};

/** The same, sent at once and on every channel, whatever kinds the owner wants there. */
export const addNoticeEverywhere = ({ store, time }: Noticing, what: Happening): void =>
  store.notices.add(newsFor(store, what), { at: time.now(), everywhere: true });

/** The same for a freeze, whose notice has the same id when it is sent from outside the records as well. */
export const addFreezeNotice = (
  { store, time }: Noticing,
  { since, reason }: { since: number; reason: string },
): void =>
  store.notices.add(newsFor(store, { kind: 'frozen', reason }), {
    at: time.now(),
    id: freezeNoticeId(since),
  });

/** Call it in the transaction in which a purchase turns out undelivered, and in that in which its payment is seen. */
export const noteUndelivered = (noticing: Noticing, transfer: Transfer): void => {
  if (isPaid(transfer) && transfer.purchase?.delivery === 'undelivered')
    addNotice(noticing, { kind: 'not_delivered', transfer });
};

/** @param since when the freeze began, in Unix milliseconds */
export const freezeNoticeId = (since: number): string =>
  `ntc_${hash('sha256', `freeze ${since}`).slice(0, 28)}`;

export const newsFor = (store: Pick<Store, 'agents'>, what: Happening): News =>
  newsOf(what, (agentId) => namesOf(store.agents.list()).get(agentId) ?? agentId);
