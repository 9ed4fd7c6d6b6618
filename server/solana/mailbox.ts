// The mailbox: one address per treasury that every remote word names, so that words can be found. Strangers can write
// there too.
import type { Chain } from '../engine/ports.ts';
import { AppError } from '../errors.ts';
import { slotAnswer, transactionAnswer } from './rpc/answers.ts';
import { wordIn } from './remote-word.ts';
import { RpcError, type Rpc } from './rpc/rpc.ts';
import { signaturePage } from './rpc/signature-page.ts';
import type { Subscriptions } from './rpc/subscriptions.ts';

/** JSON_RPC_SERVER_ERROR_UNSUPPORTED_TRANSACTION_VERSION: neither legacy nor version 0, so it is no word. */
const unknownVersion = -32_015;

interface Deps {
  rpc: Rpc;
  subscriptions: Subscriptions;
  treasury: string;
}

/** The part of the chain port that finds and reads remote words. */
export const createMailbox = ({
  rpc,
  subscriptions,
  treasury,
}: Deps): Pick<Chain, 'linesOf' | 'finalizedSlot' | 'remoteWord' | 'onMailbox'> => ({
  async linesOf(address, { minSlot: minContextSlot, ...range }) {
    const listed = await signaturePage(rpc, address, { commitment: 'confirmed', minContextSlot, ...range });
    return listed.map(({ signature, slot, blockTime }) => ({
      signature,
      slot,
      at: millisecondsOf(blockTime),
    }));
  },

  finalizedSlot: () => rpc.call('getSlot', [{ commitment: 'finalized' }], slotAnswer),

  async remoteWord(signature, commitment) {
    const landed = await readTransaction(rpc, signature, commitment);
    if (landed === null) return null;
    const word = wordIn(Buffer.from(landed.transaction[0], 'base64'), treasury);
    // The RPC showed another transaction than the one that was asked for.
    if (word === null || word.signature !== signature || landed.meta.err !== null) return null;
    return { ...word, at: millisecondsOf(landed.blockTime) };
  },

  onMailbox: (mailbox, onLine) =>
    subscriptions.subscribe(
      'logsSubscribe',
      [{ mentions: [mailbox] }, { commitment: 'confirmed' }],
      { once: false },
      onLine,
    ),
});

const millisecondsOf = (seconds: number | null | undefined): number | null =>
  seconds == null ? null : seconds * 1_000;

/**
 * Null: a transaction of a version that is unknown here.
 * @throws AppError `chain_unreachable` when the RPC does not show it
 */
export const readTransaction = async (rpc: Rpc, signature: string, commitment: string) => {
  const options = { encoding: 'base64', commitment, maxSupportedTransactionVersion: 0 };
  try {
    const landed = await rpc.call('getTransaction', [signature, options], transactionAnswer({ signature }));
    if (landed !== null) return landed;
  } catch (error) {
    if (error instanceof RpcError && error.rpcCode === unknownVersion) return null;
    throw error;
  }
  throw new AppError(
    'chain_unreachable',
    `The Solana RPC lists transaction ${signature} and does not show it.`,
  );
};
