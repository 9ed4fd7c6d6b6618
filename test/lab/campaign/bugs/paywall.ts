// Bugs of the seller's paywall, each with the test that has to catch it.
import type { TestTrial } from './caught-by-tests.ts';
import { one, type Bug } from '../planted-bugs.ts';

const dialects = 'test/paywall/dialects.test.ts';

export const bugsOfThePaywall: readonly (Bug & TestTrial)[] = [
  {
    name: 'pw01: any transfer of the price taken for an MPP payment',
    edits: one(
      'server/paywall/check-payment.ts',
      'if (memo === null) return null;',
      "if (memo?.startsWith('at:') !== true) return null;",
    ),
    file: dialects,
    title: 'is refused for another memo',
  },
  {
    name: 'pw02: an MPP challenge that came back with other terms',
    edits: one(
      'server/paywall/dialects/mpp.ts',
      'if (!isIssued(challenge, invoice))',
      'if (canonicalize(challenge) === canonicalize({}))',
    ),
    file: dialects,
    title: 'is refused with a later expiry',
  },
  {
    name: 'pw03: an x402 payment settled for an invoice that was granted',
    edits: one(
      'server/paywall/dialects/x402.ts',
      '(await store.isInvoiceUsed?.(id)) ? invoiceUsed : null',
      "(await store.isInvoiceUsed?.(id)) && id === '' ? invoiceUsed : null",
    ),
    file: dialects,
    title: 'an invoice that was granted is not settled again',
  },
  {
    name: 'pw04: an x402 payment for a request that was never quoted',
    edits: one(
      'server/paywall/dialects/x402-v2.ts',
      'checkBinding(invoice, print);',
      'checkBinding(invoice, invoice ?? print);',
    ),
    file: dialects,
    title: 'is valid for the request that was asked',
  },
  {
    name: 'pw05: a refund made again on the word of a node that lags behind',
    edits: one('server/paywall/refund.ts', ' && slot >= absoluteSlot', ' && slot > 0'),
    file: 'test/paywall/once.test.ts',
    title: 'is not replaced on the word of a node that lags behind',
  },
  {
    name: 'pw06: an x402 payload that an observer shows while it is settled',
    edits: one('server/paywall/dialects/x402.ts', 'underWay.has(one)', 'underWay.has(`${one}.`)'),
    file: dialects,
    title: 'that an observer rebuilds from the chain is refused, and its payer is served',
  },
  {
    name: 'pw07: a refund signed on a blockhash that brings instructions of its own',
    edits: one('server/lib/solana/wire.ts', 'blockhash.length !== 32', 'blockhash.length < 32'),
    file: 'test/paywall/once.test.ts',
    title: 'is not signed on a blockhash that brings instructions of its own',
  },
];
