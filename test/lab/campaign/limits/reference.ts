// A reference for limits that nest: each rule as it is promised, over plain sums of all rows. Slow, short, and written
// without the engine's code. A node is named `key:ID`, `agent:ID`, `group:ID` or `treasury`. Times are Unix milliseconds,
// and money is micro-USDC.
import type { HeldLimits } from '../../../../server/contract/limits/policy-fields.ts';
import type { TransferState } from '../../../../server/engine/ports.ts';
import { localAt } from './local-clock.ts';

export interface Row {
  kind: 'payment' | 'charge' | 'refund';
  agent: string;
  /** Delegated keys, the agent's child first. */
  keys: readonly string[];
  group: string | null;
  /** Whose consent it has by itself: the owner's own request needs no approval. */
  isOwners: boolean;
  amount: bigint;
  service: string;
  state: TransferState;
  /** Until when the owner may allow it; null when nobody was asked. */
  answerBy: number | null;
  reservedAt: number | null;
  blockTime: number | null;
  /** Of a refund: the charge that it pays back. */
  charge: Row | null;
}

export interface Tree {
  zone: string;
  frozen: boolean;
  /** The clock cannot be trusted. */
  doubt: boolean;
  nodes: Map<string, { limits: HeldLimits; totalSince: number }>;
  agents: Map<
    string,
    {
      group: string | null;
      approveAbove: bigint | null;
      approvalMinutes: number;
      suspended: boolean;
      stoppedWith: string | null;
      mayDelegate: boolean;
    }
  >;
  stoppedGroups: Set<string>;
  keys: Map<string, { agent: string; parent: string | null; expiresAt: number; ended: boolean }>;
  rows: Row[];
}

const hour = 3_600_000;
const spans = { hour, day: 24 * hour, week: 168 * hour };
const openStates: readonly TransferState[] = ['reserved', 'signed', 'sent', 'seen', 'unknown'];
const voidStates: readonly TransferState[] = ['failed', 'dead', 'cancelled', 'denied'];

export const pathOf = ({ agent, keys, group }: Pick<Row, 'agent' | 'keys' | 'group'>): string[] => [
  ...keys.map((id) => `key:${id}`).toReversed(),
  `agent:${agent}`,
  ...(group === null ? [] : [`group:${group}`]),
  'treasury',
];

const total = (rows: readonly Row[], amountOf: (row: Row) => bigint): bigint =>
  rows.reduce((sum, row) => sum + amountOf(row), 0n);

export const isOpen = ({ state }: Row): boolean => openStates.includes(state);

/** The sum that counts at a node now, or at a node and a service: `agent:ID@maps`. @param without the row's own */
export const sumsOf = ({ zone, rows, nodes }: Tree, place: string, now: number, without?: Row) => {
  const [name = '', service] = place.split('@');
  const own = rows.filter(
    (row) =>
      row !== without && pathOf(row).includes(name) && (service === undefined || row.service === service),
  );
  const paid = own.filter(({ kind }) => kind !== 'refund');
  const open = total(paid.filter(isOpen), ({ amount }) => amount);
  const countedAt = ({ charge, ...row }: Row): number =>
    charge === null ? Math.max(row.reservedAt ?? 0, row.blockTime ?? 0) : countedAt(charge);
  const ended = own.filter(({ state }) => state === 'final');
  const moneySince = (isIn: (at: number) => boolean): bigint =>
    open +
    total(
      ended.filter((row) => isIn(countedAt(row))),
      ({ kind, amount }) => (kind === 'refund' ? -amount : amount),
    );
  const rated = paid.filter(({ reservedAt, state }) => reservedAt !== null && !voidStates.includes(state));
  const madeIn = (ms: number): number =>
    rated.filter(({ reservedAt }) => (reservedAt ?? 0) > now - ms).length;
  const { month } = localAt(zone, now);
  const last = Math.max(...paid.map(({ reservedAt }) => reservedAt ?? -Infinity));
  return {
    dailyBudget: moneySince((at) => at > now - spans.day),
    weeklyBudget: moneySince((at) => at > now - spans.week),
    monthlyBudget: moneySince((at) => localAt(zone, at).month >= month),
    totalBudget: moneySince((at) => at >= (nodes.get(name)?.totalSince ?? 0)),
    paymentsPerHour: madeIn(spans.hour),
    paymentsPerDay: madeIn(spans.day),
    lastReservedAt: Number.isFinite(last) ? last : null,
  };
};

export const budgetFields = ['dailyBudget', 'weeklyBudget', 'monthlyBudget', 'totalBudget'] as const;
const rateFields = ['paymentsPerHour', 'paymentsPerDay'] as const;

/** The budget in force. A boost of the node raises it here, for a day, a week and a month. */
export const budgetOf = (
  { nodes }: Tree,
  name: string,
  field: (typeof budgetFields)[number],
): bigint | null => nodes.get(name)?.limits[field] ?? null;

const minutes = (clock: string): number => Number(clock.slice(0, 2)) * 60 + Number(clock.slice(3));

const isOutside = (tree: Tree, hours: NonNullable<HeldLimits['activeHours']>, now: number): boolean => {
  const { weekday, minute } = localAt(tree.zone, now);
  const [from, to] = [minutes(hours.from), minutes(hours.to)];
  const [today, yesterday] = [weekday, weekday === 1 ? 7 : weekday - 1].map((day) =>
    hours.days.includes(day),
  );
  if (from < to) return today !== true || minute < from || minute >= to;
  return !(today === true && minute >= from) && !(yesterday === true && minute < to);
};

export interface How {
  now: number;
  /** The owner allowed it: no cooldown holds it up. */
  granted: boolean;
  /** It is reserved already, and about to be signed. */
  isOwn: boolean;
}

/** The rule that refuses at this node, as `CODE FIELD`; null for none. */
const refusedAt = (tree: Tree, row: Row, name: string, { now, granted, isOwn }: How): string | null => {
  const limits = tree.nodes.get(name)?.limits;
  if (limits === undefined) throw new Error(`there is no ${name}`);
  const sums = sumsOf(tree, name, now, isOwn ? row : undefined);
  const { expiresAt, allowedServices, maxPerPayment, cooldownSeconds, activeHours } = limits;
  if (expiresAt !== null && now >= expiresAt) return 'expired expiresAt';
  if (allowedServices !== null && allowedServices.length > 0 && !allowedServices.includes(row.service))
    return 'service_not_allowed allowedServices';
  if (maxPerPayment !== null && row.amount > maxPerPayment) return 'max_per_payment maxPerPayment';
  const began = granted || (isOwn && pathOf(row).includes(name)) ? null : sums.lastReservedAt;
  if (began !== null && now < began + (cooldownSeconds ?? 0) * 1_000) return 'cooldown cooldownSeconds';
  for (const field of rateFields) {
    const most = limits[field];
    if (most !== null && sums[field] >= most) return `payment_rate ${field}`;
  }
  if (activeHours !== null && isOutside(tree, activeHours, now)) return 'outside_hours activeHours';
  for (const field of budgetFields) {
    const most = budgetOf(tree, name, field);
    if (most === null || sums[field] + row.amount <= most) continue;
    if (name === 'treasury' && field === 'dailyBudget') return 'owner_ceiling ownerCeiling';
    return `${field.replace('Budget', '')}_budget ${field}`;
  }
  const here = limits.serviceLimits?.[row.service];
  const spent = {
    ...sumsOf(tree, `${name}@${row.service}`, now, isOwn ? row : undefined),
    maxPerPayment: 0n,
  };
  for (const field of ['maxPerPayment', 'dailyBudget', 'monthlyBudget'] as const)
    if (spent[field] + row.amount > (here?.[field] ?? Infinity)) return `service_limit ${field}`;
  return null;
};

/** The first node from the one that pays upwards that refuses. The row's group first, and that of now if it is another. */
export const refused = (tree: Tree, row: Row, how: How): string | null => {
  const joined = tree.agents.get(row.agent)?.group ?? null;
  const path = pathOf(row);
  const names =
    joined === row.group
      ? path
      : [...path.slice(0, -1), ...(joined === null ? [] : [`group:${joined}`]), 'treasury'];
  for (const [at, name] of names.entries()) {
    const rule = refusedAt(tree, row, name, how);
    if (rule !== null) return `${rule} at ${at === 0 ? 'itself' : name}`;
  }
  return null;
};

export const hasEnded = ({ keys }: Tree, id: string, now: number): boolean => {
  const key = keys.get(id);
  return key === undefined || key.ended || key.expiresAt <= now;
};
