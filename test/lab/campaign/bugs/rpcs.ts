// Bugs of the way to the RPCs, each with the test that has to catch it.
import type { TestTrial } from './caught-by-tests.ts';
import { one, type Bug } from '../planted-bugs.ts';

const rpc = 'server/solana/rpc/rpc.ts';
const answers = 'server/solana/rpc/answers.ts';
const failover = 'server/solana/rpc/failover.ts';
const calls = 'test/solana/rpc.test.ts';
const two = 'test/solana/failover.test.ts';

export const bugsOfRpcs: readonly (Bug & TestTrial)[] = [
  {
    name: 'rpc01: a call has no deadline',
    edits: one(rpc, 'setTimeout(() => controller.abort(late()), withinMs)', 'setTimeout(() => {}, withinMs)'),
    file: calls,
    title: 'an answer that drips',
  },
  {
    name: 'rpc02: an answer may be as large as it likes',
    edits: one('server/solana/rpc/http-connection.ts', 'if (size > mostBytes)', 'if (size > 2 ** 25)'),
    file: calls,
    title: 'larger than any of its method',
  },
  {
    name: 'rpc03: too many requests concern the call that met them alone',
    edits: one('server/solana/rpc/busy-gate.ts', 'if (opensAt > now) {', 'if (opensAt > now && isPatient) {'),
    file: calls,
    title: 'is asked by no call until it wants to be',
  },
  {
    name: 'rpc04: an RPC is shown with the key in its URL',
    edits: one(rpc, 'const { host } = new URL(url);', 'const host = url;'),
    file: calls,
    title: 'a URL is cut to its host',
  },
  {
    name: 'rpc05: a list may be shorter than was asked for',
    edits: one(answers, 'listWhere((one) => one === length,', 'listWhere((one) => one <= length,'),
    file: 'test/solana/rpc.test.ts',
    title: 'statuses of fewer signatures',
  },
  {
    name: 'rpc06: any transaction answers for any signature',
    edits: one(answers, '(one) => wanted?.equals(one) === true,', '(one) => one.length === wanted?.length,'),
    file: 'test/solana/rpc.test.ts',
    title: 'another transaction',
  },
  {
    name: 'rpc07: the pages of a list come from any RPC',
    edits: one('server/solana/history/moves.ts', 'const node = rpc.pinned?.() ?? rpc;', 'const node = rpc;'),
    file: two,
    title: 'the pages of one list',
  },
  {
    name: 'rpc08: a transaction goes to the first RPC alone',
    edits: one(
      failover,
      'Promise.any(nodes.map((node) => node.call(...question)))',
      'Promise.any([first.call(...question)])',
    ),
    file: two,
    title: 'a transaction goes to both nodes',
  },
  {
    name: 'rpc09: an RPC that is down is asked first all the same',
    edits: one(failover, '(isDown(node) ? 2 : node.isBusy() ? 1 : 0)', '(node.isBusy() ? 1 : 0)'),
    file: two,
    title: 'is silent is skipped until it answers',
  },
  {
    name: 'rpc10: an RPC that is down is never tried again',
    edits: one(failover, 'for (const node of nodes.filter(isDown))', 'for (const node of nodes.slice(2))'),
    file: two,
    title: 'is probed, and asked first again',
  },
  {
    name: 'rpc11: each failure of a chain out of reach is logged',
    edits: one('server/log.ts', 'repeatedAfterMs) return true;', 'repeatedAfterMs) return false;'),
    file: 'test/log.test.ts',
    title: 'once a minute for the same reason',
  },
  {
    name: 'rpc12: one of two RPCs makes a deposit larger',
    edits: one(failover, 'moneyIn(other) !== moneyIn(one)', 'moneyIn(other) === null'),
    file: two,
    title: 'are not believed when one node shows another amount',
  },
  {
    name: 'rpc13: an RPC of an unknown chain is asked where the other fails',
    edits: one(
      'server/solana/rpc/when-checked.ts',
      'callOnce: gated(rpc.callOnce)',
      'callOnce: rpc.callOnce',
    ),
    file: two,
    title: 'before the chain was checked',
  },
];
