// The rows of the past, one at a time: as long, as random and as ordered as real ones, so that files and indexes grow
// as they really would.
import { randomBytes } from 'node:crypto';
import { formatUsdc, usdc } from '../../../server/money.ts';
import type { Row } from '../../../server/store/records/digests.ts';
import type { Models, PastAgent, PastService } from './past-models.ts';

interface Paid {
  agent: PastAgent;
  service: PastService;
  amount: bigint;
  at: number;
}

const poolBytes = 1 << 20;

export const createPieces = (models: Models) => {
  let pool = randomBytes(poolBytes);
  let at = 0;
  const take = (bytes: number): Buffer => {
    if (at + bytes > pool.length) {
      pool = randomBytes(poolBytes);
      at = 0;
    }
    at += bytes;
    return pool.subarray(at - bytes, at);
  };
  const hex = (bytes: number): string => take(bytes).toString('hex');
  /** 88 characters of base58. */
  const signature = (): string =>
    take(66)
      .toString('base64url')
      .replaceAll(/[-_0OIl]/g, 'z');
  const idOf = (prefix: string, time: number): string =>
    `${prefix}_${time.toString(36).padStart(9, '0')}${hex(10)}`;
  const receipt = receiptLike(String(models.paid['receipt']));

  const signed = (row: Row): Row => {
    row['signature'] = signature();
    row['message_hash'] = hex(32);
    const wire = Buffer.from(row['wire'] as Buffer);
    // The signatures follow their count; the other bytes are as in the model.
    take(64).copy(wire, 1);
    row['wire'] = wire;
    return row;
  };
  const spent = (model: Row, { agent, service, amount, at: time }: Paid): Row => {
    const row = dated(model, time);
    row['id'] = idOf('pay', time);
    row['agent_id'] = agent.agentId;
    row['wallet_index'] = BigInt(agent.index);
    row['wallet'] = agent.wallet;
    row['payee'] = service.payee;
    row['service_id'] = service.id;
    row['service_name'] = service.name;
    row['amount'] = amount;
    return row;
  };

  return {
    below: (most: number): number => take(4).readUInt32LE() % most,
    /** As a client makes them: a UUID. */
    key: (): string => {
      const digits = hex(16);
      return `${digits.slice(0, 8)}-${digits.slice(8, 12)}-${digits.slice(12, 16)}-${digits.slice(16, 20)}-${digits.slice(20)}`;
    },
    hash: () => hex(32),
    denied: (paid: Paid): Row => spent(models.denied, paid),
    paid(paid: Paid): Row {
      const row = signed(spent(models.paid, paid));
      row['counted_amount'] = paid.amount;
      row['receipt'] = receipt(row);
      return row;
    },
    allocated(agentId: string, amount: bigint): Row {
      const agent = models.agents.find((one) => one.agentId === agentId);
      if (agent === undefined) throw new Error(`there is an agent ${agentId}`);
      const row = signed({ ...models.allocated });
      row['id'] = idOf('alc', Number(row['created_at']));
      row['agent_id'] = agentId;
      row['payee'] = agent.wallet;
      row['service_name'] = `Allocation to ${agentId}`;
      row['amount'] = amount;
      return row;
    },
  };
};

const timeColumns = [
  'created_at',
  'reserved_at',
  'signed_at',
  'sent_at',
  'seen_at',
  'block_time',
  'ended_at',
  'counted_at',
];

const dated = (model: Row, time: number): Row => {
  const row = { ...model };
  for (const column of timeColumns) if (row[column] !== null) row[column] = BigInt(time);
  return row;
};

/** A receipt with the payment's own facts under the model's signature. */
const receiptLike = (model: string) => {
  const known = JSON.parse(Buffer.from(model.slice(3), 'base64').toString('utf8')) as Record<string, unknown>;
  return (row: Row): string => {
    const fields = {
      ...known,
      txSignature: row['signature'],
      amount: formatUsdc(usdc(row['amount'] as bigint)),
      timestamp: new Date(Number(row['created_at'])).toISOString(),
      recipient: row['payee'],
      paymentId: row['id'],
      payer: row['wallet'],
      service: row['service_id'],
    };
    return `v1.${Buffer.from(JSON.stringify(fields)).toString('base64')}`;
  };
};
