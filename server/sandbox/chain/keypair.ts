// Ed25519 keys of the sandbox's own accounts.
import { createPrivateKey, createPublicKey, sign } from 'node:crypto';

export interface Keypair {
  readonly address: Uint8Array;
  sign(message: Uint8Array): Uint8Array;
}

const pkcs8Prefix = Buffer.from('302e020100300506032b657004220420', 'hex');

export const keypairFromSeed = (seed: Uint8Array): Keypair => {
  const secret = createPrivateKey({ key: Buffer.concat([pkcs8Prefix, seed]), format: 'der', type: 'pkcs8' });
  const address = createPublicKey(secret).export({ format: 'der', type: 'spki' }).subarray(-32);
  return { address, sign: (message) => sign(null, message, secret) };
};
