// Transfers as rows of their table, and back.
import { invariant } from '../errors.ts';
import { lamports, usdc } from '../money.ts';
import type {
  Moved,
  NewTransfer,
  Transfer,
  TransferChange,
  TransferKind,
  TransferState,
} from '../engine/ports.ts';
import type { Row } from './journal.ts';
import { integer, integerOrNull, jsonOrNull, text, textOrNull, units } from './rows.ts';
import { hasEnded, isOpen } from '../engine/domain/states.ts';

type PlainChange = Omit<TransferChange, 'txSignature'>;

const columns: Record<keyof PlainChange, readonly string[]> = {
  refusal: ['refusal_code', 'refusal_message', 'refusal_details'],
  policyVersion: ['policy_version'],
  grantId: ['grant_id'],
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
    values['refusal_code'] = refusal?.code ?? null;
    values['refusal_message'] = refusal?.message ?? null;
    values['refusal_details'] = refusal === null ? null : JSON.stringify(refusal.details);
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

export const bind = ({
  refusal,
  reason = null,
  keyId = null,
  ...transfer
}: Omit<NewTransfer, 'purchase'>): Record<string, unknown> => ({
  ...transfer,
  reason,
  keyId,
  refusalCode: refusal?.code ?? null,
  refusalMessage: refusal?.message ?? null,
  refusalDetails: refusal === null ? null : JSON.stringify(refusal.details),
  endedAt: hasEnded(transfer) ? transfer.createdAt : null,
  isOpen: isOpen(transfer) ? 1 : 0,
});

export const plainTransfer = (row: Row): Transfer => ({
  seq: integer(row, 'seq'),
  id: text(row, 'id'),
  agentId: textOrNull(row, 'agent_id'),
  walletIndex: integer(row, 'wallet_index'),
  wallet: text(row, 'wallet'),
  payee: text(row, 'payee'),
  ...movedBy(row),
  serviceId: textOrNull(row, 'service_id'),
  serviceName: text(row, 'service_name'),
  description: text(row, 'description'),
  invoice: textOrNull(row, 'invoice'),
  reason: textOrNull(row, 'reason'),
  keyId: textOrNull(row, 'key_id'),
  state: text(row, 'state') as TransferState,
  refusal: refusalOf(row),
  policyVersion: integer(row, 'policy_version'),
  approvalId: textOrNull(row, 'approval_id'),
  grantId: textOrNull(row, 'grant_id'),
  feeLamports: units(row, 'fee_lamports'),
  rentLamports: units(row, 'rent_lamports'),
  createdAt: integer(row, 'created_at'),
  reservedAt: integerOrNull(row, 'reserved_at'),
  signed: signedOf(row),
  sentAt: integerOrNull(row, 'sent_at'),
  seenAt: integerOrNull(row, 'seen_at'),
  seenSlot: integerOrNull(row, 'seen_slot'),
  blockTime: integerOrNull(row, 'block_time'),
  endedAt: integerOrNull(row, 'ended_at'),
  receipt: textOrNull(row, 'receipt'),
  evidence: textOrNull(row, 'evidence'),
  purchase: null,
});

const movedBy = (row: Row): Moved => {
  const kind = text(row, 'kind') as TransferKind;
  if (text(row, 'asset') === 'USDC') return { kind, asset: 'USDC', amount: usdc(units(row, 'amount')) };
  invariant(kind === 'withdrawal', 'only a withdrawal moves SOL');
  return { kind, asset: 'SOL', amount: lamports(units(row, 'amount')) };
};

const refusalOf = (row: Row): Transfer['refusal'] => {
  const code = textOrNull(row, 'refusal_code');
  if (code === null) return null;
  return {
    code: code as NonNullable<Transfer['refusal']>['code'],
    message: text(row, 'refusal_message'),
    details: jsonOrNull(row, 'refusal_details') ?? {},
  };
};

const signedOf = (row: Row): Transfer['signed'] => {
  const signature = textOrNull(row, 'signature');
  if (signature === null) return null;
  return {
    messageHash: text(row, 'message_hash'),
    signature,
    wire: row['wire'] as Buffer,
    lifetime: {
      blockhash: text(row, 'blockhash'),
      lastValidHeight: integer(row, 'last_valid_height'),
      slot: integer(row, 'signed_slot'),
      height: integer(row, 'signed_height'),
    },
    at: integer(row, 'signed_at'),
  };
};
