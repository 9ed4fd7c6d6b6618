// Bugs of 402s that are not quite as the protocols say. Each with the test that has to catch it.
import type { TestTrial } from './bugs-caught-by-tests.ts';
import { one, type Bug } from './planted-bugs.ts';

const official = 'test/x402/official/odd-402.test.ts';
const mpp = 'test/x402/dialects/mpp.test.ts';

export const bugsOfOddSellers: readonly (Bug & TestTrial)[] = [
  {
    name: 'odd01: a token account is paid as if it were a wallet',
    edits: one(
      'server/solana/chain.ts',
      'return value === null || !tokenPrograms.has(value.owner);',
      'return true;',
    ),
    file: official,
    title: 'a token account as the payee',
  },
  {
    name: 'odd02: an account is opened for an address that no key signs for',
    edits: one('server/engine/records/funds.ts', 'else if (!chain.isWallet(payee))', 'else if (false)'),
    file: 'test/http/payments.test.ts',
    title: 'the address of a program’s account',
  },
  {
    name: 'odd03: the signer opens an account for an address off the curve',
    edits: one('server/vault/transfer.ts', 'if (row.opensAccount) walletBytes(payee);', ''),
    file: 'test/vault/signer.test.ts',
    title: 'that opens an account for a token account',
  },
  {
    name: 'odd04: an amount that readers round differently',
    edits: one(
      'server/x402/dialects/fields.ts',
      'Number.isSafeInteger(value) ? String(value) : value',
      "typeof value === 'number' ? String(value) : value",
    ),
    file: 'test/x402/dialects/sellers.test.ts',
    title: 'beyond what readers agree on',
  },
  {
    name: 'odd05: half an id of a challenge counts as its id',
    edits: one('server/x402/dialects/challenges.ts', "if (more !== '' && isBound) return null;", ''),
    file: mpp,
    title: 'p id="1"x',
  },
  {
    name: 'odd06: a challenge that has expired is paid',
    edits: one(
      'server/x402/dialects/mpp.ts',
      '.refine((text) => timeIn(text) > now(), ',
      '.refine(() => true, ',
    ),
    file: mpp,
    title: 'expires at',
  },
  {
    name: 'odd07: a body speaks where the header of the 402 is broken',
    edits: one(
      'server/x402/dialects/x402-v2.ts',
      'if (header === null) return',
      'if (header === null || decodeObject(header, "base64") === null) return',
    ),
    file: 'test/x402/dialects/x402.test.ts',
    title: 'is read where its body alone has the offer',
  },
];
