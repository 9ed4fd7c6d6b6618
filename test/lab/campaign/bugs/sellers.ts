// Bugs of what sellers ask and say: split payments, signed statements, 402s that are not quite as the protocols say, and
// sign-ins. Each with the test that has to catch it.
import type { TestTrial } from './caught-by-tests.ts';
import { one, type Bug } from '../planted-bugs.ts';

const engine = 'test/engine/splits.test.ts';
const statements = 'test/x402/dialects/signed-statements.test.ts';
const official = 'test/x402/official/odd-402.test.ts';
const mpp = 'test/x402/dialects/mpp.test.ts';
const prove = 'server/engine/purchase/prove-purchase.ts';
const dialect = 'server/x402/dialects/sign-in-with-x.ts';
const hostile = 'test/x402/sign-in-with-x.test.ts';

export const bugsOfSellers: readonly (Bug & TestTrial)[] = [
  {
    name: 'split01: a further recipient that no catalog pins',
    edits: one(
      'server/engine/payment/decision/pinned-payees.ts',
      'const isOther = !arePinned(service, payeesOf(intent));',
      'const isOther = !arePinned(service, [intent.payee]);',
    ),
    file: engine,
    title: 'has to be pinned',
  },
  {
    name: 'split02: a further recipient that nobody knows',
    edits: one(
      'server/engine/payment/decision/judge.ts',
      'payeesOf(intent).every((payee) => store.payees.known(intent.agentId, payee))',
      'store.payees.known(intent.agentId, intent.payee)',
    ),
    file: engine,
    title: 'has to be known',
  },
  {
    name: 'split03: a standing approval that names the payee alone',
    edits: one(
      'server/engine/payment/decision/judge.ts',
      'payees: payeesOf(intent), now',
      'payees: [intent.payee], now',
    ),
    file: engine,
    title: 'has to be named by a standing approval',
  },
  {
    name: 'split04: a blocked seller that gets a part',
    edits: one(
      'server/engine/payment/decision/judge.ts',
      'const payees = payeesOf(intent);',
      'const payees = [intent.payee];',
    ),
    file: engine,
    title: 'of a blocked service',
  },
  {
    name: 'split05: parts that the vault does not check',
    edits: one(
      'server/vault/signable-transfer.ts',
      'if (row.splits.length > 0) checkSplits',
      'if (row.splits.length > 99) checkSplits',
    ),
    file: 'test/vault/sellers-shape.test.ts',
    title: 'is never signed for a row that leaves the payee nothing',
  },
  {
    name: 'split06: parts on top of the amount',
    edits: one('server/lib/share-of.ts', 'left - split.amount', 'left - split.amount * 0n'),
    file: engine,
    title: 'is paid its part',
  },
  {
    name: 'said01: a seller’s statement that anybody signed',
    edits: one('server/x402/dialects/jws.ts', 'return isTrue ?', 'return isTrue || key !== null ?'),
    file: statements,
    title: 'do not hold for a receipt with another’s signature',
  },
  {
    name: 'said02: a receipt for another payer',
    edits: one(
      'server/x402/dialects/signed-statements.ts',
      'const fault = isOther(said, { version: 1, network, payer });',
      'const fault = isOther(said, { version: 1, network });',
    ),
    file: statements,
    title: 'do not hold for a receipt of another payer',
  },
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
  {
    name: 'sign-in01: a sign-in at an origin that was never paid',
    edits: one(prove, 'if (!store.sellerSignIns.knows(principal, origin)) return false;', ''),
    file: hostile,
    title: 'is for those alone who bought there',
  },
  {
    name: 'sign-in02: a challenge that names another host',
    edits: one(dialect, 'info.domain === asked.host && ', ''),
    file: hostile,
    title: 'of 200 hostile challenges',
  },
  {
    name: 'sign-in03: a challenge answered twice',
    edits: one(
      'server/store/seller-sign-ins.ts',
      'if (get.get(id) !== undefined) return false;',
      'if (get.get(id) !== undefined) return true;',
    ),
    file: hostile,
    title: 'is not signed again',
  },
  {
    name: 'sign-in04: sign-ins without number',
    edits: one(prove, '>= mostInAnHour', '>= Infinity'),
    file: hostile,
    title: 'signs at most 20',
  },
  {
    name: 'sign-in05: a proof that is valid for as long as the seller wishes',
    edits: one(prove, 'wished > latest || expirationTime === null', 'expirationTime === null'),
    file: 'test/x402/sign-in-with-x.test.ts',
    title: 'ends five minutes after',
  },
];
