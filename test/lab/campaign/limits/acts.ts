// The reference, continued: what an agent, its keys, the owner, the chain and time do to a tree of limits. Each function
// returns the verdict that the treasury has to reach, as a text.
import { hasEnded, isOpen, refused, type Row, type Tree } from './reference.ts';

/** Only a change of a limit lifts these, so they end a request that waits for the owner. */
const lasting = /^(expired|service_not_allowed|max_per_payment|\w+_budget|owner_ceiling|service_limit) /;

const stop = (tree: Tree, { kind, agent }: Pick<Row, 'kind' | 'agent'>): string | null => {
  if (kind === 'refund') return null;
  if (tree.frozen) return 'frozen';
  if (tree.agents.get(agent)?.suspended === true) return 'suspended';
  return tree.doubt ? 'clock_unsafe' : null;
};

const endedKey = (tree: Tree, { kind, keys }: Row, now: number): string | null => {
  const last = keys.at(-1);
  return kind !== 'refund' && last !== undefined && hasEnded(tree, last, now) ? 'key_ended' : null;
};

const isAskedFor = (tree: Tree, { agent, amount, kind, isOwners }: Row): boolean => {
  const above = tree.agents.get(agent)?.approveAbove ?? null;
  return kind !== 'refund' && !isOwners && above !== null && amount > above;
};

export const waiting = (tree: Tree): Row[] => tree.rows.filter(({ state }) => state === 'awaiting_approval');

const waitsTooMuch = (tree: Tree, { agent, keys }: Row): boolean => {
  const own = waiting(tree).filter((row) => row.agent === agent);
  return own.length >= 3 || (keys.length > 0 && own.some((row) => row.keys.at(-1) === keys.at(-1)));
};

/** The decision on a new row, with the path of now. */
export const ask = (tree: Tree, row: Row, now: number): string => {
  const impossible = stop(tree, row) ?? endedKey(tree, row, now);
  if (impossible !== null) return `throws ${impossible}`;
  const why = row.kind === 'refund' ? null : refused(tree, row, { now, granted: false, isOwn: false });
  if (why !== null) return `denied ${why}`;
  if (!isAskedFor(tree, row)) {
    tree.rows.push(Object.assign(row, { state: 'reserved', reservedAt: now }));
    return 'reserved';
  }
  if (waitsTooMuch(tree, row)) return 'throws too_many_requests';
  const minutes = tree.agents.get(row.agent)?.approvalMinutes ?? 0;
  tree.rows.push(Object.assign(row, { state: 'awaiting_approval', answerBy: now + minutes * 60_000 }));
  return 'awaiting_approval';
};

/** The owner allows a payment that waits: judged again on the path of now, but for the cooldown. */
export const grant = (tree: Tree, row: Row, now: number): string => {
  if (row.answerBy === null || row.answerBy <= now) return 'throws conflict';
  const impossible = stop(tree, row);
  if (impossible !== null) return `throws ${impossible}`;
  const moved = { ...row, group: tree.agents.get(row.agent)?.group ?? null };
  const why = refused(tree, moved, { now, granted: true, isOwn: false });
  if (why !== null) {
    row.state = 'denied';
    return `denied ${why}`;
  }
  Object.assign(row, { state: 'reserved', reservedAt: now, group: moved.group });
  return 'reserved';
};

/** A reserved row is signed and sent, or cancelled. */
export const sign = (tree: Tree, row: Row, now: number): string => {
  const granted = row.answerBy !== null;
  const isLate = now - (row.reservedAt ?? 0) > 60_000;
  const why =
    endedKey(tree, row, now) ??
    stop(tree, row) ??
    (isLate ? 'payment_failed' : null) ??
    (row.kind === 'refund' ? null : refused(tree, row, { now, granted, isOwn: true })) ??
    (!granted && isAskedFor(tree, row) ? 'approval_cancelled' : null);
  row.state = why === null ? 'sent' : 'cancelled';
  return why === null ? 'sent' : `cancelled ${why}`;
};

export type Sight =
  | { kind: 'confirmed' | 'finalized'; blockTime: number }
  | { kind: 'failed' | 'dead' | 'unknown' | 'fork' };

/** The chain shows something of a row, or shows nothing. A block time far ahead of the treasury's own time is not believed. */
export const see = (row: Row, sight: Sight, now: number): void => {
  if (!isOpen(row) || row.state === 'reserved') return;
  const mayDie = row.state !== 'seen';
  if (sight.kind === 'confirmed' || sight.kind === 'finalized') {
    row.blockTime = Math.min(sight.blockTime, now + 300_000);
    row.state = sight.kind === 'finalized' ? 'final' : 'seen';
  } else if (sight.kind === 'failed') row.state = 'failed';
  else if (sight.kind === 'dead' && mayDie) row.state = 'dead';
  else if (sight.kind === 'unknown' && mayDie) row.state = 'unknown';
  else if (sight.kind === 'fork' && !mayDie) Object.assign(row, { state: 'sent', blockTime: null });
};

const deny = (rows: readonly Row[]): void => rows.forEach((row) => Object.assign(row, { state: 'denied' }));

/** Ends the requests that no longer fit, once a limit has changed. @param isTouched by the agent */
export const endUnfit = (tree: Tree, now: number, isTouched: (agent: string) => boolean): void =>
  deny(
    waiting(tree).filter((row) => {
      const group = tree.agents.get(row.agent)?.group ?? null;
      const why = refused(tree, { ...row, group }, { now, granted: true, isOwn: false });
      return isTouched(row.agent) && why !== null && lasting.test(why);
    }),
  );

/** The owner did not answer in time. */
export const endLate = (tree: Tree, now: number): void =>
  deny(waiting(tree).filter(({ answerBy }) => (answerBy ?? Infinity) <= now));

/** Ends these keys for good, with the requests that they made. */
export const endKeys = (tree: Tree, ids: readonly string[]): void => {
  for (const [id, key] of tree.keys) if (ids.includes(id)) key.ended = true;
  deny(waiting(tree).filter(({ keys }) => ids.includes(keys.at(-1) ?? '')));
};

export const withDescendants = ({ keys }: Tree, id: string): string[] => [
  id,
  ...[...keys].flatMap(([child, { parent }]) =>
    parent === id ? withDescendants({ keys } as Tree, child) : [],
  ),
];

const stopOne = (tree: Tree, agent: string, now: number): void => {
  deny(waiting(tree).filter((row) => row.agent === agent));
  endKeys(
    tree,
    [...tree.keys].flatMap(([id, key]) => (key.agent === agent && !hasEnded(tree, id, now) ? [id] : [])),
  );
};

export const freeze = (tree: Tree, now: number): void => {
  tree.frozen = true;
  for (const agent of tree.agents.keys()) stopOne(tree, agent, now);
};

/** @param group whose stop it is; null for the agent's own, which no group's resumption lifts */
export const suspend = (tree: Tree, agent: string, now: number, group: string | null = null): void => {
  const one = tree.agents.get(agent);
  if (one === undefined) return;
  if (!one.suspended) {
    one.suspended = true;
    one.stoppedWith = group;
    stopOne(tree, agent, now);
  } else if (one.stoppedWith !== null) one.stoppedWith = group;
};

export const stopGroup = (tree: Tree, group: string, now: number): void => {
  tree.stoppedGroups.add(group);
  for (const [id, one] of tree.agents) if (one.group === group) suspend(tree, id, now, group);
};

export const resumeGroup = (tree: Tree, group: string): void => {
  tree.stoppedGroups.delete(group);
  for (const one of tree.agents.values())
    if (one.stoppedWith === group) Object.assign(one, { suspended: false, stoppedWith: null });
};

/** A key for a sub-agent. @param parent null when the owner mints it at the agent; the agent's own key otherwise */
export const refuseMint = (tree: Tree, agent: string, isOwners: boolean, level: number): string | null => {
  const impossible = stop(tree, { kind: 'payment', agent });
  if (impossible !== null) return `throws ${impossible}`;
  if (!isOwners && tree.agents.get(agent)?.mayDelegate !== true) return 'throws forbidden';
  return level > 3 ? 'throws forbidden' : null;
};
