// The keys behind 24 words by the standards alone (BIP-39, SLIP-10), with none of the treasury's code: what any other wallet, or
// anybody else with the words, can do.
import { createHmac, createPrivateKey, createPublicKey, pbkdf2Sync, type KeyObject } from 'node:crypto';
import bs58 from 'bs58';

const hardened = (index: number): Buffer => {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE((index | 0x80_00_00_00) >>> 0);
  return bytes;
};

/** The key at m/44'/501'/index'/0'. */
export const keyOfWords = (words: string, index: number): KeyObject => {
  const seed = pbkdf2Sync(words.normalize('NFKD'), 'mnemonic', 2_048, 64, 'sha512');
  let node = createHmac('sha512', 'ed25519 seed').update(seed).digest();
  for (const step of [44, 501, index, 0])
    node = createHmac('sha512', node.subarray(32))
      .update(Buffer.concat([Buffer.from([0]), node.subarray(0, 32), hardened(step)]))
      .digest();
  const der = Buffer.concat([Buffer.from('302e020100300506032b657004220420', 'hex'), node.subarray(0, 32)]);
  return createPrivateKey({ key: der, format: 'der', type: 'pkcs8' });
};

export const addressOfKey = (key: KeyObject): string =>
  bs58.encode(createPublicKey(key).export({ format: 'der', type: 'spki' }).subarray(-32));
