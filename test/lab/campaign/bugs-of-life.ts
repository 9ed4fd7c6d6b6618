// Bugs that an owner meets who begins, moves and leaves, each with the test that has to catch it.
import type { TestTrial } from './bugs-caught-by-tests.ts';
import { one, type Bug } from './planted-bugs.ts';

const file = 'test/lab/owner-life/life.test.ts';
const title = 'begins, moves to a new machine';
const tour = 'test/renderer/tour.test.ts';

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
    edits: one('renderer/shell/Shell.tsx', 'px={{ base: 4,', 'px={{ base: 18,'),
    file: tour,
    title: 'overview',
  },
];
