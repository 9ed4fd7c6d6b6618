// The treasury's USDC, as the last snapshot has it.
import { usdc, type Usdc } from '../../server/money.ts';
import { useTreasury } from '../stores/treasury.ts';

export const useTreasuryBalance = (): Usdc =>
  useTreasury(({ snapshot }) => usdc(BigInt(snapshot?.treasury.amount ?? '0')));
