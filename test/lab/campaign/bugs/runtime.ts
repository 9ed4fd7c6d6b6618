// Bugs of the sandbox's runtime in TypeScript, each with the test that has to catch it.
import type { TestTrial } from './caught-by-tests.ts';
import { one, type Bug } from '../planted-bugs.ts';

const script = 'server/sandbox/chain/script';
const transfer = `${script}/token/transfer.ts`;
const supply = `${script}/token/supply.ts`;
const runtime = `${script}/script-runtime.ts`;

const beside = { file: 'test/sandbox/script.test.ts', title: 'does what LiteSVM does' };
const refused = 'test/sandbox/script.test.ts';

export const bugsOfTheRuntime: readonly (Bug & TestTrial)[] = [
  {
    name: 'run01: a checked transfer that does not check decimals',
    edits: one(
      transfer,
      "  if (mint(expected.mint)[mintAt.decimals] !== expected.decimals) fail('MintDecimalsMismatch');\n",
      '  mint(expected.mint);\n',
    ),
    ...beside,
  },
  {
    name: 'run02: an allowance that is not lowered',
    edits: one(transfer, '  setU64(account, accountAt.delegatedAmount, left);\n', ''),
    ...beside,
  },
  {
    name: 'run03: a frozen account that pays',
    edits: one(transfer, 'if (isFrozen(from) || isFrozen(to))', 'if (isFrozen(to) && from !== to)'),
    ...beside,
  },
  {
    name: 'run04: an account that anybody closes',
    edits: one(`${script}/token/closing.ts`, 'checkOwner(closer, authority);', 'void closer;'),
    ...beside,
  },
  {
    name: 'run05: no fee for a transaction that fails',
    edits: one(runtime, 'before.lamports - loaded.fee', 'before.lamports'),
    ...beside,
  },
  {
    name: 'run06: a transfer to itself that makes tokens',
    edits: [
      { file: transfer, from: 'if (isItself || amount === 0n) {', to: 'if (amount === 0n) {' },
      {
        file: transfer,
        from: '  setU64(from, accountAt.amount, u64(from, accountAt.amount) - amount);\n  setU64(to, accountAt.amount, u64(to, accountAt.amount) + amount);',
        to: '  const sum = u64(to, accountAt.amount) + amount;\n  setU64(from, accountAt.amount, u64(from, accountAt.amount) - amount);\n  setU64(to, accountAt.amount, sum);',
      },
    ],
    ...beside,
  },
  {
    name: 'run07: a called program that writes what its caller may not',
    edits: one(
      `${script}/program.ts`,
      "  if (right.writable && !theirs.writable) escalated('writable');\n",
      '',
    ),
    file: refused,
    title: 'writes nothing that its caller may not write',
  },
  {
    name: 'run08: what came before an instruction that fails is kept',
    edits: one(runtime, '  if (outcome.err === null) {\n', "  if (typeof outcome.err !== 'string') {\n"),
    file: refused,
    title: 'undoes what came before an instruction that fails',
  },
  {
    name: 'run09: an account left below its rent',
    edits: one(`${script}/processing.ts`, 'return rentError(loaded);', 'return rentError(loaded) && null;'),
    ...beside,
  },
  {
    name: 'run10: a transaction with a forged signature',
    edits: one(
      `${script}/loading.ts`,
      '  if (verifiesSignatures) checkSignatures(message, signatures);\n',
      '  if (signatures.length === 0) checkSignatures(message, signatures);\n  void verifiesSignatures;\n',
    ),
    ...beside,
  },
  {
    name: 'run11: a list of signers that is taken for a wallet',
    edits: one(
      `${script}/token/state.ts`,
      'owner.data.length === multisigBytes && isTokenProgram(owner.owner)',
      'owner.data.length === 0 && isTokenProgram(owner.owner)',
    ),
    file: refused,
    title: 'refuses by name: A list of signers',
  },
  {
    name: 'run12: an instruction of an unknown program that is skipped',
    edits: one(
      `${script}/processing.ts`,
      'programAt(call.program) ?? refuseUnknown(call);',
      "programAt(call.program) ?? { kind: 'builtin', run: () => undefined };",
    ).concat(
      one(`${script}/processing.ts`, "    throw new TransactionRefusal('InvalidProgramForExecution');\n", ''),
    ),
    file: refused,
    title: 'by its name, and then runs nothing else',
  },
  {
    name: 'run13: tokens that anybody mints',
    edits: one(supply, 'checkOwner(issuer, authority);', 'void issuer;'),
    ...beside,
  },
  {
    name: 'run14: wrapped SOL that is taken for other tokens',
    edits: one(
      `${script}/token/state.ts`,
      "  if (data[accountAt.isNativeOption] === 1) refuseMissing('Wrapped SOL');\n",
      '',
    ),
    file: refused,
    title: 'refuses by name: Wrapped SOL',
  },
];
