// Bugs of sign-ins at sellers, each with the test that has to catch it.
import type { TestTrial } from './bugs-caught-by-tests.ts';
import { one, type Bug } from './planted-bugs.ts';

const prove = 'server/engine/purchase/prove-purchase.ts';
const dialect = 'server/x402/dialects/sign-in-with-x.ts';
const hostile = 'test/x402/sign-in-with-x.test.ts';

export const bugsOfSignIns: readonly (Bug & TestTrial)[] = [
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
