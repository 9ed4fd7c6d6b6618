// Small named secrets beside the root, in one sealed file: heads of journal checkpoints, API keys of image providers.
import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { z } from 'zod';
import { readPrivate, replacePrivate } from '../lib/files/durable-files.ts';
import { damaged } from './records.ts';

interface Secrets {
  get(name: string): Buffer | undefined;
  set(name: string, bytes: Uint8Array): void;
  /** Drops what is in memory. */
  forget(): void;
}

const fileSchema = z.strictObject({
  format: z.literal('agent-treasury secrets v1'),
  nonce: z.base64(),
  sealed: z.base64(),
});
const entriesSchema = z.array(z.tuple([z.string(), z.base64()]));

const CIPHER = 'aes-256-gcm';
const TAG_BYTES = 16;

export const secretsFile = (dataDir: string): string => join(dataDir, 'vault-secrets.json');

/**
 * Secrets sealed as a whole, names included, under `key` (32 bytes; throws AppError `locked`).
 * @throws AppError `locked` (reason `damaged`), from both calls, when the file does not open; it then stays as it is
 */
export const createSecrets = (dataDir: string, key: () => Buffer): Secrets => {
  const path = secretsFile(dataDir);
  let known: Map<string, string> | undefined;

  const load = (): Map<string, string> => {
    const secretKey = key();
    if (known) return known;
    const text = readPrivate(path);
    known = new Map(text === undefined ? [] : open(text, secretKey));
    return known;
  };

  const open = (text: string, secretKey: Buffer): [string, string][] => {
    try {
      const { nonce, sealed } = fileSchema.parse(JSON.parse(text));
      const bytes = Buffer.from(sealed, 'base64');
      const decipher = createDecipheriv(CIPHER, secretKey, Buffer.from(nonce, 'base64'), {
        authTagLength: TAG_BYTES,
      });
      decipher.setAuthTag(bytes.subarray(-TAG_BYTES));
      const plain = Buffer.concat([decipher.update(bytes.subarray(0, -TAG_BYTES)), decipher.final()]);
      return entriesSchema.parse(JSON.parse(plain.toString()));
    } catch {
      throw damaged(path);
    }
  };

  const save = (entries: Map<string, string>): void => {
    const nonce = randomBytes(12);
    const cipher = createCipheriv(CIPHER, key(), nonce);
    const plain = Buffer.from(JSON.stringify([...entries]));
    const sealed = Buffer.concat([cipher.update(plain), cipher.final(), cipher.getAuthTag()]);
    plain.fill(0);
    const file = {
      format: 'agent-treasury secrets v1',
      nonce: nonce.toString('base64'),
      sealed: sealed.toString('base64'),
    };
    replacePrivate(path, `${JSON.stringify(file)}\n`);
  };

  return {
    get: (name) => {
      const found = load().get(name);
      return found === undefined ? undefined : Buffer.from(found, 'base64');
    },
    set: (name, bytes) => {
      const entries = new Map(load()).set(name, Buffer.from(bytes).toString('base64'));
      save(entries);
      known = entries;
    },
    forget: () => {
      known = undefined;
    },
  };
};
