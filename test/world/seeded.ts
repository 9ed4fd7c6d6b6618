// One source of chance for a whole process: what the product draws at random comes from a seed, so that the same seed
// gives the same ids, salts and keys. It is never undone, so it needs a process of its own.
import { createHash } from 'node:crypto';
import { createRequire, syncBuiltinESMExports } from 'node:module';
import timers from 'node:timers/promises';

type Fill = (bytes: Uint8Array) => Uint8Array;

export interface Chance {
  /** Begins again: what is drawn from now on depends on this text alone. */
  reseed(seed: string): void;
}

/** Replaces the random numbers and the promised timers of Node. Call it before the product is imported. */
export const installChance = (): Chance => {
  let seed = '';
  let drawn = 0;
  const hash = createHash;
  const fill: Fill = (bytes) => {
    for (let at = 0; at < bytes.length; at += 32) {
      drawn += 1;
      bytes.set(
        hash('sha256')
          .update(`${seed}/${drawn}`)
          .digest()
          .subarray(0, bytes.length - at),
        at,
      );
    }
    return bytes;
  };
  const number = (): number => Buffer.from(fill(new Uint8Array(4))).readUInt32LE() / 2 ** 32;
  const uuid = (): string => {
    const hex = Buffer.from(fill(new Uint8Array(16))).toString('hex');
    return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20)}`;
  };
  Math.random = number;
  const crypto = createRequire(import.meta.url)('node:crypto') as Record<string, unknown>;
  crypto['randomBytes'] = (size: number) => Buffer.from(fill(new Uint8Array(size)));
  crypto['randomFillSync'] = fill;
  crypto['randomUUID'] = uuid;
  crypto['randomInt'] = (low: number, high?: number) =>
    high === undefined ? Math.floor(number() * low) : low + Math.floor(number() * (high - low));
  Object.assign(globalThis.crypto, { getRandomValues: fill, randomUUID: uuid });
  // The promised timers keep the simulated time too.
  const promised = timers as unknown as Record<string, unknown>;
  promised['setTimeout'] = (ms: number, value: unknown) =>
    new Promise((resolve) => setTimeout(resolve, ms, value));
  syncBuiltinESMExports();
  return {
    reseed(next) {
      seed = next;
      drawn = 0;
    },
  };
};
