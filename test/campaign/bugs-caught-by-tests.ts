// Bugs that a test of the suite has to catch: those that an attack planted and nothing saw, and those of what was mended
// since. Each names the test that fails with it.
import { one, type Bug } from './planted-bugs.ts';

export interface TestTrial {
  file: string;
  /** Part of the full name of the tests that have to fail. */
  title: string;
}

const spending = 'test/store/spending.test.ts';
const reservations = 'test/engine/reservations.test.ts';
const payees = 'test/engine/pinned-payees.test.ts';

export const bugsCaughtByTests: readonly (Bug & TestTrial)[] = [
  {
    name: 's01: a refund counts at its own time',
    edits: one(
      'server/store/spending.ts',
      "if (isCredit(transfer)) return integerOrNull(chargeCountedAt.get(transfer.invoice) as Row, 'counted_at');",
      'if (isCredit(transfer)) return Math.max(transfer.reservedAt ?? 0, transfer.blockTime ?? 0);',
    ),
    file: spending,
    title: 'counts at the time of its charge',
  },
  {
    name: 's02: the window one millisecond longer',
    edits: one(
      'server/store/spending.ts',
      'WHERE agent_id = ? AND counted_at > ? AND counted_at <= ?`);',
      'WHERE agent_id = ? AND counted_at >= ? AND counted_at < ?`);',
    ),
    file: spending,
    title: 'not one longer',
  },
  {
    name: 'e01: the cooldown one millisecond longer',
    edits: one('server/engine/decide.ts', 'now >= until) return null;', 'now > until) return null;'),
    file: 'test/engine/decide.test.ts',
    title: 'at the very end of the cooldown',
  },
  {
    name: 'e03: approveAbove asked for before a changed payee',
    edits: [
      {
        file: 'server/engine/decide.ts',
        from: "  if (facts.payeeChanged) return { kind: 'hold', because: 'payee_changed' };\n",
        to: '',
      },
      {
        file: 'server/engine/decide.ts',
        from: "  if (policy.newPayees === 'approve' && !facts.payeeKnown)",
        to: "  if (facts.payeeChanged) return { kind: 'hold', because: 'payee_changed' };\n  if (policy.newPayees === 'approve' && !facts.payeeKnown)",
      },
    ],
    file: payees,
    title: 'asked for above approveAbove',
  },
  {
    name: 'h05: the agent of a path compared without its case',
    edits: one(
      'server/http/auth.ts',
      'named !== undefined && named !== caller.agentId)',
      'named !== undefined && String(named).toLowerCase() !== caller.agentId.toLowerCase())',
    ),
    file: 'test/http/key-case.test.ts',
    title: 'good for that agent alone',
  },
  {
    name: 'f03: standing approvals of an older copy stay in force',
    edits: one(
      'server/engine/older-copy.ts',
      'for (const { id } of store.grants.list())',
      'for (const { id } of [])',
    ),
    file: 'test/host/restored-grants.test.ts',
    title: 'ends the standing approvals',
  },
  {
    name: 'f04: twenty further wallets counted from the first that was used',
    edits: one(
      'server/engine/restore.ts',
      'lastUsed = found.at(-1) ?? lastUsed;',
      'lastUsed = lastUsed === 0 ? (found[0] ?? 0) : lastUsed;',
    ),
    file: 'test/engine/find-agents.test.ts',
    title: 'of wallets',
  },
  {
    name: 'c02: proof of death from a node that has forgotten the blocks',
    edits: one(
      'server/solana/death.ts',
      'if (firstBlock > candidate.lifetime.slot)',
      'if (firstBlock > Infinity)',
    ),
    file: 'test/solana/death.test.ts',
    title: 'no longer has the block of their signing',
  },
  {
    name: 'e19: a stop of one agent abandons what others have signed',
    edits: one(
      'server/engine/stop.ts',
      '.filter((row) => agentId === undefined || row.agentId === agentId)',
      '.filter((row) => agentId === undefined || row.agentId !== null)',
    ),
    file: reservations,
    title: 'that is signed goes on when another agent is stopped',
  },
  {
    name: 'e10: a reservation signed however old it is',
    edits: one(
      'server/engine/payment.ts',
      '> settings.reservationMs) return interrupted;',
      '> Infinity) return interrupted;',
    ),
    file: reservations,
    title: 'whose blockhash comes after 60001 ms',
  },
  {
    name: 'e22: a charge that died leaves its task open for ever',
    edits: one(
      'server/engine/generation.ts',
      "['denied', 'failed', 'dead', 'cancelled']",
      "['denied', 'failed', 'cancelled']",
    ),
    file: reservations,
    title: 'whose charge died is told as failed',
  },
  {
    name: 'e17: agreeing to a payee forgets the others',
    edits: one('server/engine/approval.ts', '[...service.payees, payee]', '[payee]'),
    file: payees,
    title: 'leaves the others as they were',
  },
  {
    name: 'o06: a link session that is over granted by its id',
    edits: one(
      'server/engine/operations/links.ts',
      'if (linkNamed(context, link.id).expiresAt <= time.now()) throw',
      'if (linkNamed(context, link.id).expiresAt <= 0) throw',
    ),
    file: 'test/http/links.test.ts',
    title: 'is not granted by its id either',
  },
  {
    name: 'o04: a withdrawal of SOL takes what open rows will need',
    edits: one(
      'server/store/transfers.ts',
      'FROM transfer INDEXED BY transfer_open WHERE is_open = 1`,\n  );\n  const rentPaid',
      "FROM transfer INDEXED BY transfer_open WHERE is_open = 1 AND id = ''`,\n  );\n  const rentPaid",
    ),
    file: reservations,
    title: 'leaves what open rows will take',
  },
];
