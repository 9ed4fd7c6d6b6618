// The runtime in TypeScript does what the real one does. `npm run runtime-diff` compares many more transactions.
import { describe, expect, test } from 'vitest';
import { hasLiteSvm, withLiteSvm } from '../../harness/runtime.ts';
import { compareLife, foundText, newTally } from '../../lab/runtime/differential.ts';

describe('the runtime in TypeScript', () => {
  test.skipIf(!hasLiteSvm).each([1, 2, 3, 4, 5, 6])(
    withLiteSvm('does what LiteSVM does, life %i'),
    (seed) => {
      const found = compareLife(seed, 150, newTally());
      expect(found && foundText(found)).toBe(null);
    },
  );
});
