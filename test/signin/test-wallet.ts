// A wallet with real signatures, as in the Wallet Standard.
import { ed25519 } from '@noble/curves/ed25519';
import type { SolanaSignInInput } from '@solana/wallet-standard-features';
import { createSignInMessage } from '@solana/wallet-standard-util';
import bs58 from 'bs58';

export interface TestWallet {
  address: string;
  publicKey: Uint8Array;
  sign(message: Uint8Array): Uint8Array;
  /** The page's proof: a signature of `input` by this wallet, for its own address unless `input` names another. */
  signIn(input: SolanaSignInInput): { address: string; message: string; signature: string };
}

export const base64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64');

export const createTestWallet = (): TestWallet => {
  const secretKey = ed25519.utils.randomSecretKey();
  const publicKey = ed25519.getPublicKey(secretKey);
  const address = bs58.encode(publicKey);
  const sign = (message: Uint8Array): Uint8Array => ed25519.sign(message, secretKey);
  return {
    address,
    publicKey,
    sign,
    signIn(input) {
      const message = createSignInMessage({ domain: '', address, ...input });
      return { address, message: base64(message), signature: base64(sign(message)) };
    },
  };
};
