// Ed25519 as nodes check it: strictly, so that a key or a commitment of small order signs nothing. The OpenSSL of Node
// refuses these by itself; not every library under `node:crypto` does, such as Electron's.
import { createPublicKey, verify, type KeyObject } from 'node:crypto';

import { keyText } from '../../../lib/solana/wire.ts';

const spkiPrefix = Buffer.from('302a300506032b6570032100', 'hex');

export const isSignature = (signature: Uint8Array, message: Uint8Array, key: Uint8Array): boolean => {
  if (isSmallOrder(key) || isSmallOrder(signature.subarray(0, 32))) return false;
  return verify(null, message, keyObject(key), signature);
};

/** Of the last signers, who are mostly the same few. */
const keyObjects = new Map<string, KeyObject>();
const mostKeyObjects = 1_000;

const keyObject = (key: Uint8Array): KeyObject => {
  const text = keyText(key);
  const known = keyObjects.get(text);
  if (known) return known;
  const der = Buffer.concat([spkiPrefix, key]);
  const made = createPublicKey({ key: der, format: 'der', type: 'spki' });
  if (keyObjects.size >= mostKeyObjects) keyObjects.clear();
  keyObjects.set(text, made);
  return made;
};

const prime = 2n ** 255n - 19n;
/** The y of a point of order 8. */
const eighth = 2707385501144840649318225287225658788936804267575313519463743609750303402022n;

/** The y of all points whose order divides 8, also in the encodings that are not the shortest. */
const smallOrders = new Set(
  [0n, 1n, prime - 1n, eighth, prime - eighth, prime, prime + 1n].map((y) =>
    y.toString(16).padStart(64, '0'),
  ),
);

/** The first byte of a point of small order is one of few, which spares the others the look-up. */
const firstBytes = new Set([...smallOrders].map((text) => Number.parseInt(text.slice(-2), 16)));

const isSmallOrder = (point: Uint8Array): boolean => {
  if (!firstBytes.has(point[0] ?? 0)) return false;
  const bytes = Buffer.from(point.toReversed());
  bytes[0] = (bytes[0] ?? 0) & 0x7f;
  return smallOrders.has(bytes.toString('hex'));
};
