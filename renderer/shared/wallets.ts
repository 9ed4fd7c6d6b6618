// This browser's wallets, found by the Wallet Standard.
import type {
  SolanaSignInFeature,
  SolanaSignMessageFeature,
  SolanaSignTransactionFeature,
} from '@solana/wallet-standard-features';
import { getWallets } from '@wallet-standard/app';
import type { Wallet, WalletAccount } from '@wallet-standard/base';
import { AppError } from '../../server/errors.ts';
import { Unreachable } from '../api/unreachable.ts';

interface ConnectFeature {
  'standard:connect': { connect(): Promise<{ accounts: readonly WalletAccount[] }> };
}

/** The features that matter here; a wallet may lack any of them. */
export type Features = Partial<
  SolanaSignInFeature & SolanaSignMessageFeature & SolanaSignTransactionFeature & ConnectFeature
>;
export const featuresOf = ({ features }: Wallet): Features => features as Features;

const { get, on } = getWallets();

/** For `useSyncExternalStore`; wallets may register later. */
export const subscribe = (changed: () => void): (() => void) => {
  const ends = [on('register', changed), on('unregister', changed)];
  return () => ends.forEach((end) => end());
};
export const allWallets = get;

export const isOnSolana = ({ chains }: Wallet): boolean =>
  chains.some((chain) => chain.startsWith('solana:'));

export const base64 = (bytes: Uint8Array): string => btoa(String.fromCodePoint(...bytes));

/** Wallets report a refusal in many ways; 4001 is the most common code. */
export const refusalBy = (wallet: string, error: unknown): Error => {
  if (error instanceof AppError || error instanceof Unreachable) return error;
  const { code, message } = (error ?? {}) as { code?: unknown; message?: unknown };
  const said = typeof message === 'string' ? message : String(error);
  if (code === 4001 || /reject|refuse|den(?:y|ied)|decline|cancel|close/i.test(said))
    return new Error(`You refused it in ${wallet}. Nothing was signed.`);
  return new Error(`${wallet} did not sign: ${said.replace(/\.$/, '')}.`);
};
