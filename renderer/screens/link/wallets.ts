// The sign-in with one of this browser's wallets.
import type { SolanaSignInFeature } from '@solana/wallet-standard-features';
import { createSignInMessageText } from '@solana/wallet-standard-util';
import type { Wallet } from '@wallet-standard/base';
import type { Input, Reply } from '../../../server/contract/schemas.ts';
import { base64, featuresOf, isOnSolana, refusalBy, type Features } from '../../shared/wallets.ts';

type Challenge = Reply<'askWallet'>;
type WalletProof = NonNullable<Input<'proveWallet'>['body']>;

/** Wallets that can sign in on Solana; those with Sign In With Solana of their own come first. */
export const usableOf = (wallets: readonly Wallet[]): Wallet[] => {
  const onSolana = wallets.filter(isOnSolana);
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
