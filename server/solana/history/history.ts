// The whole finalized history of a wallet's USDC account: read when a treasury's records are lost, listed when a month
// is closed.
import type { HistoryScan, ListedMove, TokenMove } from '../../engine/ports.ts';
import { AppError } from '../../errors.ts';
import type { Listed } from '../rpc/answers.ts';
import { tokenAccountAddress } from '../message.ts';
import { listPages, listSignatures, readMove } from './moves.ts';
import { RpcError, type Rpc } from '../rpc/rpc.ts';
import { signaturePage } from '../rpc/signature-page.ts';

interface Account {
  wallet: string;
  mint: string;
}

const readAtOnce = 8;
const lookAgainMs = 500;
const finalWithinMs = 60_000;
/** https://docs.rs/solana-rpc-client-api: JSON_RPC_SERVER_ERROR_MIN_CONTEXT_SLOT_NOT_REACHED */
const slotNotReached = -32_016;

/**
 * The newest signature of the USDC account at `confirmed`, also of one that does not exist now; null when it was never
 * used. @throws what `Rpc.call` throws
 */
export const newestMove = async (rpc: Rpc, { wallet, mint }: Account): Promise<string | null> => {
  const range = { commitment: 'confirmed', limit: 1 } as const;
  const [newest] = await signaturePage(rpc, tokenAccountAddress(wallet, mint), range);
  return newest?.signature ?? null;
};

/** Oldest first. @throws AppError `chain_unreachable`, or what `Rpc.call` throws */
export async function* readHistory(
  rpc: Rpc,
  account: Account,
  { after, slot, wanted }: HistoryScan,
): AsyncGenerator<TokenMove[]> {
  const scan = { ...account, commitment: 'finalized', until: after } as const;
  const listed = await onceFinal(() => listSignatures(rpc, { ...scan, minContextSlot: slot }));
  const newest = listed[0];
  const chosen = listed.toReversed().filter((one) => one === newest || wanted(described(one)));
  for (let from = 0; from < chosen.length; from += readAtOnce) {
    yield await Promise.all(chosen.slice(from, from + readAtOnce).map((one) => readMove(rpc, scan, one)));
  }
}

/** Newest first. @throws what `Rpc.call` throws */
export async function* listHistory(rpc: Rpc, account: Account): AsyncGenerator<ListedMove[]> {
  for await (const page of listPages(rpc, { ...account, commitment: 'finalized', until: null }))
    yield page.map(described);
}

export const described = ({ signature, slot, blockTime, err }: Listed): ListedMove => ({
  signature,
  slot,
  blockTime: blockTime == null ? null : blockTime * 1_000,
  failed: err !== null,
});

/** `minContextSlot` makes an RPC refuse until that slot is final: otherwise what is only confirmed would be missing. */
const onceFinal = async <T>(ask: () => Promise<T>): Promise<T> => {
  const deadline = performance.now() + finalWithinMs;
  for (;;) {
    try {
      return await ask();
    } catch (error) {
      if (!(error instanceof RpcError) || error.rpcCode !== slotNotReached) throw error;
      if (performance.now() > deadline) {
        throw new AppError(
          'chain_unreachable',
          'The Solana RPC has finalized nothing for a minute.',
          {},
          { cause: error },
        );
      }
    }
    await new Promise((resolve) => setTimeout(resolve, lookAgainMs));
  }
};
