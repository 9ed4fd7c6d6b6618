// Proof of death: the only way, short of failure on chain, to know that signed bytes will never move money.
// The checks answer what has cost other wallets money: an RPC that returned the slot as the height, a look-up without
// history that forgets after minutes, and an answer from a node that lags behind the one asked before.
import type { Death, Transfer, TokenMove } from '../engine/ports.ts';
import { invariant } from '../errors.ts';
import { epochInfoAnswer, slotAnswer, statusesAnswer } from './answers.ts';
import { readMoves } from './moves.ts';
import type { Rpc } from './rpc.ts';

/** Asks one RPC. `dead` only when every piece of evidence comes from it and agrees. Throws as `Rpc.call` does. */
export const proveDeathOn = async (
  rpc: Rpc,
  transfer: Transfer,
  mint: string,
  explained: (move: TokenMove) => boolean,
): Promise<Death> => {
  invariant(transfer.signed !== null, 'only what was signed can die');
  const { messageHash, lifetime } = transfer.signed;
  // Where the seller's facilitator signs first this names nothing on the chain: its message is looked for below.
  const signature = transfer.purchase?.txSignature ?? transfer.signed.signature;

  const { absoluteSlot, blockHeight } = await rpc.call(
    'getEpochInfo',
    [{ commitment: 'finalized' }],
    epochInfoAnswer,
  );
  if (blockHeight <= lifetime.lastValidHeight) return alive('it can still land');
  const gapThen = lifetime.slot - lifetime.height;
  const gapNow = absoluteSlot - blockHeight;
  const slotsElapsed = absoluteSlot - lifetime.slot;
  if (gapNow < gapThen || gapNow > gapThen + slotsElapsed)
    return alive('the RPC gives a block height that cannot be right');

  const { context, value } = await rpc.call(
    'getSignatureStatuses',
    [[signature], { searchTransactionHistory: true }],
    statusesAnswer,
  );
  const sighting = value[0] ?? null;
  if (sighting !== null) return { dead: false, seen: sighting, why: 'it is on the chain' };
  if (context.slot < absoluteSlot) return alive('the RPC that looked it up was behind');
  const firstBlock = await rpc.call('getFirstAvailableBlock', [], slotAnswer);
  if (firstBlock > lifetime.slot) return alive('the RPC no longer has the blocks that it may be in');

  const scan = { wallet: transfer.wallet, mint, commitment: 'finalized', until: null } as const;
  const moves =
    transfer.asset === 'SOL'
      ? []
      : await readMoves(rpc, { ...scan, fromSlot: lifetime.slot, minContextSlot: absoluteSlot });
  const itself = moves.some((move) => move.signature === signature || move.messageHash === messageHash);
  if (itself) return alive('the RPC does not know it by name, and shows it in the history of the wallet');
  const strange = moves.find((move) => move.change < 0n && !explained(move));
  if (strange !== undefined)
    return alive(`transaction ${strange.signature} took money and no row explains it`);
  return {
    dead: true,
    evidence: { absoluteSlot, blockHeight, lookedUpAt: context.slot, firstBlock, moves: moves.length },
  };
};

const alive = (why: string): Death => ({ dead: false, why });
