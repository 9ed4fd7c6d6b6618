// The Merkle tree hash of RFC 6962, section 2.1, over lines of text: computed one line at a time, in memory that grows
// with the logarithm of their number. https://www.rfc-editor.org/rfc/rfc6962#section-2.1
import { createHash } from 'node:crypto';

export interface MerkleTree {
  add(line: string): void;
  count(): number;
  /** In hex. */
  root(): string;
}

interface Subtree {
  size: number;
  hash: Buffer;
}

const sha256 = (...parts: readonly Uint8Array[]): Buffer => {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(part);
  return hash.digest();
};

// Different first bytes: no line can pass for an inner node.
const leafPrefix = Buffer.of(0);
const nodePrefix = Buffer.of(1);

export const createMerkleTree = (): MerkleTree => {
  /** Complete subtrees, the largest first, each smaller than the one before it. */
  const subtrees: Subtree[] = [];
  let count = 0;
  return {
    add(line) {
      count += 1;
      let next: Subtree = { size: 1, hash: sha256(leafPrefix, Buffer.from(line)) };
      for (let last = subtrees.at(-1); last?.size === next.size; last = subtrees.at(-1)) {
        subtrees.pop();
        next = { size: 2 * next.size, hash: sha256(nodePrefix, last.hash, next.hash) };
      }
      subtrees.push(next);
    },
    count: () => count,
    root() {
      const hashes = subtrees.map(({ hash }) => hash);
      const whole = hashes.reduceRight<Buffer | null>(
        (right, left) => (right === null ? left : sha256(nodePrefix, left, right)),
        null,
      );
      return (whole ?? sha256()).toString('hex');
    },
  };
};
