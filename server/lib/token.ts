// Bearer tokens and other secrets of 256 bits. They cannot be guessed, and only their hashes are kept.
import { hash, randomBytes } from 'node:crypto';

/** A fresh token: the prefix says what it is for. */
export const newToken = (prefix: string): string => prefix + newSecret();

/** 43 characters of base64url. */
export const newSecret = (): string => randomBytes(32).toString('base64url');

/** SHA-256, which is kept in place of a token and compared in constant time. */
export const digestOf = (token: string): Buffer => hash('sha256', token, 'buffer');
