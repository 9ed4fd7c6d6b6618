// A payment as T1 writes it when the policy allows it, for tests that are about a store and no host.
import type { NewTransfer } from '../../server/engine/ports.ts';

type Told = 'id' | 'agentId' | 'walletIndex' | 'wallet' | 'amount' | 'createdAt';

export const reservedPayment = (row: Pick<NewTransfer, Told> & Partial<NewTransfer>): NewTransfer => ({
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
});
