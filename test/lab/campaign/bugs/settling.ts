// Bugs of a paywall that settles by itself, each with the test that has to catch it.
import type { TestTrial } from './caught-by-tests.ts';
import { one, type Bug } from '../planted-bugs.ts';

const judge = 'server/paywall/settle/judge.ts';
const self = 'server/paywall/settle/self.ts';
const landing = 'server/paywall/settle/landing.ts';
const records = 'server/paywall/settle/settling-records.ts';
const vectors = 'test/paywall/settle-judge.test.ts';
const limits = 'test/paywall/settle-limits.test.ts';
const order = 'test/paywall/settle-order.test.ts';
const hostile = 'test/paywall/settle-hostile.test.ts';

export const bugsOfSettling: readonly (Bug & TestTrial)[] = [
  {
    name: 'st01: the fee payer named by an instruction that it signs',
    edits: one(
      judge,
      'accounts.includes(feePayer) && !isGuard(program, data)',
      'program === feePayer && accounts.length > 0 && data.length > 0',
    ),
    file: vectors,
    title: 'a memo that the fee payer signs',
  },
  {
    name: 'st02: a guard that opens an account at the cost of a signer',
    edits: one('server/lib/solana/wallet-guards.ts', 'const firstAssertion = 2', 'const firstAssertion = 0'),
    file: vectors,
    title: 'a guard that opens an account',
  },
  {
    name: 'st03: the fee payer’s own USDC taken for the buyer’s',
    edits: one(judge, ' || source === associatedTokenAccount(mint, feePayer)', ''),
    file: vectors,
    title: 'own account as source',
  },
  {
    name: 'st04: any bid for compute units',
    edits: one(
      judge,
      'price.data.readBigUInt64LE(1) > mostPrice',
      'price.data.readBigUInt64LE(1) > 2n * mostPrice',
    ),
    file: vectors,
    title: 'with a price above 5,000,000',
  },
  {
    name: 'st05: any instruction after the transfer',
    edits: one(
      judge,
      'if (other >= 0) return codes.other(other);',
      'if (other > 9) return codes.other(other);',
    ),
    file: hostile,
    title: 'cost the fee payer nothing but the fees',
  },
  {
    name: 'st06: a second message for an offer whose first one may land',
    edits: [
      {
        file: records,
        from: `if (invoice !== null && byInvoice.get(invoice) !== undefined) return 'invoice_busy';`,
        to: '',
      },
      {
        file: records,
        from: 'CREATE UNIQUE INDEX IF NOT EXISTS paywall_settling_invoice',
        to: 'CREATE INDEX IF NOT EXISTS paywall_settling_invoice',
      },
    ],
    file: 'test/paywall/settle-crash.test.ts',
    title: 'take one of two payments',
  },
  {
    name: 'st07: an open payment that ends by a timeout',
    edits: one(
      landing,
      'proves && (await canNoLongerLand({ reader }, standing))',
      'proves && standing.lastValidBlockHeight > 0',
    ),
    file: limits,
    title: 'until it is proved expired',
  },
  {
    name: 'st08: a failure believed before it is final',
    edits: one(landing, `reader.read(txSignature, 'finalized')`, `reader.read(txSignature, 'confirmed')`),
    file: order,
    title: 'ends a payment once it is final',
  },
  {
    name: 'st09: the signature sent before its row',
    edits: one(
      self,
      '  let outcome = await store.beginSettling',
      `  await reader.call('sendTransaction', [settling.wire, { encoding: 'base64' }]);\n  let outcome = await store.beginSettling`,
    ),
    file: order,
    title: 'leaves with the row on disk',
  },
  {
    name: 'st10: a day’s limit of one process alone',
    edits: one(
      records,
      '(spent.get(limits.daySince) ?? 0) + lamports > limits.mostLamports',
      'lamports > limits.mostLamports',
    ),
    file: limits,
    title: 'of lamports a day',
  },
  {
    name: 'st11: a payment that was begun judged as a new one',
    edits: one(
      'server/paywall/dialects/x402.ts',
      '(await facilitator.hasBegun?.(payable.message)) === true ? null : await payable.whyNot()',
      'await payable.whyNot()',
    ),
    file: limits,
    title: 'when its buyer comes back',
  },
  {
    name: 'st12: failures of a wallet that count for nobody',
    edits: one(records, `state IN ('failed', 'expired') AND payer = ?`, `state IN ('open') AND payer = ?`),
    file: limits,
    title: 'of three failures an hour',
  },
];
