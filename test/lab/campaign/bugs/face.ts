// Bugs of what the owner sees of the network, the keys and the SOL, each with the test that has to catch it.
import type { TestTrial } from './caught-by-tests.ts';
import { one, type Bug } from '../planted-bugs.ts';

const start = 'test/host/network.test.ts';
const notices = 'test/notices/kinds.test.ts';
const other = 'serves another chain';

export const bugsOfFace: readonly (Bug & TestTrial)[] = [
  {
    name: 'face01: a start without the network pays before the chain was checked',
    edits: [
      ...one('server/engine/payment/context.ts', '  if (waiting !== null) throw waiting;\n', ''),
      ...one('server/engine/payment/context.ts', '  if (waiting !== null) return waiting;\n', ''),
      ...one(
        'server/solana/rpc/when-checked.ts',
        'gate.isChecked() || harmless',
        'gate !== null || harmless',
      ),
    ],
    file: start,
    title: 'behind a login page',
  },
  {
    name: 'face02: what the chain shows is read before the chain was checked',
    edits: one(
      'server/solana/rpc/when-checked.ts',
      'gate.isChecked() || harmless',
      'gate !== null || harmless',
    ),
    file: start,
    title: 'is asked alone, and then serves another chain',
  },
  {
    name: 'face03: a later start takes any chain for its own',
    edits: one('server/host/build.ts', 'if (!gate.isChecked()) await checkChain();', 'gate.checked();'),
    file: start,
    title: other,
  },
  {
    name: 'face04: a start without the network does not go on by itself',
    edits: one('server/host/wait-for-network.ts', '  trying.start();\n', ''),
    file: start,
    title: 'refusing the key',
  },
  {
    name: 'face05: a debit that nobody explains is on the agent’s page alone',
    edits: one(
      'server/engine/records/debits.ts',
      "    addNoticeEverywhere(context, { kind: 'unexplained_debit', agentId, signature, amount });\n",
      '',
    ),
    file: notices,
    title: 'of a debit that no payment explains',
  },
  {
    name: 'face06: the end of an outage is folded into its notice',
    edits: one('server/engine/domain/notice.ts', "'unexplained_debit', 'rpc_down']", "'unexplained_debit']"),
    file: notices,
    title: 'of an outage that lasts a minute',
  },
  {
    name: 'face07: the minimum of an account counts as SOL for fees',
    edits: one('server/engine/api/treasury.ts', 'atLeastZero(spareLamports(context, held))', 'held'),
    file: 'test/host/fees.test.ts',
    title: 'a treasury without SOL refuses',
  },
  {
    name: 'face08: all SOL is more than can go',
    edits: one('server/engine/api/treasury.ts', 'atLeastZero(spare - ofWithdrawal)', 'spare'),
    file: 'test/cli/more-commands.test.ts',
    title: 'recalls, and withdraws, to the last unit',
  },
  {
    name: 'face09: an RPC without history looks healthy',
    edits: one(
      'server/solana/rpc/probe.ts',
      '      if (answer !== null) faults.push({ what, answer, ...rpcNeeds[what] });\n',
      '',
    ),
    file: 'test/cli/doctor.test.ts',
    title: 'has an RPC without what it needs',
  },
  {
    name: 'face10: the SOL that a transfer took still counts',
    edits: one(
      'server/engine/records/funds.ts',
      '      reading.lamportsAt = Math.min(reading.lamportsAt, performance.now() - staleAfterMs - 1);\n',
      '',
    ),
    file: 'test/cli/more-commands.test.ts',
    title: 'recalls, and withdraws, to the last unit',
  },
  {
    name: 'face11: the way over two RPCs goes past the check of the chain',
    // Each of two RPCs is compared with the treasury's chain besides.
    edits: [
      ...one('server/solana/rpc/when-checked.ts', 'callOnce: gated(rpc.callOnce)', 'callOnce: rpc.callOnce'),
      ...one('server/solana/rpc/one-network.ts', "if (question[0] !== 'getGenesisHash') await check();", ''),
    ],
    file: start,
    title: 'has a second beside it, and then serves another chain',
  },
  {
    name: 'face12: a browser keeps its connection, and repeats a request to who has the port next',
    edits: one('server/http/server.ts', "request.headers['sec-fetch-site'] !== undefined", 'false'),
    file: 'test/renderer/squatter.test.ts',
    title: 'is not repeated to the program',
  },
];
