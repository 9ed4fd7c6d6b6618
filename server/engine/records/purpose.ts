// The purpose of a debit that was found on the chain: its kind, and its agent.
import { memoOf } from '../../lib/transfer-memo.ts';
import type { TokenMove, TransferKind, Wallet } from '../ports.ts';

/** @param other the wallet of ours that got it, if one did */
export const purposeOf = (
  wallet: Wallet,
  other: Wallet | undefined,
  { memo }: TokenMove,
): { kind: Exclude<TransferKind, 'anchor'>; prefix: string; agentId: string | null } => {
  if (wallet.agentId !== null) {
    // A picture’s charge goes where a recall goes, and counts as spent. Its memo has the agent’s signature.
    if (other?.agentId === null && memo?.startsWith(memoOf({ id: 'chg_', invoice: null })) === true)
      return { kind: 'charge', prefix: 'chg', agentId: wallet.agentId };
    // Money that one agent sent to another left its wallet, and counts as spent.
    return other?.agentId === null
      ? { kind: 'recall', prefix: 'rcl', agentId: wallet.agentId }
      : { kind: 'payment', prefix: 'pay', agentId: wallet.agentId };
  }
  return other === undefined
    ? { kind: 'withdrawal', prefix: 'wdr', agentId: null }
    : { kind: 'allocation', prefix: 'alc', agentId: other.agentId };
};
