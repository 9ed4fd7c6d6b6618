// Bugs of what RPCs are believed, and of debits that no payment explains, each with the test that has to catch it.
import type { TestTrial } from './caught-by-tests.ts';
import { one, type Bug } from '../planted-bugs.ts';

const expiry = 'server/solana/expiry.ts';
const witnesses = 'server/solana/rpc/witnesses.ts';
const debits = 'server/engine/records/debits.ts';
const lying = 'test/engine/lying-rpc.test.ts';

export const bugsOfWitnesses: readonly (Bug & TestTrial)[] = [
  {
    name: 'w01: a failure by the status alone',
    edits: one(expiry, 'move === null || !move.failed ||', 'move === null ||'),
    file: lying,
    title: 'is not believed as long as it shows the transaction as paid',
  },
  {
    name: 'w02: a blockhash that the node still takes',
    edits: one(expiry, "if (answer.value) return 'the RPC still takes its blockhash';", ''),
    file: 'test/solana/expiry.test.ts',
    title: 'whose blockhash the node still takes are not',
  },
  {
    name: 'w03: a lifetime by the first RPC alone',
    edits: one(
      'server/solana/lifetimes.ts',
      'Math.max(lastValidBlockHeight, ...elsewhere.map((height) => height + sanelyLeft.most))',
      'lastValidBlockHeight',
    ),
    file: lying,
    title: 'gets no expiry proved of bytes that it keeps back',
  },
  {
    name: 'w04: a payment confirmed by one RPC of two',
    edits: one(
      witnesses,
      'other.slot !== common.slot) return null;',
      'other.slot !== common.slot) return common;',
    ),
    file: lying,
    title: 'gets no receipt for it',
  },
  {
    name: 'w05: a payment that failed explains its debit',
    edits: one('server/engine/payment/decision/explained.ts', '!isVoid(named) ? named', 'true ? named'),
    file: lying,
    title: 'is found out by the debit',
  },
  {
    name: 'w06: a lower balance without a mark',
    edits: one(
      'server/engine/records/balances.ts',
      'if (isEntered && before !== undefined) noteShortfall',
      'if (isEntered && before === undefined) noteShortfall',
    ),
    file: lying,
    title: 'about a theft leaves a mark',
  },
  {
    name: 'w07: a mark that stays when the balance is right again',
    edits: one('server/engine/records/balances.ts', 'else if (now > expected)', 'else if (now < 0n)'),
    file: lying,
    title: 'with a lower balance stops nothing',
  },
  {
    name: 'w08: a foreign debit that ends no key',
    edits: one(
      debits,
      "return endCredentials(context, agentId, 'A debit was found that no payment explains.');",
      'return [];',
    ),
    file: 'test/engine/invariant-7.test.ts',
    title: 'stops a wallet within one reading',
  },
  {
    name: 'w16: a debit explained by the row of another wallet',
    edits: one(
      'server/engine/payment/decision/explained.ts',
      'debited === undefined || (row',
      'true || (row',
    ),
    file: 'test/engine/invariant-7.test.ts',
    title: 'finds what one transaction took from two wallets in both',
  },
  {
    name: 'w17: a theft within what is pending',
    edits: one(
      'server/engine/records/balances.ts',
      'if (now < expected) changeShortfall',
      'if (missing > 0n) changeShortfall',
    ),
    file: 'test/engine/invariant-7.test.ts',
    title: 'smaller than what a payment was about to take',
  },
  {
    name: 'w09: a foreign debit that never counts as spent',
    edits: one(debits, 'enterDebit(context, { wallet, other, move, source }, store.newestTime());', ';'),
    file: 'test/engine/invariant-7.test.ts',
    title: 'stops a wallet within one reading',
  },
  {
    name: 'w10: a slot far ahead is believed',
    edits: one(
      'server/solana/rpc/slots.ts',
      '    if (isPossible(slot)) return;\n    throw',
      '    if (slot > 0) return;\n    throw',
    ),
    file: lying,
    title: 'with a slot far ahead',
  },
  {
    name: 'w11: a stored slot far ahead is kept',
    edits: one('server/engine/records/funds.ts', '  store.wallets.forgetBeyond(latest);\n', ''),
    file: lying,
    title: 'is forgotten at the next comparison',
  },
  {
    name: 'w12: a block time years ahead',
    edits: one(
      'server/engine/payment/machine/see.ts',
      'Math.min(blockTime, time.now() + toleranceMs)',
      'blockTime',
    ),
    file: lying,
    title: 'uses no budget up for years',
  },
  {
    name: 'w13: a deposit dropped by one answer',
    edits: one('server/engine/records/deposits.ts', ' && (await chain.isUnlisted(deposit))', ''),
    file: lying,
    title: 'drops no deposit that the history shows',
  },
  {
    name: 'w14: a failure proved by the first RPC alone',
    edits: one(witnesses, 'for (const rpc of others) {', 'for (const rpc of others.slice(1)) {'),
    file: 'test/solana/expiry.test.ts',
    title: 'of one RPC alone releases nothing',
  },
];
