// Bugs of the seller's paywall, each with the test that has to catch it.
import type { TestTrial } from './caught-by-tests.ts';
import { one, type Bug } from '../planted-bugs.ts';

const dialects = 'test/paywall/dialects.test.ts';
const invoices = 'server/paywall/invoices.ts';
const records = 'server/paywall/store/invoice-records.ts';

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
      'await invoices.find(id, print);',
      'readSigned(id, print, terms.recipient) ?? (await invoices.find(id, print));',
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
  {
    name: 'pw08: an invoice that is good for each wallet of each service',
    edits: one(invoices, '.update(seal)', '.update(JSON.stringify([method, url, bodySha256]))'),
    file: 'test/paywall/invoices.test.ts',
    title: 'of another service is refused',
  },
  {
    name: 'pw09: an invoice whose amount is outside of the MAC',
    edits: one(invoices, '.update(head)', '.update(head.subarray(0, 8))'),
    file: 'test/paywall/invoices.test.ts',
    title: 'changed is refused',
  },
  {
    name: 'pw10: any price of one who has the secret',
    edits: one(invoices, '(one.amount ?? shown.amount) === shown.amount', 'shown.amount > 0n'),
    file: 'test/paywall/invoices.test.ts',
    title: 'of a price that was never asked is refused',
  },
  {
    name: 'pw11: a former secret that ends with its invoices’ life',
    edits: one(invoices, '- terms.maxAgeMs - slackMs', ''),
    file: 'test/paywall/invoices.test.ts',
    title: 'the former answers 200',
  },
  {
    name: 'pw12: another secret that ends the invoices of the former one',
    edits: one(records, 'if (endsEarlier)\n', 'if (endsEarlier || now > 0)\n'),
    file: 'test/paywall/processes.test.ts',
    title: 'purchases while the secret changes all the time',
  },
  {
    name: 'pw13: an older copy that takes the payments without an invoice that it forgot',
    edits: one(
      'server/paywall/check-payment.ts',
      'blockTime < due.notBefore',
      'blockTime > due.notBefore + 1e15',
    ),
    file: 'test/paywall/invoices.test.ts',
    title: 'refuses what was issued or paid before',
  },
  {
    name: 'pw14: a settled payment granted for an invoice that it was not settled for',
    edits: one('server/paywall/dialects/x402.ts', '...(invoice === null ? [] : [invoice])', ''),
    file: 'test/paywall/settlement.test.ts',
    title: 'is not granted for another one',
  },
  {
    name: 'pw15: a settled payment that needs the secret of its invoice',
    edits: one(
      'server/paywall/dialects/x402-v2.ts',
      'const invoice = isSettled ? shown : found;',
      'const invoice = found;',
    ),
    file: 'test/paywall/settlement.test.ts',
    title: 'is granted by its own record, without the secret',
  },
  {
    name: 'pw16: each unpaid request kept after all',
    edits: one(
      invoices,
      'if (current === null) {',
      'if (current !== null) await store.saveInvoice({ ...invoice, id: randomBytes(16).toString("hex") });\n      if (current === null) {',
    ),
    file: 'test/paywall/invoices.test.ts',
    title: 'leave the store as it was',
  },
  {
    name: 'pw17: two refunds of parts of one payment told as one',
    edits: one('server/paywall/refund.ts', 'begun !== amount)', 'begun > amount + amount + amount)'),
    file: 'test/paywall/once.test.ts',
    title: 'is the only one, and is told with the sale',
  },
  {
    name: 'pw18: a refund of more than was paid',
    edits: one('server/paywall/refund.ts', 'units === 0n || units > paid', 'units === 0n'),
    file: 'test/paywall/once.test.ts',
    title: 'is not made',
  },
  {
    name: 'pw19: sales that count a refund that was never seen',
    edits: one(
      'server/customer/sales-text.ts',
      'refund?.landed === true ? [refund] : []',
      'refund === null ? [] : [refund]',
    ),
    file: 'test/paywall/sales.test.ts',
    title: 'count no refund that was not seen on the chain',
  },
  {
    name: 'pw20: a formula in the CSV of sales',
    edits: one('server/lib/csv.ts', 'escape_formulas: true', 'escape_formulas: false'),
    file: 'test/paywall/sales.test.ts',
    title: 'hold no formula in CSV',
  },
];
