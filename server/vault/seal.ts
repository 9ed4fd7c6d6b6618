// Seals the root secret under a passphrase: scrypt, then AES-256-GCM, which also authenticates the header.
import { createCipheriv, createDecipheriv, randomBytes, scrypt } from 'node:crypto';
import { refuse } from './errors.ts';
import { sealedHeader, type Identity, type RootRecord, type Seal } from './records.ts';

export interface ScryptCost {
  N: number;
  r: number;
  p: number;
}

/** OWASP's first choice for scrypt: 128 MiB and about half a second. https://cheatsheetseries.owasp.org */
export const strongCost: ScryptCost = { N: 2 ** 17, r: 8, p: 1 };
/** For a key of 256 random bits, which cannot be guessed. */
export const keyFileCost: ScryptCost = { N: 2 ** 12, r: 8, p: 1 };

const MIN_PASSPHRASE = 8;
const TAG_BYTES = 16;

/** @throws AppError `bad_request` when it has fewer than 8 characters */
export const checkNewPassphrase = (passphrase: string): void => {
  if ([...passphrase].length < MIN_PASSPHRASE)
    throw refuse('passphrase_too_short', `A passphrase needs at least ${MIN_PASSPHRASE} characters.`);
};

/** The record of a root sealed under the passphrase. */
export const sealRoot = async (
  root: Uint8Array,
  passphrase: string,
  identity: Identity,
  cost: ScryptCost,
): Promise<RootRecord> => {
  const seal: Seal = {
    kdf: 'scrypt',
    ...cost,
    salt: randomBytes(32).toString('base64'),
    cipher: 'aes-256-gcm',
    nonce: randomBytes(12).toString('base64'),
  };
  const key = await keyOf(passphrase, seal);
  const cipher = createCipheriv(seal.cipher, key, Buffer.from(seal.nonce, 'base64'));
  cipher.setAAD(sealedHeader(identity, seal));
  const sealed = Buffer.concat([cipher.update(root), cipher.final(), cipher.getAuthTag()]);
  key.fill(0);
  return { ...identity, seal, root: sealed.toString('base64') };
};

/** The root of a sealed record. @throws AppError `forbidden` (reason `wrong_passphrase`) when it does not open */
export const unsealRoot = async (record: RootRecord, seal: Seal, passphrase: string): Promise<Buffer> => {
  const key = await keyOf(passphrase, seal);
  const sealed = Buffer.from(record.root, 'base64');
  try {
    const decipher = createDecipheriv(seal.cipher, key, Buffer.from(seal.nonce, 'base64'), {
      authTagLength: TAG_BYTES,
    });
    decipher.setAAD(sealedHeader(record, seal));
    decipher.setAuthTag(sealed.subarray(-TAG_BYTES));
    return Buffer.concat([decipher.update(sealed.subarray(0, -TAG_BYTES)), decipher.final()]);
  } catch {
    throw refuse('wrong_passphrase', 'The passphrase does not open this vault. Nothing has been changed.');
  } finally {
    key.fill(0);
  }
};

const keyOf = (passphrase: string, { N, r, p, salt }: Seal): Promise<Buffer> =>
  new Promise((resolve, reject) => {
    // Keyboards compose accented letters differently; NFKC makes the same text the same bytes.
    const password = Buffer.from(passphrase.normalize('NFKC'));
    const maxmem = 128 * N * r * 2 + 128 * r * p;
    scrypt(password, Buffer.from(salt, 'base64'), 32, { N, r, p, maxmem }, (error, key) => {
      password.fill(0);
      if (error) reject(error);
      else resolve(key);
    });
  });
