// The treasury's USDC, from the last snapshot.
import { usdc, type Usdc } from '../../../server/money.ts';
import { useTreasury } from '../../stores/treasury.ts';

export const useTreasuryBalance = (): Usdc =>
  useTreasury(({ snapshot }) => usdc(BigInt(snapshot?.treasury.amount ?? '0')));
