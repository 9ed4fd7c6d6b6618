// The history of a wallet's SOL: transactions that name its address, and what each of them changed.
import type { LineRange, ListedMove, SolMove } from '../../engine/ports.ts';
import { described } from './history.ts';
import { readTransaction } from '../mailbox.ts';
import { keysNamed } from './moves.ts';
import type { Rpc } from '../rpc/rpc.ts';
import { signaturePage } from '../rpc/signature-page.ts';

/** Finalized transactions that name the wallet, newest first. @throws what `Rpc.call` throws */
export const listSolPage = async (
  rpc: Rpc,
  wallet: string,
  { minSlot: minContextSlot, ...range }: LineRange,
): Promise<ListedMove[]> => {
  const listed = await signaturePage(rpc, wallet, { commitment: 'finalized', minContextSlot, ...range });
  return listed.map(described);
};

/**
 * In lamports and Unix milliseconds; null when it cannot be read: its version is unknown, or the RPC shows no balances.
 * @throws AppError `chain_unreachable` when the RPC does not show the transaction
 */
export const readSolMove = async (rpc: Rpc, wallet: string, signature: string): Promise<SolMove | null> => {
  const landed = await readTransaction(rpc, signature, 'finalized');
  if (landed === null) return null;
  const { preBalances: before, postBalances: after, err } = landed.meta;
  if (before == null || after == null) return null;
  const keys = keysNamed(landed);
  const changes = keys.map((key, n) => ({ key, change: BigInt(after[n] ?? 0) - BigInt(before[n] ?? 0) }));
  const own = keys.indexOf(wallet);
  const change = changes[own]?.change ?? 0n;
  const others = changes
    .filter((other) => other.change * change < 0n)
    .toSorted((a, b) => (a.change * change < b.change * change ? -1 : 1));
  return {
    signature,
    slot: landed.slot,
    blockTime: landed.blockTime == null ? null : landed.blockTime * 1_000,
    failed: err !== null,
    change,
    balance: BigInt(after[own] ?? 0),
    counterparty: others[0]?.key ?? null,
  };
};
