// Bugs of the gate and of a seller's first sale, each with the test that has to catch it.
import type { TestTrial } from './caught-by-tests.ts';
import { one, type Bug } from '../planted-bugs.ts';

const gate = 'test/gate/gate.test.ts';
const relay = 'server/gate/relay.ts';
const target = 'server/gate/target.ts';
const firstSale = 'test/paywall/first-sale.test.ts';

export const bugsOfTheGate: readonly (Bug & TestTrial)[] = [
  {
    name: 'gt01: a segment that hides a slash until it is decoded once more',
    edits: one(target, 'again !== segment && isAmbiguous(again)', "again !== segment && again === '..'"),
    file: gate,
    title: 'is refused: /summaries/a%252fb',
  },
  {
    name: 'gt02: a route that is matched without regard to case',
    edits: one(
      target,
      "read(decode(one) ?? '') === segments[at]",
      "read(decode(one) ?? '').toLowerCase() === segments[at]?.toLowerCase()",
    ),
    file: gate,
    title: 'is matched byte for byte: GET /Report is 404',
  },
  {
    name: 'gt03: the client’s copy of an injected header passed on',
    edits: one(relay, "!own.has(name.toLowerCase().replaceAll('_', '-'))", '!own.has(name)'),
    file: gate,
    title: 'is the request, with the secret in place of the client’s',
  },
  {
    name: 'gt04: a server that works on for a client that hung up',
    edits: one(relay, '      onward.destroy();\n', ''),
    file: 'test/gate/relay.test.ts',
    title: 'ends behind the gate when the client hangs up',
  },
  {
    name: 'gt05: a server that hung up after the grant is no failure',
    edits: one('server/gate/gate.ts', 'passed.status : 502', 'passed.status : 200'),
    file: gate,
    title: 'and hangs up is said with its payment',
  },
  {
    name: 'gt06: the headers of the server behind it taken for those of a payment',
    edits: one(relay, ' || ofPayments.test(lower)', ''),
    file: gate,
    title: 'is the answer, without payment headers',
  },
  {
    name: 'gt07: header values beyond ASCII written as UTF-8',
    edits: one(relay, 'if (headers.every(([, value]) => /^[\\x20-\\x7e\\t]*$/.test(value))) ', ''),
    file: 'test/gate/relay.test.ts',
    title: 'is as it came',
  },
  {
    name: 'gt08: the environment read into the names of fields',
    edits: one(
      'server/gate/file.ts',
      "if (key === 'key' || typeof node.value !== 'string') return;",
      "if (typeof node.value !== 'string') return;",
    ),
    file: 'test/gate/file.test.ts',
    title: 'with a mistake in line 5',
  },
  {
    name: 'gt09: a 402 as large as its schemas',
    edits: one('server/paywall/bazaar.ts', 'const mostExtension = 4_608;', 'const mostExtension = 460_800;'),
    file: 'test/paywall/discovery.test.ts',
    title: 'stays small: a large schema is in openapi.json alone',
  },
  {
    name: 'gt10: a wallet on the sandbox whose account nobody opens',
    edits: one('server/paywall/payable.ts', "    await call('sandbox_fundUsdc', [recipient, '0']);\n", ''),
    file: firstSale,
    title: 'is opened on the sandbox, and paid',
  },
  {
    name: 'gt11: a facilitator’s refusal that nobody hears of',
    edits: one('server/paywall/core.ts', '  say(`x402 is not offered: ${why}`);\n', ''),
    file: firstSale,
    title: 'refuses is said once',
  },
  {
    name: 'gt12: an MPP payment refused for the name of the host',
    edits: one('server/paywall/dialects/mpp.ts', "String(challenge['realm'])", "'127.0.0.1'"),
    file: firstSale,
    title: 'is the host, and a payment under another name of it is served',
  },
];
