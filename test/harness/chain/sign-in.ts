// A person with a Solana wallet signs in for a link session.
import { generateKeyPairSync, sign, type KeyObject } from 'node:crypto';
import { createSignInMessageText } from '@solana/wallet-standard-util';
import bs58 from 'bs58';
import type { Client } from '../http-client.ts';

export interface TestWallet {
  address: string;
  privateKey: KeyObject;
}

export const newWallet = (): TestWallet => {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519');
  const bytes = publicKey.export({ format: 'der', type: 'spki' }).subarray(-32);
  return { address: bs58.encode(bytes), privateKey };
};

/** Returns the token that completes this link; the wallet has to be one of the owner's identities. */
export const signIn = async (client: Client, token: string, wallet: TestWallet): Promise<string> => {
  const path = `/v1/link-sessions/${token}/wallet`;
  const nobody = { token: null, owner: null };
  const { body: challenge } = await client.post(path, {}, nobody);
  const text = createSignInMessageText({
    ...challenge,
    domain: challenge['domain'],
    address: wallet.address,
  });
  const message = Buffer.from(text);
  const { body, text: said } = await client.post(
    `${path}/proof`,
    {
      address: wallet.address,
      message: message.toString('base64'),
      signature: sign(null, message, wallet.privateKey).toString('base64'),
    },
    nobody,
  );
  if (typeof body['token'] !== 'string') throw new Error(`not signed in: ${said}`);
  return body['token'];
};
