// An entry of the journal: which row it is about, that row's digest, and a hash that covers the entry before it.
import { hash as digestOf } from 'node:crypto';
import { fieldEntries } from '../../contract/limits/policy-fields.ts';
import type { JournalBreak, JournalHead } from '../../engine/ports.ts';

export type Row = Record<string, unknown>;

export const protectedTables = {
  agent: 'agent_id',
  policy: 'id',
  ceiling: 'id',
  agent_key: 'id',
  transfer: 'id',
  model_request: 'id',
  purchase: 'transfer_id',
  approval: 'id',
  idempotency: 'id',
  known_payee: 'id',
  label: 'address',
  standing_grant: 'id',
  service: 'id',
  identity: 'id',
  sign_in: 'id',
  task: 'id',
  model: 'id',
  freeze: 'id',
  wish: 'transfer_id',
  service_rule: 'id',
  owner_zone: 'id',
  agent_group: 'id',
  node_limits: 'id',
  boost: 'id',
  notice_channel: 'id',
  watch: 'agent_id',
  watch_trip: 'id',
  watch_mute: 'id',
  cold_treasury: 'id',
  phone_wallet: 'id',
  phone_request: 'id',
  phone_word: 'id',
  seller_sign_in: 'id',
  book_rule: 'id',
  book_month: 'month',
  anchoring: 'id',
  public_address: 'id',
  model_supplier: 'id',
  language_model: 'id',
  model_invoice: 'id',
  book_sale: 'tx_signature',
} as const;
export type ProtectedTable = keyof typeof protectedTables;

/**
 * Columns that a later version added. They are digested only when not null, so that older rows keep their digests and a
 * migration that adds one enters no row anew.
 */
const laterColumns: Partial<Record<ProtectedTable, readonly string[]>> = {
  agent: [
    'color',
    'picture',
    'tags',
    'group_id',
    'stopped_with',
    'may_delegate',
    'refill_below',
    'refill_to',
    'refill_per_day',
  ],
  agent_key: ['parent_id', 'level'],
  approval: ['deny_at'],
  model_request: ['idempotency_key', 'corrects'],
  node_limits: ['service_limits', 'allowed_models', 'model_requests_per_hour'],
  notice_channel: ['phone_links'],
  purchase: ['splits'],
  service_rule: ['blocked_payees'],
  standing_grant: ['payees', 'ended_because'],
  transfer: ['reason', 'key_id', 'rated_at', 'group_id', 'key_1', 'key_2', 'key_3', 'cause', 'source'],
  policy: [
    'total_since',
    ...fieldEntries.flatMap(([, { column, isLater }]) => (isLater === true ? [column] : [])),
  ],
};

export interface EntryRow {
  seq: bigint;
  at: bigint;
  subject: string;
  created: bigint;
  digest: Buffer;
  hash: Buffer;
}

export const subjectOf = (table: ProtectedTable, row: Row): string =>
  `${table}:${String(row[protectedTables[table]])}`;

/** SHA-256 over every column, each with its type and length so that no two rows read alike. */
export const digestRow = (table: ProtectedTable, row: Row): Buffer => {
  const later = laterColumns[table];
  let text = '';
  for (const name in row) {
    const value = row[name];
    if (value === null && later?.includes(name) === true) continue;
    const printed = Buffer.isBuffer(value) ? value.toString('base64') : String(value);
    text += `${name}=${value === null ? 'n' : typeof value}:${printed.length}:${printed};`;
  }
  return digestOf('sha256', text, 'buffer');
};

interface Entered {
  seq: number;
  at: number;
  subject: string;
  created: boolean;
  digest: Buffer;
}

/** The hash of an entry: over its own fields and the previous hash. */
export const link = (previous: Buffer, { seq, at, subject, created, digest }: Entered): Buffer =>
  digestOf(
    'sha256',
    `${previous.toString('base64')}|${seq}|${at}|${created ? 1 : 0}|${subject}|${digest.toString('base64')}`,
    'buffer',
  );

/** Returns the head after this entry, or how the chain is broken there. */
export const follow = ({ seq, hash }: JournalHead, entry: EntryRow): JournalHead | JournalBreak => {
  const next = seq + 1;
  if (Number(entry.seq) !== next) return { broken: `entry ${next} of the journal is missing` };
  const expected = link(hash, {
    seq: next,
    at: Number(entry.at),
    subject: entry.subject,
    created: entry.created === 1n,
    digest: entry.digest,
  });
  if (!expected.equals(entry.hash)) return { broken: `entry ${next} of the journal was changed` };
  return { seq: next, hash: expected };
};

/** Whether the entry that a row names is about this row, as it is now. */
export const isWhole = (entry: unknown, table: ProtectedTable, row: Row): boolean => {
  const named = entry as Pick<EntryRow, 'subject' | 'digest'> | undefined;
  return named?.subject === subjectOf(table, row) && named.digest.equals(digestRow(table, row));
};

export const changedOutside = (subject: string): string => `${subject} was changed outside the treasury`;
