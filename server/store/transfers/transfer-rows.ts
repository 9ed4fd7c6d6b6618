// Transfers as rows of their table, and back.
import { transferKinds } from '../../engine/domain/transfer.ts';
import { errorCodes, invariant, type ErrorDetails } from '../../errors.ts';
import type { Moved, NewTransfer, Refusal, Transfer, TransferChange } from '../../engine/ports.ts';
import type { Db } from '../db.ts';
import { mapper, type Columns } from '../row.ts';
import { ratedAt } from '../../engine/domain/spending.ts';
import { allStates, hasEnded, isOpen } from '../../engine/domain/states.ts';

type PlainChange = Omit<TransferChange, 'txSignature'>;

const columns: Record<keyof PlainChange, readonly string[]> = {
  refusal: ['refusal_code', 'refusal_message', 'refusal_details'],
  policyVersion: ['policy_version'],
  grantId: ['grant_id'],
  groupId: ['group_id'],
  feeLamports: ['fee_lamports'],
  rentLamports: ['rent_lamports'],
  reservedAt: ['reserved_at'],
  signed: [
    'message_hash',
    'signature',
    'wire',
    'blockhash',
    'last_valid_height',
    'signed_slot',
    'signed_height',
    'signed_at',
  ],
  sentAt: ['sent_at'],
  seenAt: ['seen_at'],
  seenSlot: ['seen_slot'],
  blockTime: ['block_time'],
  endedAt: ['ended_at'],
  receipt: ['receipt'],
  evidence: ['evidence'],
};

export const columnsOf = (change: PlainChange): string[] =>
  (Object.keys(change) as (keyof PlainChange)[]).flatMap((field) => columns[field]);

export const bindChange = (change: PlainChange): Record<string, unknown> => {
  const { refusal, signed, ...plain } = change;
  const values: Record<string, unknown> = {};
  for (const field of Object.keys(plain) as (keyof typeof plain)[]) {
    for (const column of columns[field]) values[column] = plain[field];
  }
  if (refusal !== undefined) {
    const { refusalCode, refusalMessage, refusalDetails } = refusalColumns(refusal);
    values['refusal_code'] = refusalCode;
    values['refusal_message'] = refusalMessage;
    values['refusal_details'] = refusalDetails;
  }
  if (signed !== undefined) {
    values['message_hash'] = signed?.messageHash ?? null;
    values['signature'] = signed?.signature ?? null;
    values['wire'] = signed?.wire ?? null;
    values['blockhash'] = signed?.lifetime.blockhash ?? null;
    values['last_valid_height'] = signed?.lifetime.lastValidHeight ?? null;
    values['signed_slot'] = signed?.lifetime.slot ?? null;
    values['signed_height'] = signed?.lifetime.height ?? null;
    values['signed_at'] = signed?.at ?? null;
  }
  return values;
};

const statements = new WeakMap<Db, Map<string, ReturnType<Db['prepare']>>>();

/** One prepared statement for each set of columns that a step writes. */
export const updateStatement = (db: Db, names: readonly string[]): ReturnType<Db['prepare']> => {
  const key = names.join();
  const prepared = statements.get(db) ?? new Map<string, ReturnType<Db['prepare']>>();
  statements.set(db, prepared);
  let statement = prepared.get(key);
  if (statement === undefined) {
    const sets = names.map((name) => `${name} = @${name}, `).join('');
    statement = db.prepare(
      `UPDATE transfer SET ${sets} state = @to, journal_seq = @journalSeq WHERE id = @id AND state = @from RETURNING *`,
    );
    prepared.set(key, statement);
  }
  return statement;
};

export const bind = ({
  refusal,
  reason = null,
  keyId = null,
  keyPath = [],
  groupId = null,
  cause = null,
  source = null,
  ...transfer
}: Omit<NewTransfer, 'purchase'>): Record<string, unknown> => ({
  ...transfer,
  reason,
  keyId,
  groupId,
  cause,
  source,
  ...keyColumns(keyPath),
  ...refusalColumns(refusal),
  endedAt: hasEnded(transfer) ? transfer.createdAt : null,
  isOpen: isOpen(transfer) ? 1 : 0,
  ratedAt: ratedAt(transfer),
});

/** The columns of a refusal, of a transfer or of a model request, as parameters of a statement. */
export const refusalColumns = (refusal: Refusal | null) => ({
  refusalCode: refusal?.code ?? null,
  refusalMessage: refusal?.message ?? null,
  refusalDetails: refusal === null ? null : JSON.stringify(refusal.details),
});

/** The same for its delegated keys. */
export const keyColumns = ([key1 = null, key2 = null, key3 = null]: readonly (string | null)[]) => ({
  key1,
  key2,
  key3,
});

export const plainTransfer = mapper('transfer', (row): Transfer => ({
  seq: row.integer('seq'),
  id: row.text('id'),
  agentId: row.textOrNull('agent_id'),
  walletIndex: row.integer('wallet_index'),
  wallet: row.text('wallet'),
  payee: row.text('payee'),
  ...movedBy(row),
  serviceId: row.textOrNull('service_id'),
  serviceName: row.text('service_name'),
  description: row.text('description'),
  invoice: row.textOrNull('invoice'),
  reason: row.textOrNull('reason'),
  keyId: row.textOrNull('key_id'),
  groupId: row.textOrNull('group_id'),
  keyPath: keyPathIn(row),
  state: row.word('state', allStates),
  refusal: refusalIn(row),
  policyVersion: row.integer('policy_version'),
  approvalId: row.textOrNull('approval_id'),
  grantId: row.textOrNull('grant_id'),
  feeLamports: row.bigint('fee_lamports'),
  rentLamports: row.bigint('rent_lamports'),
  createdAt: row.integer('created_at'),
  reservedAt: row.integerOrNull('reserved_at'),
  signed: signedOf(row),
  sentAt: row.integerOrNull('sent_at'),
  seenAt: row.integerOrNull('seen_at'),
  seenSlot: row.integerOrNull('seen_slot'),
  blockTime: row.integerOrNull('block_time'),
  endedAt: row.integerOrNull('ended_at'),
  receipt: row.textOrNull('receipt'),
  evidence: row.textOrNull('evidence'),
  cause: row.wordOrNull('cause', ['refill']),
  source: row.textOrNull('source'),
  purchase: null,
}));

const assets = ['USDC', 'SOL'] as const;

const movedBy = (row: Columns): Moved => {
  const kind = row.word('kind', transferKinds);
  if (row.word('asset', assets) === 'SOL') {
    invariant(kind === 'withdrawal' || kind === 'anchor', 'only a withdrawal moves SOL');
    return { kind, asset: 'SOL', amount: row.lamports('amount') };
  }
  invariant(kind !== 'anchor', 'an anchor moves no USDC');
  return { kind, asset: 'USDC', amount: row.usdc('amount') };
};

export const keyPathIn = (row: Columns): string[] =>
  ['key_1', 'key_2', 'key_3'].flatMap((column) => row.textOrNull(column) ?? []);

export const refusalIn = (row: Columns): Refusal | null =>
  row.isNull('refusal_code')
    ? null
    : {
        code: row.word('refusal_code', errorCodes),
        message: row.text('refusal_message'),
        details: row.objectOrNull<ErrorDetails>('refusal_details') ?? {},
      };

const signedOf = (row: Columns): Transfer['signed'] =>
  row.isNull('signature')
    ? null
    : {
        messageHash: row.text('message_hash'),
        signature: row.text('signature'),
        wire: row.bytes('wire'),
        lifetime: {
          blockhash: row.text('blockhash'),
          lastValidHeight: row.integer('last_valid_height'),
          slot: row.integer('signed_slot'),
          height: row.integer('signed_height'),
        },
        at: row.integer('signed_at'),
      };
