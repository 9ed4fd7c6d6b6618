// Bugs of what sellers ask and say: payments split among several recipients, and signed statements. Each with the test that
// has to catch it.
import type { TestTrial } from './bugs-caught-by-tests.ts';
import { one, type Bug } from './planted-bugs.ts';

const engine = 'test/engine/splits.test.ts';
const statements = 'test/x402/dialects/signed-statements.test.ts';

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
];
