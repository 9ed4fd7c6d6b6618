// The owner's bearer tokens, kept as hashes. A headless host writes one to a file that only this user can read.
import { hash, randomBytes, timingSafeEqual } from 'node:crypto';
import { rmSync, writeFileSync } from 'node:fs';

export interface OwnerTokens {
  isOwner(token: string): boolean;
  /** Writes a new token, 0600, and returns the file's path. */
  writeCookie(file: string): void;
  close(): void;
}

const digest = (token: string): Buffer => hash('sha256', token, 'buffer');

export const createOwnerTokens = (): OwnerTokens => {
  const hashes: Buffer[] = [];
  const files: string[] = [];
  return {
    isOwner(token) {
      const given = digest(token);
      return hashes.some((known) => timingSafeEqual(known, given));
    },
    writeCookie(file) {
      const token = `own_${randomBytes(32).toString('base64url')}`;
      // Removed first: the mode of a file that exists would stay what it was.
      rmSync(file, { force: true });
      writeFileSync(file, token, { mode: 0o600, flag: 'wx' });
      hashes.push(digest(token));
      files.push(file);
    },
    close() {
      for (const file of files) rmSync(file, { force: true });
      hashes.length = 0;
    },
  };
};
