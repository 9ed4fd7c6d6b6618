// Bugs of what a paid answer leads to, of equal requests, and of what goes to sellers, each with the test that has to catch it.
import type { TestTrial } from './caught-by-tests.ts';
import { one, type Bug } from '../planted-bugs.ts';

const answer = 'server/engine/purchase/answer.ts';
const headers = 'server/http/proxy/headers.ts';
const wishes = 'server/contract/payments/wishes.ts';
const call = 'test/http/proxy/one-call.test.ts';
const passing = 'test/http/proxy/headers.test.ts';
const room = 'test/engine/answers.test.ts';
const fetching = 'test/client/treasury-fetch.test.ts';

export const bugsOfMendedSales: readonly (Bug & TestTrial)[] = [
  {
    name: 'sale01: a client follows a redirect that was paid for',
    edits: one(answer, 'askAgain.has(name) ? `x-treasury-${name}` : name', 'name'),
    file: call,
    title: 'pays at most once whatever the status',
  },
  {
    name: 'sale02: a paid answer asks for a repetition',
    edits: one(answer, "'x-should-retry': 'false'", ''),
    file: call,
    title: 'pays at most once whatever the status',
  },
  {
    name: 'sale03: a paid answer that delivers nothing ends the purchase',
    edits: one('server/engine/purchase/kept.ts', ': isDelivery(answer);', ': true;'),
    file: call,
    title: 'counts an answer that is no delivery as had after ten minutes',
  },
  {
    name: 'sale04: a paid answer has a head that no client takes',
    edits: one(headers, 'payment === null ? sellers : bounded(sellers, ours)', 'sellers'),
    file: call,
    title: 'has an answer whose head has 20 KB',
  },
  {
    name: 'sale05: a purchase is continued for a day from its request',
    edits: one(
      'server/engine/payment/machine/continuation.ts',
      'return Math.max(createdAt,',
      'return Math.min(createdAt,',
    ),
    file: 'test/engine/continuation.test.ts',
    title: 'for a day from its end, however late its owner decided',
  },
  {
    name: 'sale06: an unknown header makes another request',
    edits: one(wishes, 'headersCompared.test(name)', "name !== 'traceparent'"),
    file: fetching,
    title: 'whatever else its headers say',
  },
  {
    name: 'sale07: a header that selects makes no other request',
    edits: one(wishes, 'version|betas?|', ''),
    file: fetching,
    title: 'is told apart by what its headers ask',
  },
  {
    name: 'sale08: a secret behind another word leaves',
    edits: one('server/http/own-secrets.ts', '(?=([a-z]{3}_[\\w-]{43}))', '([a-z]{3}_[\\w-]{43})'),
    file: passing,
    title: 'in the query, behind another word does not leave',
  },
  {
    name: 'sale09: a paid fetch takes a secret to a seller',
    edits: one('server/host/proxy.ts', 'refuseSecrets(call.caller, call.params.agentId, call.body);', ''),
    file: passing,
    title: 'in a header does not leave, nor by a paid fetch',
  },
  {
    name: 'sale10: a cache keeps what leaves by the public address',
    edits: one(headers, "if (door === 'public') return 'no-store';", ''),
    file: passing,
    title: 'keeps no answer that leaves by the public address',
  },
  {
    name: 'sale11: a cache has a header of its own to keep a paid answer by',
    edits: one(headers, '!(isPrivate && forCaches.test(name))', "name !== 'cache-control'"),
    file: passing,
    title: 'of several clients on this machine keeps no paid answer',
  },
  {
    name: 'sale12: an offer is paid however long the payment waited for room',
    edits: one('server/engine/purchase/ask-first.ts', 'if (hasWaited) {', 'if (!held) {'),
    file: room,
    title: 'two of 32 MiB at once, the third afterwards',
  },
  {
    name: 'sale13: an encoded slash hides a segment of dots',
    edits: one('server/http/proxy/place.ts', 'path.split(/\\/|%2f/i)', "path.split('/')"),
    file: passing,
    title: '/a%2f..%2Fb is 400',
  },
  {
    name: 'sale14: a client keeps the key of a request that was never sent',
    edits: one('server/client/package/treasury-fetch.ts', 'if (isEnded || isUnused)', 'if (isEnded)'),
    file: fetching,
    title: 'is not left of a request that was never sent',
  },
  {
    name: 'sale15: Python forgets the key of a request that was cancelled under way',
    edits: one(
      'build/python/agent_treasury/_paying.py',
      '                key.may_be_used = True\n            try:',
      '                pass\n            try:',
    ),
    file: 'test/client/packages.test.ts',
    title: 'passes test_a_task_that_is_cancelled_goes_on_with_its_payment',
  },
  {
    name: 'sale16: a 402 in zstd asks for nothing',
    edits: one('server/x402/sellers.ts', "  ['zstd', zstdDecompressSync],\n", ''),
    file: 'test/x402/dialects/sellers.test.ts',
    title: 'is read in the coding zstd',
  },
];
