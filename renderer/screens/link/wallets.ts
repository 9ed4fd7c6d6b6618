// This browser's wallets, found by the Wallet Standard, and the sign-in with one of them.
import type { SolanaSignInFeature, SolanaSignMessageFeature } from '@solana/wallet-standard-features';
import { createSignInMessageText } from '@solana/wallet-standard-util';
import { getWallets } from '@wallet-standard/app';
import type { Wallet, WalletAccount } from '@wallet-standard/base';
import type { Input, Reply } from '../../../server/contract/schemas.ts';
import { AppError } from '../../../server/errors.ts';
import { Unreachable } from '../../api/unreachable.ts';

type Challenge = Reply<'askWallet'>;
type WalletProof = NonNullable<Input<'proveWallet'>['body']>;

interface ConnectFeature {
  'standard:connect': { connect(): Promise<{ accounts: readonly WalletAccount[] }> };
}

/** The features that matter here; a wallet may lack any of them. */
type Features = Partial<SolanaSignInFeature & SolanaSignMessageFeature & ConnectFeature>;
const featuresOf = ({ features }: Wallet): Features => features as Features;

const { get, on } = getWallets();

/** For `useSyncExternalStore`; wallets may register later. */
export const subscribe = (changed: () => void): (() => void) => {
  const ends = [on('register', changed), on('unregister', changed)];
  return () => ends.forEach((end) => end());
};
export const allWallets = get;

/** Wallets that can sign in on Solana; those with Sign In With Solana of their own come first. */
export const usableOf = (wallets: readonly Wallet[]): Wallet[] => {
  const onSolana = wallets.filter(({ chains }) => chains.some((chain) => chain.startsWith('solana:')));
  const knowing = onSolana.filter((wallet) => featuresOf(wallet)['solana:signIn'] !== undefined);
  const signing = onSolana.filter(
    (wallet) =>
      !knowing.includes(wallet) &&
      featuresOf(wallet)['solana:signMessage'] !== undefined &&
      featuresOf(wallet)['standard:connect'] !== undefined,
  );
  return [...knowing, ...signing];
};

/** @throws Error that says whether the user refused in the wallet */
export const sign = async (wallet: Wallet, challenge: Challenge): Promise<WalletProof> => {
  const features = featuresOf(wallet);
  try {
    return features['solana:signIn'] === undefined
      ? await signMessage(features, challenge)
      : await signIn(features['solana:signIn'], challenge);
  } catch (error) {
    throw refusalBy(wallet.name, error);
  }
};

const signIn = async (
  feature: SolanaSignInFeature['solana:signIn'],
  challenge: Challenge,
): Promise<WalletProof> => {
  const [signed] = await feature.signIn(challenge);
  if (signed === undefined) throw new Error('it gave no signature');
  return proofOf(signed.account.address, signed);
};

/** For a wallet without it: the same text, built here and signed as a plain message. */
const signMessage = async (features: Features, challenge: Challenge): Promise<WalletProof> => {
  const connected = await features['standard:connect']?.connect();
  const account = connected?.accounts.find(({ features: able }) => able.includes('solana:signMessage'));
  if (account === undefined) throw new Error('it showed no account that signs messages');
  const text = createSignInMessageText({ ...challenge, address: account.address });
  const message = new TextEncoder().encode(text);
  const [signed] = (await features['solana:signMessage']?.signMessage({ account, message })) ?? [];
  if (signed === undefined) throw new Error('it gave no signature');
  return proofOf(account.address, signed);
};

const proofOf = (
  address: string,
  { signedMessage, signature }: { signedMessage: Uint8Array; signature: Uint8Array },
): WalletProof => ({ address, message: base64(signedMessage), signature: base64(signature) });

const base64 = (bytes: Uint8Array): string => btoa(String.fromCodePoint(...bytes));

/** Wallets report a refusal in many ways; 4001 is the most common code. */
export const refusalBy = (wallet: string, error: unknown): Error => {
  if (error instanceof AppError || error instanceof Unreachable) return error;
  const { code, message } = (error ?? {}) as { code?: unknown; message?: unknown };
  const said = typeof message === 'string' ? message : String(error);
  if (code === 4001 || /reject|refuse|den(?:y|ied)|decline|cancel|close/i.test(said))
    return new Error(`You refused it in ${wallet}. Nothing was signed.`);
  return new Error(`${wallet} did not sign: ${said.replace(/\.$/, '')}.`);
};
