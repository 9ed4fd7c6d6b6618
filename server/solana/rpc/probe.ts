// The needs that a treasury has of a Solana RPC, and a probe of one RPC for all of them. Each method is asked about the treasury's
// own account, so that an RPC without its history is found.
import bs58 from 'bs58';
import { z } from 'zod';
import type { Log } from '../../log.ts';
import { openSocket } from './reconnecting-socket.ts';
import { createRpc, RpcError, type Rpc } from './rpc.ts';
import { tokenAccountAddress } from '../message.ts';

export interface RpcFault {
  /** A method, or `websocket`. */
  what: string;
  /** What the RPC answered, as a clause. */
  answer: string;
  /** What does not work without it, as a sentence. */
  without: string;
  /** False: the treasury does without it, more slowly or more expensively. */
  isNeeded: boolean;
}

interface Need {
  without: string;
  isNeeded: boolean;
}

const need = (without: string): Need => ({ without, isNeeded: true });
const wish = (without: string): Need => ({ without, isNeeded: false });

const noPayment = 'Nothing can be paid.';
const noHistory = 'Deposits are never listed, and a debit by somebody who has your keys is never found.';
const heldForEver = 'A payment that never reached the chain keeps its money reserved.';

/** Every method that this program calls, as the table in build/docs/operating.md lists them. */
export const rpcNeeds = {
  getGenesisHash: need('A start cannot check the chain, and nothing is paid.'),
  getLatestBlockhash: need(noPayment),
  getEpochInfo: need(noPayment),
  sendTransaction: need(noPayment),
  getMultipleAccounts: need('Balances of USDC are unknown, and nothing can be paid.'),
  getBalance: need('The SOL for fees is unknown, and nothing can be paid.'),
  getMinimumBalanceForRentExemption: need('No payee without a USDC account can be paid.'),
  getSignatureStatuses: need('No payment is ever confirmed.'),
  getSignaturesForAddress: need(noHistory),
  getTransaction: need(noHistory),
  getBlockHeight: need(heldForEver),
  getFirstAvailableBlock: need(heldForEver),
  isBlockhashValid: need(heldForEver),
  getTokenAccountsByOwner: need('USDC outside of a wallet’s usual account is not seen.'),
  getAccountInfo: need('A cold wallet cannot be read, and a multisig cannot be paid.'),
  getSlot: need('Answers from your phone are not read.'),
  getBlockTime: wish('This machine’s clock is not compared with the chain’s.'),
  getRecentPrioritizationFees: wish(
    'Payments offer no priority fee, and may be slow when the chain is busy.',
  ),
  websocket: wish('Confirmations and deposits are seen up to ten seconds later.'),
} as const satisfies Record<string, Need>;

interface ProbeOptions {
  rpcUrl: string;
  /** Null: this RPC's websocket is not used. */
  wsUrl: string | null;
  treasury: string;
  mint: string;
  log: Log;
}

const answersWithinMs = 5_000;
const recent = { commitment: 'confirmed' };
const noSignature = bs58.encode(new Uint8Array(64));

/**
 * Asks one after another, so that an RPC with a limit of requests is not asked for all at once.
 * `down`: the RPC gave no answer, for this reason, which says nothing of its methods.
 */
export const probeRpc = async (options: ProbeOptions): Promise<RpcFault[] | { down: string }> => {
  const { rpcUrl, wsUrl, treasury, mint } = options;
  const rpc = createRpc(rpcUrl, { withinMs: answersWithinMs });
  const account = tokenAccountAddress(treasury, mint);
  const faults: RpcFault[] = [];
  const answers = new Map<string, unknown>();
  const ask = async (what: keyof typeof rpcNeeds, params: readonly unknown[]): Promise<void> => {
    try {
      answers.set(what, await rpc.call(what, params, z.unknown()));
    } catch (error) {
      const answer = refusalOf(what, error);
      if (answer !== null) faults.push({ what, answer, ...rpcNeeds[what] });
    }
  };
  try {
    await ask('getGenesisHash', []);
    await ask('getLatestBlockhash', [recent]);
    await ask('getEpochInfo', [recent]);
    await ask('getSlot', [recent]);
    await ask('getBlockHeight', [recent]);
    await ask('getFirstAvailableBlock', []);
    await ask('isBlockhashValid', [blockhashIn(answers.get('getLatestBlockhash')), recent]);
    await ask('getBlockTime', [slotIn(answers.get('getEpochInfo'))]);
    await ask('getBalance', [treasury, recent]);
    await ask('getMultipleAccounts', [[account], { ...recent, encoding: 'base64' }]);
    await ask('getAccountInfo', [account, { ...recent, encoding: 'base64' }]);
    await ask('getTokenAccountsByOwner', [treasury, { mint }, { ...recent, encoding: 'base64' }]);
    await ask('getMinimumBalanceForRentExemption', [165]);
    await ask('getRecentPrioritizationFees', [[account]]);
    await ask('getSignatureStatuses', [[noSignature], { searchTransactionHistory: true }]);
    await ask('sendTransaction', ['', { encoding: 'base64' }]);
    const line = await newestLine(rpc, [treasury, account], faults);
    await ask('getTransaction', [
      line ?? noSignature,
      { ...recent, encoding: 'base64', maxSupportedTransactionVersion: 0 },
    ]);
    if (line !== null && answers.get('getTransaction') === null)
      faults.push({
        what: 'getTransaction',
        answer: 'it lists a transaction and does not show it',
        ...rpcNeeds.getTransaction,
      });
  } catch (error) {
    options.log.debug({ err: error }, 'an RPC could not be probed to the end');
    return { down: rpc.state().why ?? 'its answer does not have the form of the method' };
  } finally {
    rpc.close();
  }
  if (wsUrl !== null && !(await opensSocket(wsUrl, account, options.log)))
    faults.push({ what: 'websocket', answer: 'no subscription could be made', ...rpcNeeds.websocket });
  return faults;
};

/** The newest signature of an account of the treasury; null when there is none. */
const newestLine = async (
  rpc: Rpc,
  accounts: readonly string[],
  faults: RpcFault[],
): Promise<string | null> => {
  const lines = z.array(z.object({ signature: z.string() }));
  for (const account of accounts)
    try {
      const [newest] = await rpc.call('getSignaturesForAddress', [account, { ...recent, limit: 1 }], lines);
      if (newest !== undefined) return newest.signature;
    } catch (error) {
      const answer = refusalOf('getSignaturesForAddress', error);
      if (answer === null) continue;
      faults.push({ what: 'getSignaturesForAddress', answer, ...rpcNeeds.getSignaturesForAddress });
      return null;
    }
  return null;
};

/** Methods that an honest RPC may refuse here: the transaction is empty, and the slot may have no block. */
const mayRefuse: readonly string[] = ['sendTransaction', 'getBlockTime'];
/** JSON-RPC's code for a method that is not there, and Solana's for a node without history. */
const absent: readonly number[] = [-32_601, -32_011];

/** Null: the refusal shows that the method is there. @throws every error but a refusal */
const refusalOf = (what: string, error: unknown): string | null => {
  if (!(error instanceof RpcError)) throw error;
  if (mayRefuse.includes(what) && !absent.includes(error.rpcCode)) return null;
  const { message } = error.cause as Error;
  return `it refuses ${what} (error ${error.rpcCode}${message === '' ? '' : `: ${message}`})`;
};

const blockhashIn = (answer: unknown): string =>
  z.object({ value: z.object({ blockhash: z.string() }) }).safeParse(answer).data?.value.blockhash ?? noHash;
const noHash = bs58.encode(new Uint8Array(32));
const slotIn = (answer: unknown): number =>
  z.object({ absoluteSlot: z.number() }).safeParse(answer).data?.absoluteSlot ?? 0;

/** Whether the websocket takes a subscription to this account. */
const opensSocket = (wsUrl: string, account: string, log: Log): Promise<boolean> =>
  new Promise((resolve) => {
    const end = (isThere: boolean): void => {
      clearTimeout(timer);
      socket.close();
      resolve(isThere);
    };
    const timer = setTimeout(() => end(false), answersWithinMs);
    const params = [account, { ...recent, encoding: 'base64' }];
    const socket = openSocket(
      wsUrl,
      {
        onOpen: () => socket.send({ jsonrpc: '2.0', id: 1, method: 'accountSubscribe', params }),
        onText: (text) => end(/"result"\s*:\s*\d/.test(text)),
      },
      log,
    );
  });
