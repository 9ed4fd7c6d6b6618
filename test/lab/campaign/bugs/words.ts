// Bugs of the owner's words from phones, each with the test that has to catch it.
import type { TestTrial } from './caught-by-tests.ts';
import { one, type Bug } from '../planted-bugs.ts';

const hostile = { file: 'test/remote-words/hostile.test.ts', title: 'obeys none of them' };
const answers = 'test/remote-words/answers.test.ts';
const obeyWord = 'server/engine/api/phones/obey-word.ts';
const remoteWord = 'server/solana/remote-word.ts';

export const bugsOfWords: readonly (Bug & TestTrial)[] = [
  {
    name: 'word01: the signature of a word taken from the RPC',
    edits: one(remoteWord, ' || !isSignature(signature, bytes, wallet)', ''),
    ...hostile,
  },
  {
    name: 'word02: a memo that only begins right',
    edits: one(
      obeyWord,
      'word.memo === answerMemo(one, approval, request.code)',
      'word.memo.startsWith(`at:${one} `)',
    ),
    ...hostile,
  },
  {
    name: 'word03: a transaction that failed is a word',
    edits: one('server/solana/mailbox.ts', ' || landed.meta.err !== null', ''),
    ...hostile,
  },
  {
    name: 'word04: a word after the deadline',
    edits: one(obeyWord, 'if (at > approval.expiresAt)', 'if (at < 0)'),
    ...hostile,
  },
  {
    name: 'word05: a transfer from another wallet than the one that signed for it',
    edits: one(remoteWord, 'from?.equals(payer) !== true || ', ''),
    ...hostile,
  },
  {
    name: 'word06: a new phone that approves at once',
    edits: one(obeyWord, 'if (now < wallet.approvesFrom)', 'if (now < 0)'),
    file: answers,
    title: 'approves nothing in its first 24 hours',
  },
  {
    name: 'word07: the sum of 24 hours without what was approved',
    edits: one(obeyWord, 'approvedInDay({ store }, id, now) + amount', 'amount'),
    file: answers,
    title: 'approves no more than its limits',
  },
  {
    name: 'word08: paid before the words of a start were read',
    edits: one('server/engine/payment/context.ts', 'if (remoteWords.unread())', 'if (remoteWords === null)'),
    file: 'test/remote-words/freeze.test.ts',
    title: 'is obeyed before anything is paid',
  },
  {
    name: 'word09: a proof of possession that counts twice',
    edits: one('server/engine/api/phones/possession.ts', '      open.delete(proof.nonce);\n', ''),
    file: 'test/remote-words/registering.test.ts',
    title: 'is used once',
  },
  {
    name: 'word10: a flood of strangers read line by line',
    edits: one(
      'server/engine/api/phones/mailbox.ts',
      'unreadLines(mailbox).length > readAtOnce',
      'readAtOnce < 0',
    ),
    file: 'test/remote-words/freeze.test.ts',
    title: 'is set aside unread',
  },
  {
    name: 'word11: an approval obeyed while the treasury starts',
    edits: one('server/engine/api/phones/remote-words.ts', 'if (reading.isStarted) await', 'await'),
    file: 'test/world/world.test.ts',
    title: 'of seed 20260105',
  },
  {
    name: 'word12: the links of an approval on every channel',
    edits: one('server/notices/outbox.ts', '!hasPhoneLinks || ', ''),
    file: 'test/notices/outbox.test.ts',
    title: 'carries an approval',
  },
  {
    name: 'word13: a freeze that is obeyed whenever the RPC lists it',
    edits: one(
      'server/engine/api/phones/remote-words.ts',
      'if (store.phones.hasWord(word.signature)) return true;',
      '',
    ),
    file: 'test/remote-words/hidden.test.ts',
    title: 'a freeze is obeyed once',
  },
  {
    name: 'word30: a stop without the time of its block is no stop',
    edits: one(
      'server/engine/api/phones/remote-words.ts',
      '(word.at !== null && word.at <',
      '(word.at === null || word.at <',
    ),
    file: 'test/remote-words/hidden.test.ts',
    title: 'obeys a stop whose time',
  },
  {
    name: 'word31: a phone teaches the treasury a payee',
    edits: one(
      'server/engine/payment/owner/approval.ts',
      "if (from === 'desk') rememberPayee",
      'rememberPayee',
    ),
    file: answers,
    title: 'pins no payee',
  },
  {
    name: 'word34: a payment that a phone approved makes its payee known',
    edits: one('server/engine/payment/machine/see.ts', ' && !isByPhone)', ')'),
    file: answers,
    title: 'makes none known',
  },
  {
    name: 'word35: an approval of a payee covers another catalog than was shown',
    edits: one(
      'server/engine/payment/decision/judge.ts',
      "isUnpinned(service) || isDeepStrictEqual(service?.payees, approval.shown['payeesSoFar'])",
      'true',
    ),
    file: 'test/engine/payees.test.ts',
    title: 'names others again before it is signed',
  },
  {
    name: 'word36: a phone’s approval of a changed payee pays nothing',
    edits: one(
      'server/engine/payment/decision/judge.ts',
      "isDeepStrictEqual(service?.payees, approval.shown['payeesSoFar'])",
      'false',
    ),
    file: answers,
    title: 'makes none known',
  },
  {
    name: 'word32: a rolled-back copy revives a lost phone',
    edits: one(
      'server/engine/records/rollback.ts',
      'for (const wallet of store.phones.wallets())',
      'for (const wallet of [])',
    ),
    file: 'test/backup/rolled-back-copy.test.ts',
    title: 'is frozen until the chain was read',
  },
  {
    name: 'word33: a phone that has used up its day is shown the code that approves',
    edits: one(
      'server/engine/api/phones/phone-requests.ts',
      'approvedInDay({ store }, id, now) + amount',
      'amount',
    ),
    file: 'test/remote-words/answers.test.ts',
    title: 'is offered no code',
  },
  {
    name: 'cold40: a signed draw is sent again after drawing was stopped',
    edits: one(
      'server/engine/payment/context.ts',
      'transfer.source != null &&',
      'transfer.source === undefined &&',
    ),
    file: 'test/engine/draws.test.ts',
    title: 'sends no draw again',
  },
];
