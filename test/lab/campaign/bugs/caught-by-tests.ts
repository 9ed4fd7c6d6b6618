// Bugs that a test of the suite has to catch: bugs that a review planted and no gate saw, and bugs of parts that were
// mended since. Each names the test that fails with it.
import { bugsOfBooks } from './books.ts';
import { bugsOfClients } from './clients.ts';
import { bugsOfCold } from './cold.ts';
import { bugsOfInstall } from './install.ts';
import { bugsOfLife } from './life.ts';
import { bugsOfMcp } from './mcp.ts';
import { bugsOfGroups } from './groups.ts';
import { bugsOfModels } from './models.ts';
import { bugsOfMonths, bugsOfSol } from './months.ts';
import { bugsOfMendedLimits } from './mended-limits.ts';
import { bugsOfMendedParts } from './mended-parts.ts';
import { bugsOfMendedSales } from './mended-sales.ts';
import { bugsOfMendedPrograms } from './mended-programs.ts';
import { bugsOfNestedLimits } from './nested-limits.ts';
import { bugsOfNotices } from './notices.ts';
import { bugsOfRpcs } from './rpcs.ts';
import { bugsOfFace } from './face.ts';
import { bugsOfSellers } from './sellers.ts';
import { bugsOfTheRuntime } from './runtime.ts';
import { bugsOfWindows } from './windows.ts';
import { bugsOfTheWatch } from './watch.ts';
import { bugsOfTheWorld } from './world.ts';
import { bugsOfTheTunnel } from './tunnel.ts';
import { bugsOfTheGate } from './gate.ts';
import { bugsOfThePaywall } from './paywall.ts';
import { bugsOfTheProxy } from './proxy.ts';
import { bugsOfSettling } from './settling.ts';
import { bugsOfWitnesses } from './witnesses.ts';
import { bugsOfWords } from './words.ts';
import { one, type Bug } from '../planted-bugs.ts';

export interface TestTrial {
  file: string;
  /** Part of the full name of the tests that have to fail. */
  title: string;
}

const limits = 'test/http/limits/limits.test.ts';
const spending = 'test/store/spending.test.ts';
const reservations = 'test/engine/reservations.test.ts';
const payees = 'test/engine/payees.test.ts';
const marker = 'test/host/stop-marker.test.ts';
const stop = 'server/engine/payment/owner/stop.ts';
const markerFile = 'server/store/records/stop-marker.ts';

export const bugsCaughtByTests: readonly (Bug & TestTrial)[] = [
  {
    name: 's01: a refund counts at its own time',
    edits: one(
      'server/store/spending/spending.ts',
      'return toCountedAt(sql.chargeCountedAt.get(transfer.invoice));',
      'return Math.max(transfer.reservedAt ?? 0, transfer.blockTime ?? 0);',
    ),
    file: spending,
    title: 'counts at the time of its charge',
  },
  {
    name: 's02: the window one millisecond longer',
    edits: one(
      'server/store/spending/spending-rows.ts',
      'AS fees FROM transfer\n      WHERE ${ofScope} counted_at > @low AND counted_at <= @high',
      'AS fees FROM transfer\n      WHERE ${ofScope} counted_at >= @low AND counted_at < @high',
    ),
    file: spending,
    title: 'not one longer',
  },
  {
    name: 'e01: the cooldown one millisecond longer',
    edits: one(
      'server/engine/limits/node-rules.ts',
      'now >= until) return null;',
      'now > until) return null;',
    ),
    file: 'test/engine/decide.test.ts',
    title: 'at the very end of the cooldown',
  },
  {
    name: 'e03: approveAbove asked for before a changed payee',
    edits: [
      {
        file: 'server/engine/payment/decision/decide.ts',
        from: "  if (payeeChanged) reasons.push('payee_changed');\n",
        to: '',
      },
      {
        file: 'server/engine/payment/decision/decide.ts',
        from: "  if (newPayees === 'approve' && !payeeKnown)",
        to: "  if (payeeChanged) reasons.push('payee_changed');\n  if (newPayees === 'approve' && !payeeKnown)",
      },
    ],
    file: payees,
    title: 'for a pinned service never pays a payee that the service now names instead',
  },
  {
    name: 'h05: the agent of a path compared without its case',
    edits: one(
      'server/http/auth.ts',
      'named !== undefined && named !== caller.agentId)',
      'named !== undefined && String(named).toLowerCase() !== caller.agentId.toLowerCase())',
    ),
    file: 'test/http/agents.test.ts',
    title: 'good for that agent alone',
  },
  {
    name: 'f03: standing approvals of an older copy stay in force',
    edits: one(
      'server/engine/records/rollback.ts',
      'for (const grant of store.grants.list())',
      'for (const grant of [])',
    ),
    file: 'test/backup/rolled-back-copy.test.ts',
    title: 'ends the standing approvals',
  },
  {
    name: 'f04: twenty further wallets counted from the first that was used',
    edits: one(
      'server/engine/records/find-agents.ts',
      'last = Math.max(last, ...found);',
      'last = last === 0 ? (found[0] ?? 0) : last;',
    ),
    file: 'test/engine/readings.test.ts',
    title: 'of wallets',
  },
  {
    name: 'c02: proof of death from a node that has forgotten the blocks',
    edits: one(
      'server/solana/expiry.ts',
      'if (firstBlock > candidate.lifetime.slot)',
      'if (firstBlock > Infinity)',
    ),
    file: 'test/solana/expiry.test.ts',
    title: 'no longer has the block of their signing',
  },
  {
    name: 'e19: a stop of one agent abandons what others have signed',
    edits: one(
      'server/engine/payment/owner/stop.ts',
      '.filter((row) => agentId === undefined || row.agentId === agentId)',
      '.filter((row) => agentId === undefined || row.agentId !== null)',
    ),
    file: reservations,
    title: 'that is signed goes on when another agent is stopped',
  },
  {
    name: 'e10: a reservation signed however old it is',
    edits: one(
      'server/engine/payment/machine/sign.ts',
      '> context.settings.reservationMs) return interrupted;',
      '> Infinity) return interrupted;',
    ),
    file: reservations,
    title: 'whose blockhash comes after 60001 ms',
  },
  {
    name: 'e22: a charge that expired leaves its task open for ever',
    edits: one(
      'server/engine/pictures/generation.ts',
      'isVoid(charge)) return end(',
      "(isVoid(charge) && charge.state !== 'dead')) return end(",
    ),
    file: reservations,
    title: 'whose charge expired is reported as failed',
  },
  {
    name: 'e17: agreeing to a payee forgets the others',
    edits: one(
      'server/engine/payment/decision/pinned-payees.ts',
      '[...new Set([...service.payees, ...payees])]',
      'payees',
    ),
    file: payees,
    title: 'leaves the others as they were',
  },
  {
    name: 'o06: a link session that is over granted by its id',
    edits: one(
      'server/engine/api/links.ts',
      'if (linkNamed(context, link.id).expiresAt <= time.now()) throw',
      'if (linkNamed(context, link.id).expiresAt <= 0) throw',
    ),
    file: 'test/http/door/links.test.ts',
    title: 'is not granted by its id either',
  },
  {
    name: 'o04: a withdrawal of SOL takes what open rows will need',
    edits: one(
      'server/store/transfers/transfers.ts',
      'FROM transfer INDEXED BY transfer_open WHERE is_open = 1`,\n    ),\n    rentPaid',
      "FROM transfer INDEXED BY transfer_open WHERE is_open = 1 AND id = ''`,\n    ),\n    rentPaid",
    ),
    file: reservations,
    title: 'leaves what open rows will take',
  },
  {
    name: 'e06: a standing approval drawn on for a changed payee',
    edits: one(
      'server/engine/payment/decision/judge.ts',
      "new Set(['approve_above', 'new_payee'])",
      "new Set(['approve_above', 'new_payee', 'payee_changed'])",
    ),
    file: payees,
    title: 'never pays a payee that it names itself once the service has others',
  },
  {
    name: 'e09: a reservation counted against itself before it is signed',
    edits: one(
      'server/engine/limits/path.ts',
      'const spent = subUsdc(usdc(reserved + final), held);',
      'const spent = usdc(reserved + final);',
    ),
    file: reservations,
    title: 'is not counted against itself',
  },
  {
    name: 'l01: a window one millisecond longer',
    edits: one('server/engine/limits/windows.ts', "'day' : window];", "'day' : window] - 1;"),
    file: 'test/engine/windows.test.ts',
    title: 'the edge of its week',
  },
  {
    name: 'l02: a month that begins one millisecond later',
    edits: one('server/engine/limits/windows.ts', 'return month.from - 1;', 'return month.from;'),
    file: 'test/engine/windows.test.ts',
    title: 'the edge of its month',
  },
  {
    name: 'l03: a month by the clock of UTC',
    edits: one(
      'server/engine/engine.ts',
      "createCalendar(() => store.policies.zone() ?? 'UTC')",
      "createCalendar(() => 'UTC')",
    ),
    file: limits,
    title: 'by the clock of the owner’s time zone',
  },
  {
    name: 'l04: a total that begins again whenever the policy changes',
    edits: one(
      'server/engine/domain/limits.ts',
      'before === undefined || before.totalBudget === null ? now',
      'before === undefined || before.totalBudget !== null ? now',
    ),
    file: limits,
    title: 'also when it is raised',
  },
  {
    name: 'l05: a number of payments that counts those that failed',
    edits: one(
      'server/engine/domain/spending.ts',
      'isSpending(transfer) && !isVoid(transfer) ?',
      'isSpending(transfer) ?',
    ),
    file: spending,
    title: 'whenever a limit is set',
  },
  {
    name: 'l06: a refund credited to a window that its charge is not in',
    edits: one(
      'server/store/spending/meters.ts',
      'AND @at > edge AND @at <= mark`',
      'AND (@amount < 0 OR @at > edge) AND @at <= mark`',
    ),
    file: spending,
    title: 'whenever a limit is set',
  },
  {
    name: 'l07: a limit set late that counts a row of two slices twice',
    edits: one(
      'server/store/spending/meters.ts',
      '.between(known.mark, mark)',
      '.between(known.mark - 1, mark)',
    ),
    file: 'test/store/spending.test.ts',
    title: 'in slices of 3 rows',
  },
  {
    name: 'l08: a limit that a grant puts in force without what was spent before',
    edits: one(
      'server/store/spending/meters.ts',
      'if (known === undefined || known.mark !== whole) return between(edge, whole);',
      'if (known === undefined || known.mark !== whole) return 0n;',
    ),
    file: spending,
    title: 'whenever a limit is set',
  },
  {
    name: 'l09: a number of payments one higher than allowed',
    edits: one(
      'server/engine/limits/node-rules.ts',
      'made < limit) return null;',
      'made <= limit) return null;',
    ),
    file: 'test/engine/decide.test.ts',
    title: 'is the last that a number of payments allows',
  },
  {
    name: 'l10: edited sums that a start believes',
    edits: one('server/engine/engine.ts', '  recountSums(context, context.time.now());\n', ''),
    file: 'test/host/kept-on-disk.test.ts',
    title: 'corrected where they were edited',
  },
  {
    name: 'a stop marker that is not synced',
    edits: one(markerFile, '  fsyncSync(descriptor);\n', ''),
    file: marker,
    title: 'synced when it is set',
  },
  {
    name: 'a stop marker that a start clears',
    edits: one(
      stop,
      'if (stop !== null) freeze(context, stop.reason, stop.since);',
      'if (stop === null) return;\n  freeze(context, stop.reason, stop.since);\n  context.stopMarker.clear();',
    ),
    file: marker,
    title: 'which is met by the stop holds after a restart',
  },
  {
    name: 'a stop marker that cannot be read taken for clear',
    edits: one(markerFile, '  } catch {\n    return unreadable;', '  } catch {\n    return null;'),
    file: marker,
    title: 'of which a sector is another',
  },
  {
    name: 'a stop marker that is gone made anew without a word',
    edits: one(markerFile, 'if (!wasMade && !existsSync(file))', 'if (!existsSync(file))'),
    file: marker,
    title: 'that is gone is obeyed as a stop',
  },
  {
    name: 'a kill that is not committed leaves no trace',
    edits: one(
      stop,
      '  } catch (error) {\n    const { reason } = markStop(context, what, error);',
      "  } catch (error) {\n    if (what !== '') throw error;\n    const { reason } = markStop(context, what, error);",
    ),
    file: marker,
    title: 'of one agent stops everything, names the agent',
  },
  {
    name: 'a stop in the marker that holds after a restart alone',
    edits: one(
      'server/engine/payment/context.ts',
      'store.freeze.get() ?? stopMarker.get();',
      '[store.freeze.get(), stopMarker.get()][0] ?? null;',
    ),
    file: marker,
    title: 'by freeze holds at once and after a restart',
  },
  {
    name: 'what an uncommitted stop found signed sent once it is lifted',
    edits: one(
      stop,
      'return isCommitted ? null : stopEverything(context);',
      'return isCommitted ? null : { approvals: [], transfers: [] };',
    ),
    file: marker,
    title: 'by freeze holds at once and after a restart, and waiting requests are cancelled',
  },
  {
    name: 'a digest without what later columns hold',
    edits: one(
      'server/store/records/digests.ts',
      'if (value === null && later?.includes(name) === true) continue;',
      'if (later?.includes(name) === true) continue;',
    ),
    file: 'test/store/migration.test.ts',
    title: 'and the same while it is empty',
  },
  {
    name: 'standing approvals without payees left in force by the migration',
    edits: one(
      'server/store/migrations/10-mend.ts',
      '  endGrantsWithoutPayees(db);\n};',
      '  if (!db.open) endGrantsWithoutPayees(db);\n};',
    ),
    file: 'test/host/upgrade.test.ts',
    title: 'has ended its standing approvals',
  },
  {
    name: 'a final payment counted again when its seller delivers late',
    edits: one(
      'server/store/transfers/transfers.ts',
      'spending.report(before, { ...before, purchase:',
      'spending.moved(before, { ...before, purchase:',
    ),
    file: 'test/store/reported.test.ts',
    title: 'counts a final payment once when its seller delivers late',
  },
  {
    name: 'a delivery that is not reported as spent',
    edits: one(
      'server/store/spending/reported.ts',
      "const isDelivered = isOpen(transfer) && transfer.purchase?.delivery === 'delivered';",
      'const isDelivered = false;',
    ),
    file: 'test/store/reported.test.ts',
    title: 'counts once the seller has delivered',
  },
  {
    name: 'a wish that two clients receive',
    edits: one(
      'server/store/store.ts',
      'WHERE transfer_id = ? AND received_at IS NULL RETURNING *',
      'WHERE transfer_id = ? RETURNING *',
    ),
    file: 'test/engine/continuation.test.ts',
    title: 'is received once',
  },
  {
    name: 'a wish still open after its answer was received',
    edits: one(
      'server/store/store.ts',
      'WHERE hash = ? AND received_at IS NULL ORDER BY',
      'WHERE hash = ? ORDER BY',
    ),
    file: 'test/engine/continuation.test.ts',
    title: 'is no longer found',
  },
  {
    name: 'd01: a dry run that keeps what it wrote',
    edits: one('server/engine/calls/explain.ts', 'store.undone(', 'store.atomically('),
    file: 'test/engine/explain.test.ts',
    title: 'change no byte of the records',
  },
  {
    name: 'd02: a dry run by the owner’s own word',
    edits: one(
      'server/engine/calls/explain.ts',
      "{ keyId, consent: 'none' }",
      "{ keyId, consent: keyId === null ? 'owner' : 'none' }",
    ),
    file: 'test/engine/explain.test.ts',
    title: 'for an archived agent, to the owner',
  },
  {
    name: 'p01: no limit at all counts as tighter than a limit',
    edits: one(
      'server/contract/limits/policy-fields.ts',
      'from === to || (to !== null &&',
      'from === to || to === null || (',
    ),
    file: 'test/contract/policies.test.ts',
    title: 'never calls tighter',
  },
  ...bugsOfClients,
  ...bugsOfCold,
  ...bugsOfInstall,
  ...bugsOfLife,
  ...bugsOfMcp,
  ...bugsOfGroups,
  ...bugsOfRpcs,
  ...bugsOfSol,
  ...bugsOfFace,
  ...bugsOfSellers,
  ...bugsOfMendedLimits,
  ...bugsOfMendedParts,
  ...bugsOfMendedSales,
  ...bugsOfMendedPrograms,
  ...bugsOfNestedLimits,
  ...bugsOfNotices,
  ...bugsOfModels,
  ...bugsOfMonths,
  ...bugsOfThePaywall,
  ...bugsOfSettling,
  ...bugsOfTheGate,
  ...bugsOfTheProxy,
  ...bugsOfTheRuntime,
  ...bugsOfTheTunnel,
  ...bugsOfWindows,
  ...bugsOfTheWatch,
  ...bugsOfTheWorld,
  ...bugsOfWitnesses,
  ...bugsOfWords,
  ...bugsOfBooks,
];
