// Ed25519 keys of the sandbox's own accounts, and addresses derived from programs.
import { createPrivateKey, createPublicKey, hash, sign } from 'node:crypto';

import { programs } from './account.ts';

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

export const associatedTokenAddress = (owner: Uint8Array, mint: Uint8Array): Uint8Array =>
  programAddress([owner, programs.token, mint], programs.associatedToken).address;

/** The first address of these seeds that no key can sign for, and how many were looked at. */
export const programAddress = (
  seeds: readonly Uint8Array[],
  program: Uint8Array,
): { address: Uint8Array; tries: number } => {
  for (let bump = 255; bump >= 0; bump--) {
    const address = hash(
      'sha256',
      Buffer.concat([...seeds, Uint8Array.of(bump), program, Buffer.from('ProgramDerivedAddress')]),
      'buffer',
    );
    if (!isOnCurve(address)) return { address, tries: 256 - bump };
  }
  throw new Error('No bump gives an address off the curve.');
};

const prime = 2n ** 255n - 19n;
const d = 37095705934669439343138083508754565189542113879843219016388785533085940283555n;

/** Whether these bytes are a point of Ed25519: whether (y² - 1) / (d y² + 1) is a square. */
const isOnCurve = (bytes: Uint8Array): boolean => {
  const y = BigInt(`0x${Buffer.from(bytes.toReversed()).toString('hex')}`) & (2n ** 255n - 1n);
  const square = (y * y) % prime;
  const ratio = ((square - 1n + prime) * (d * square + 1n)) % prime;
  return ratio === 0n || power(ratio, (prime - 1n) / 2n) === 1n;
};

const power = (base: bigint, exponent: bigint): bigint => {
  let result = 1n;
  let factor = base;
  for (let rest = exponent; rest > 0n; rest >>= 1n) {
    if (rest & 1n) result = (result * factor) % prime;
    factor = (factor * factor) % prime;
  }
  return result;
};
