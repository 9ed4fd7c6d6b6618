// Bugs that an owner meets who begins, moves to another machine, loses records, or leaves, each with the test that has to
// catch it.
import type { TestTrial } from './caught-by-tests.ts';
import { one, type Bug } from '../planted-bugs.ts';

const file = 'test/lab/owner-life/life.test.ts';
const title = 'begins, moves to a new machine';
const tour = 'test/renderer/tour.test.ts';
const search = 'server/engine/records/find-agents.ts';
const files = 'server/store/answers/kept-files.ts';
const database = 'test/store/database.test.ts';

export const bugsOfLife: readonly (Bug & TestTrial)[] = [
  {
    name: 'life01: the passphrase of the vault stands on the screen',
    edits: one('server/host/passphrase.ts', 'output: silent', 'output: process.stderr'),
    file,
    title,
  },
  {
    name: 'life02: an agent has a key that no other wallet finds',
    edits: one(
      'server/vault/keys.ts',
      '[44, 501, index, 0]);\n  const key',
      '[44, 501, 0, index]);\n  const key',
    ),
    file,
    title,
  },
  {
    name: 'life03: a backup that is put back pays on',
    edits: one(
      'server/backup/restore.ts',
      "setReconciliationMark(store, { ...nothingFound, kind: 'older' });",
      '',
    ),
    file,
    title,
  },
  {
    name: 'life04: a terminal that gave the passphrase is no owner',
    edits: one('server/cli/treasury/stop.ts', 'if (hasPassphrase) await becomeOwner(terminal, typed);', ''),
    file,
    title,
  },
  {
    name: 'life05: the reason of a stop widens the page',
    edits: one(
      'renderer/screens/agents/AgentDetail.tsx',
      `className="break-anywhere">
        {agent.statusReason}`,
      `>
        {agent.statusReason}`,
    ),
    file: tour,
    title: 'paused agent',
  },
  {
    name: 'life06: a phone cuts the name of the network',
    edits: one('renderer/shell/Shell.tsx', 'tt="none" flex="none"', 'tt="none" maw={52}'),
    file: tour,
    title: 'overview',
  },
  {
    name: 'moving01: a wallet that the treasury paid is no lead',
    edits: one(search, '(index) => index !== null && index > 0', '() => false'),
    file: 'test/engine/readings.test.ts',
    title: 'of wallets',
  },
  {
    name: 'moving02: a wallet of ours is recognized no further than the search goes',
    edits: one(search, 'last + reach', 'last + gap'),
    file: 'test/engine/readings.test.ts',
    title: 'of wallets',
  },
  {
    name: 'moving03: no agent is warned of that the phrase alone may not find',
    edits: one(search, 'before.length < gap ||', 'before.length <= gap ||'),
    file: 'test/http/agents.test.ts',
    title: 'is warned of behind 20 agents',
  },
  {
    name: 'moving04: the words of the default network are printed where there are several',
    edits: one('server/host/host.ts', 'if (isNetworkNamed) return', 'if (network) return'),
    file: 'test/host/first-start.test.ts',
    title: 'prints 24 words',
  },
  {
    name: 'a commit that failed taken for made',
    edits: one(
      'server/store/transfers/transactions.ts',
      '  if (!tryOrHalt(group, commit)) return;\n  group.waiting = null;\n  group.commits += 1;',
      '  try {\n    commit();\n  } catch {\n    tryTo(() => group.sql.rollback.run());\n  }\n  group.waiting = null;\n  group.commits += 1;',
    ),
    file: 'test/store/database.test.ts',
    title: 'the commit itself fails',
  },
  {
    name: 'moving05: a log that was removed takes further commits',
    edits: one('server/store/transfers/transactions.ts', '    group.files.check();\n', ''),
    file: database,
    title: 'halts the store when its log is removed',
  },
  {
    name: 'moving06: a file that was cut is whole',
    edits: one(files, 'now.size >= before.size', 'now.size >= 0n'),
    file: database,
    title: 'halts the store when its file is cut in half',
  },
  {
    name: 'moving07: a log that was removed is not put into the database',
    edits: one(files, `db.pragma('wal_checkpoint(PASSIVE)')`, `db.pragma('cache_size')`),
    file: database,
    title: 'halts the store when its log is removed',
  },
  {
    name: 'moving08: a deposit is what all accounts of the wallet got',
    edits: one(
      'server/solana/history/moves.ts',
      'const change = after - before;',
      'const change = changes.get(wallet) ?? 0n;',
    ),
    file: 'test/http/hostile/exposure.test.ts',
    title: 'counts what lies in accounts beside the usual ones',
  },
  {
    name: 'moving09: the key of a linked machine is taken from a file for all',
    edits: one(
      'server/client/identity.ts',
      `    refuseOpen('agent.json', linkedAgentFile(...where), platform);\n`,
      '',
    ),
    file: 'test/mcp/connecting-agents.test.ts',
    title: 'is not taken from an agent.json',
  },
];
