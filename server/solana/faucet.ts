// Test money from a chain that gives it away: the sandbox does, no public network does.
import { AppError } from '../errors.ts';
import { signatureAnswer } from './rpc/answers.ts';
import { createRpc, RpcError } from './rpc/rpc.ts';

export interface Faucet {
  /**
   * Opens the wallet's token account and mints micro-USDC into it; 0 only opens it. Returns the transaction's signature.
   * @throws AppError `not_available` when this chain has no faucet
   */
  fund(wallet: string, units: bigint): Promise<string>;
  /** @throws AppError `not_available` as above */
  airdrop(wallet: string, lamports: bigint): Promise<string>;
  close(): void;
}

const methodNotFound = -32_601;

export const createFaucet = (rpcUrl: string): Faucet => {
  const rpc = createRpc(rpcUrl);
  const call = async (method: string, params: readonly unknown[]): Promise<string> => {
    try {
      return await rpc.call(method, params, signatureAnswer);
    } catch (error) {
      if (!(error instanceof RpcError) || error.rpcCode !== methodNotFound) throw error;
      throw new AppError(
        'not_available',
        'This Solana RPC gives no test money. Send USDC and some SOL to the treasury.',
      );
    }
  };
  return {
    fund: (wallet, units) => call('sandbox_fundUsdc', [wallet, units.toString()]),
    airdrop: (wallet, lamports) => call('requestAirdrop', [wallet, Number(lamports)]),
    close: rpc.close,
  };
};
