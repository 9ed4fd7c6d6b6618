// Reads one transaction from a Solana RPC, in one round trip.
import { z } from 'zod';
import { AppError, invariant } from '../errors.ts';
import { isGenesisOf } from '../contract/treasury/networks.ts';
import type { Network } from '../lib/solana/receipt.ts';
import { createRpcClient } from './rpc-client.ts';

const tokenBalanceSchema = z.object({
  accountIndex: z.number().int(),
  mint: z.string(),
  owner: z.string().optional(),
  uiTokenAmount: z.object({
    amount: z
      .string()
      .regex(/^\d{1,20}$/)
      .transform(BigInt),
  }),
});

// Seconds, up to the last that a Date can hold.
const blockTimeSchema = z.number().int().min(0).max(8_640_000_000_000);

const transactionSchema = z.object({
  blockTime: blockTimeSchema.nullish(),
  meta: z.object({
    err: z.unknown(),
    fee: z.number().int().min(0).optional(),
    preTokenBalances: z.array(tokenBalanceSchema).nullish(),
    postTokenBalances: z.array(tokenBalanceSchema).nullish(),
    loadedAddresses: z.object({ writable: z.array(z.string()), readonly: z.array(z.string()) }).nullish(),
  }),
  transaction: z.object({
    signatures: z.array(z.string()).min(1),
    message: z.object({
      accountKeys: z.array(z.string()),
      instructions: z.array(
        z.object({ programIdIndex: z.number().int(), accounts: z.array(z.number().int()), data: z.string() }),
      ),
    }),
  }),
});

/** The part of getTransaction's answer that we read; `blockTime` in seconds. */
export type RpcTransaction = z.infer<typeof transactionSchema> & { blockTime: number };
export type Commitment = 'confirmed' | 'finalized';

export interface TransactionReader {
  /**
   * Null when the chain does not show the transaction at `commitment`.
   * @throws AppError `chain_unreachable` for no answer, an error or nonsense, or an RPC of another network
   */
  read(txSignature: string, commitment: Commitment): Promise<RpcTransaction | null>;
  /** Any other method. @throws as `read` does; the RPC's own error is the cause */
  call(method: string, params: unknown[]): Promise<unknown>;
  /** The newest block's time in Unix milliseconds. @throws as `read` does */
  chainTime(): Promise<number>;
}

const answerSchema = z.object({
  result: z.unknown().optional(),
  error: z.object({ code: z.number(), message: z.string() }).nullish(),
});

export const createTransactionReader = (options: {
  rpcUrl: string;
  network: Network;
  timeoutMs: number;
}): TransactionReader => {
  const { rpcUrl, network, timeoutMs } = options;
  const client = createRpcClient(new URL(rpcUrl), timeoutMs);
  let pinned: string | null = null;
  let chain: Promise<void> | null = null;

  const call = async (method: string, params: unknown[]): Promise<unknown> => {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
    const answer = answerSchema.parse(JSON.parse(await client.post(body)));
    if (answer.error) throw new Error(`${method}: ${answer.error.message} (${answer.error.code})`);
    return answer.result;
  };

  // With a URL of another chain, worthless coins would pay for real goods.
  const confirmChain = async (): Promise<void> => {
    const hash = z.string().parse(await call('getGenesisHash', []));
    invariant(isGenesisOf(network, hash), `the RPC's genesis hash ${hash} is not that of ${network}`);
    invariant(pinned === null || pinned === hash, `the RPC's genesis hash changed from ${pinned} to ${hash}`);
    pinned = hash;
  };

  const ask = async <T>(question: () => Promise<T>): Promise<T> => {
    try {
      await (chain ??= confirmChain());
      return await question();
    } catch (cause) {
      // After a failure another node may answer under this URL: check its genesis hash again.
      chain = null;
      throw new AppError('chain_unreachable', 'The Solana RPC is unavailable at the moment', undefined, {
        cause,
      });
    }
  };

  return {
    read: (txSignature, commitment) =>
      ask(async () => {
        const config = { commitment, encoding: 'json', maxSupportedTransactionVersion: 0 };
        const result = await call('getTransaction', [txSignature, config]);
        if (result === null) return null;
        const transaction = transactionSchema.parse(result);
        invariant(
          transaction.transaction.signatures[0] === txSignature,
          'the RPC returned the requested transaction',
        );
        const { blockTime } = transaction;
        // A node knows a block's time a little later than the block.
        return blockTime === null || blockTime === undefined ? null : { ...transaction, blockTime };
      }),
    call: (method, params) => ask(() => call(method, params)),
    chainTime: () =>
      ask(async () => {
        const slot = await call('getSlot', [{ commitment: 'confirmed' }]);
        return blockTimeSchema.parse(await call('getBlockTime', [slot])) * 1000;
      }),
  };
};
