// A payment as T1 writes it when the policy allows it, for tests of a store without a host.
import type { NewTransfer } from '../../../server/engine/ports.ts';
import { usdc } from '../../../server/money.ts';

type UsdcRow = Extract<NewTransfer, { asset: 'USDC' }>;
type Told = 'id' | 'agentId' | 'walletIndex' | 'wallet' | 'createdAt';
/** The amount in micro-USDC. */
export type PaymentRow = Pick<UsdcRow, Told> & Partial<Omit<UsdcRow, 'amount'>> & { amount: bigint };

export const reservedPayment = (row: PaymentRow): UsdcRow => ({
  kind: 'payment',
  payee: 'payee',
  asset: 'USDC',
  serviceId: 'any',
  serviceName: 'any',
  description: '',
  invoice: null,
  purchase: null,
  state: 'reserved',
  refusal: null,
  policyVersion: 1,
  approvalId: null,
  grantId: null,
  feeLamports: 0n,
  rentLamports: 0n,
  reservedAt: row.createdAt,
  ...row,
  amount: usdc(row.amount),
});
