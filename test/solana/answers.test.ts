// What a question requires of its answer: a length, an order, and that it answers this question and no other.
import bs58 from 'bs58';
import { describe, expect, it } from 'vitest';
import type { z } from 'zod';
import {
  blockhashAnswer,
  blockTimeAnswer,
  genesisAnswer,
  mostBytesOf,
  pageLength,
  signaturesAnswer,
  statusesAnswer,
  tokenAccountsAnswer,
  transactionAnswer,
} from '../../server/solana/answers.ts';

const signature = (n: number): string => bs58.encode(Buffer.alloc(64, n));
const entry = (n: number, slot = 100 - n) => ({ signature: signature(n), slot, err: null, blockTime: 1 });
const context = { slot: 1 };
const status = { slot: 1, err: null, confirmationStatus: 'finalized' };
const key = bs58.encode(Buffer.alloc(32, 9));
/** One signature, then what would be the message. */
const wire = (n: number): string =>
  Buffer.concat([Buffer.of(1), Buffer.alloc(64, n), Buffer.of(5)]).toString('base64');
const transaction = (n: number, slot: number) => ({
  slot,
  blockTime: null,
  transaction: [wire(n), 'base64'],
  meta: { err: null, fee: 5_000 },
});
const page = { limit: 3, before: signature(8), until: signature(9) };

const refused: [string, z.ZodType, unknown][] = [
  ['statuses of fewer signatures than were looked up', statusesAnswer(2), { context, value: [status] }],
  ['statuses of more', statusesAnswer(1), { context, value: [null, status] }],
  ['fewer accounts than were read', tokenAccountsAnswer(2), { context, value: [null] }],
  ['a page longer than was asked for', signaturesAnswer(page), [1, 2, 3, 4].map((n) => entry(n))],
  ['a page of which slots rise', signaturesAnswer(page), [entry(2), entry(1)]],
  ['a page with an entry twice', signaturesAnswer(page), [entry(1, 5), entry(1, 5)]],
  ['a page with the entry below which it begins', signaturesAnswer(page), [entry(8)]],
  ['a page with the entry above which it ends', signaturesAnswer(page), [entry(9)]],
  ['a page with a signature that is none', signaturesAnswer(page), [{ ...entry(1), signature: key }]],
  ['another transaction', transactionAnswer({ signature: signature(1) }), transaction(2, 7)],
  [
    'a transaction in another slot',
    transactionAnswer({ signature: signature(1), slot: 8 }),
    transaction(1, 7),
  ],
  ['a time before 1970', blockTimeAnswer, -1],
  ['a time in milliseconds of a year far away', blockTimeAnswer, 8_640_000_000_000],
  ['half a second', blockTimeAnswer, 1.5],
  [
    'a blockhash that is none',
    blockhashAnswer,
    { context, value: { blockhash: 'abc', lastValidBlockHeight: 1 } },
  ],
  ['a genesis hash of 64 bytes', genesisAnswer, signature(1)],
];
it.each(refused)('refuses %s', (_, schema, value) => {
  expect(schema.safeParse(value).success).toBe(false);
});

it('takes the answers of an honest node', () => {
  expect(statusesAnswer(2).parse({ context, value: [null, status] }).value).toHaveLength(2);
  expect(signaturesAnswer(page).parse([entry(1, 5), entry(2, 5), entry(3, 4)])).toHaveLength(3);
  expect(transactionAnswer({ signature: signature(1), slot: 7 }).parse(transaction(1, 7))).toMatchObject({
    slot: 7,
  });
  expect(transactionAnswer({ signature: signature(1) }).parse(null)).toBe(null);
  expect(genesisAnswer.parse(key)).toBe(key);
});

describe('a long list of nonsense', () => {
  it('has one fault, and not one for each entry', () => {
    const { error } = signaturesAnswer({ limit: pageLength }).safeParse(
      Array.from({ length: 100_000 }, () => ({})),
    );
    expect(error?.issues).toHaveLength(1);
  });
});

it('a page of memos as long as strangers can make them fits into the bound of its method', () => {
  // A transaction of 1,232 bytes has room for 1,030 of a memo; JSON makes six of each.
  const memo = '\u0001'.repeat(1_030);
  const longest = { ...entry(1), memo: `[1030] ${memo}`, confirmationStatus: 'finalized' };
  expect(1_000 * (JSON.stringify(longest).length + 1)).toBeLessThan(mostBytesOf('getSignaturesForAddress'));
});
