// The mailbox: one address per treasury that every remote word names, so that words can be found. Strangers can write
// there too.
import type { Chain, MailboxLine } from '../engine/ports.ts';
import { AppError } from '../errors.ts';
import { signaturesForAddressAnswer, transactionAnswer } from './answers.ts';
import { wordIn } from './remote-word.ts';
import { RpcError, type Rpc } from './rpc.ts';
import type { Subscriptions } from './subscriptions.ts';

const page = 1_000;
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
}: Deps): Pick<Chain, 'mailboxLines' | 'remoteWord' | 'onMailbox'> => ({
  mailboxLines: (mailbox, after) => listLines(rpc, mailbox, after),

  async remoteWord({ signature, isFinal }) {
    const commitment = isFinal ? 'finalized' : 'confirmed';
    const landed = await readTransaction(rpc, signature, commitment);
    if (landed === null) return null;
    const word = wordIn(Buffer.from(landed.transaction[0], 'base64'), treasury);
    // The RPC showed another transaction than the one that it listed.
    if (word === null || word.signature !== signature || landed.meta.err !== null) return null;
    return { ...word, at: landed.blockTime == null ? null : landed.blockTime * 1_000 };
  },

  onMailbox: (mailbox, told) =>
    subscriptions.subscribe(
      'logsSubscribe',
      [{ mentions: [mailbox] }, { commitment: 'confirmed' }],
      { once: false },
      told,
    ),
});

const listLines = async (rpc: Rpc, mailbox: string, after: string | null): Promise<MailboxLine[]> => {
  const found: MailboxLine[] = [];
  for (;;) {
    const before = found.at(-1)?.signature;
    const range = {
      ...(before === undefined ? {} : { before }),
      ...(after === null ? {} : { until: after }),
    };
    const params = [mailbox, { commitment: 'confirmed', limit: page, ...range }];
    const listed = await rpc.call('getSignaturesForAddress', params, signaturesForAddressAnswer);
    for (const { signature, confirmationStatus } of listed)
      found.push({ signature, isFinal: confirmationStatus === 'finalized' });
    if (listed.length < page) return found.toReversed();
  }
};

const readTransaction = async (rpc: Rpc, signature: string, commitment: string) => {
  const options = { encoding: 'base64', commitment, maxSupportedTransactionVersion: 0 };
  try {
    const landed = await rpc.call('getTransaction', [signature, options], transactionAnswer);
    if (landed !== null) return landed;
  } catch (error) {
    if (error instanceof RpcError && error.code === unknownVersion) return null;
    throw error;
  }
  throw new AppError(
    'chain_unreachable',
    `The Solana RPC lists transaction ${signature} and does not show it.`,
  );
};
