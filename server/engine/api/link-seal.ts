// Seals the API key of a linked machine with HPKE (RFC 9180). The private key is the poll secret, so that only its
// holder can open the seal. The treasury keeps the public key and a hash.
import { AEAD_AES_256_GCM, CipherSuite, KDF_HKDF_SHA256, KEM_DHKEM_X25519_HKDF_SHA256 } from 'hpke';

const suite = new CipherSuite(KEM_DHKEM_X25519_HKDF_SHA256, KDF_HKDF_SHA256, AEAD_AES_256_GCM);
const encapsulatedBytes = 32;
const options = { info: Buffer.from('agent-treasury link v1') };

/** A new poll secret, 32 bytes in base64url, and the public key to seal for. */
export const newPollSecret = async (): Promise<{ pollSecret: string; publicKey: Buffer }> => {
  const pair = await suite.GenerateKeyPair(true);
  return {
    pollSecret: Buffer.from(await suite.SerializePrivateKey(pair.privateKey)).toString('base64url'),
    publicKey: Buffer.from(await suite.SerializePublicKey(pair.publicKey)),
  };
};

export const sealFor = async (publicKey: Uint8Array, apiKey: string): Promise<Buffer> => {
  const recipient = await suite.DeserializePublicKey(publicKey);
  const { encapsulatedSecret, ciphertext } = await suite.Seal(recipient, Buffer.from(apiKey), options);
  return Buffer.concat([encapsulatedSecret, ciphertext]);
};

/** @throws when this secret does not open it */
export const openWith = async (
  pollSecret: string,
  publicKey: Uint8Array,
  sealed: Uint8Array,
): Promise<string> => {
  const pair = {
    privateKey: await suite.DeserializePrivateKey(Buffer.from(pollSecret, 'base64url')),
    publicKey: await suite.DeserializePublicKey(publicKey),
  };
  const [secret, text] = [sealed.subarray(0, encapsulatedBytes), sealed.subarray(encapsulatedBytes)];
  return Buffer.from(await suite.Open(pair, secret, text, options)).toString();
};
