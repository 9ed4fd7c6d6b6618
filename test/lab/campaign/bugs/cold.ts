// Bugs of the cold treasury, each with the test that has to catch it.
import type { TestTrial } from './caught-by-tests.ts';
import { one, type Bug } from '../planted-bugs.ts';

const cold = 'test/http/cold.test.ts';
const expiry = 'test/solana/expiry.test.ts';
const signer = 'test/vault/signer.test.ts';
const draws = 'server/engine/payment/decision/draws.ts';

export const bugsOfCold: readonly (Bug & TestTrial)[] = [
  {
    name: 'cold01: a draw signed without a last look at the allowance',
    edits: one(
      'server/engine/payment/machine/sign.ts',
      'row.source === null ? null : readCold(steps)',
      'null',
    ),
    file: cold,
    title: 'is not signed when the allowance was',
  },
  {
    name: 'cold02: the owner’s spending taken for a draw of ours',
    edits: one('server/engine/records/cold.ts', ' && signers.includes(treasury)', ''),
    file: cold,
    title: 'may be spent by its owner',
  },
  {
    name: 'cold03: a draw that no row explains, unnoticed',
    edits: one(
      'server/engine/records/cold.ts',
      'if (isDraw(move, settings.owner) && !isOurs(store, move, debitedCold(address)))',
      'if (false)',
    ),
    file: cold,
    title: 'freezes everything when the treasury’s key draws',
  },
  {
    name: 'cold04: a draw to anybody',
    edits: one('server/vault/signer.ts', 'if (row.payeeIndex !== null) keyOf', 'if (false) keyOf'),
    file: signer,
    title: 'a draw to a stranger',
  },
  {
    name: 'cold05: two draws at once',
    edits: one(draws, 'cold.pending > reserved', 'cold.pending > reserved + cold.pending'),
    file: cold,
    title: 'one draw at a time',
  },
  {
    name: 'cold06: the allowance counted without the balance',
    edits: one('server/engine/domain/cold.ts', 'allowance < balance ? allowance : balance;', 'allowance;'),
    file: 'test/http/hostile/exposure.test.ts',
    title: 'is right to the unit',
  },
  {
    name: 'cold07: a cold wallet forgotten while it allows a draw',
    edits: one(
      'server/engine/api/cold.ts',
      "if (cold === null || cold.allowance === 0n || cold.fault === 'frozen') return;",
      'if (cold === null || cold.fault !== undefined) return;',
    ),
    file: cold,
    title: 'is not exchanged while it allows a draw',
  },
  {
    name: 'cold08: the owner’s spending keeps a draw from being proven dead',
    edits: one(
      'server/solana/expiry.ts',
      'since.filter(({ signers }) => signers.includes(transfer.wallet))',
      'since',
    ),
    file: expiry,
    title: 'is dead although its owner has spent',
  },
  {
    name: 'cold09: the expiry of a draw proven in the history of the treasury’s own account',
    edits: one('server/solana/expiry.ts', '=> payerOf(transfer));', '=> transfer.wallet);'),
    file: expiry,
    title: 'is looked for in the history of the account that pays',
  },
  {
    name: 'cold10: an address of this machine taken for a cold one',
    edits: one('server/engine/api/cold.ts', 'if (await keys.owns(address))', 'if (false)'),
    file: cold,
    title: 'is refused when it is no wallet',
  },
  {
    name: 'cold11: what a wallet returned is sent without a look at it',
    edits: one(
      'server/solana/allowance.ts',
      "'it is no transaction' : changeIn(wanted, got)",
      "'it is no transaction' : null",
    ),
    file: 'test/http/allowance.test.ts',
    title: 'is not sent when the wallet signed another amount',
  },
  {
    name: 'cold12: a guard that writes taken for one that asserts',
    edits: one(
      'server/lib/solana/wallet-guards.ts',
      ' && (data[0] ?? 0) >= firstAssertion',
      ' && data.length > 0',
    ),
    file: 'test/solana/allowance.test.ts',
    title: 'a guard that writes is noticed',
  },
  {
    name: 'cold13: an allowance replaced while a draw is under way',
    edits: one(
      'server/engine/api/allowance.ts',
      '  refuseWhileDrawing(context);\n  refuseWhileOrdered',
      '  refuseWhileOrdered',
    ),
    file: 'test/http/allowance.test.ts',
    title: 'is not begun while a draw is under way',
  },
  {
    name: 'cold14: draws beside an open page of the allowance',
    edits: one(draws, 'if (cold.pausedUntil > now)', 'if (cold.pausedUntil < 0)'),
    file: 'test/http/allowance.test.ts',
    title: 'nothing is drawn until then',
  },
  {
    name: 'cold15: a new allowance told as final at the first sight of it',
    edits: one(
      'server/engine/records/allowance.ts',
      "if (sighting?.commitment === 'finalized')",
      'if (sighting !== null)',
    ),
    file: 'test/http/allowance.test.ts',
    title: 'is final only once the chain says so',
  },
  {
    name: 'cold16: the notice of little allowance too late',
    edits: one('server/engine/domain/cold.ts', 'allowance * 5n <= granted', 'allowance * 6n <= granted'),
    file: cold,
    title: 'is told once when a fifth',
  },
  {
    name: 'cold17: the notice of little allowance again and again',
    edits: one('server/engine/records/cold.ts', '|| cold.told) return;', ') return;'),
    file: cold,
    title: 'is told once when a fifth',
  },
  {
    name: 'cold18: refills that do not know the cold treasury',
    edits: one(
      'server/engine/payment/owner/allocation.ts',
      'source: sourceFor(context, amount),',
      "source: cause === 'refill' ? null : sourceFor(context, amount),",
    ),
    file: cold,
    title: 'draws on the cold treasury within its allowance',
  },
  {
    name: 'cold19: an older copy compared without the draws that it lacks',
    edits: one(
      'server/engine/records/reconciliation.ts',
      'if (isDraw(move, settings.owner) && !isOurs(store, move, debitedCold(source)))',
      'if (false)',
    ),
    file: 'test/backup/rolled-back-copy.test.ts',
    title: 'that lacks draws has them entered once',
  },
  {
    name: 'cold20: the account of the cold treasury is not followed',
    edits: one('server/host/follow-cold.ts', 'chain.onChange(address, read)', '() => void read'),
    file: 'test/host/follow-cold.test.ts',
    title: 'are known without being asked for',
  },
  {
    name: 'cold21: a draw that was taken off twice, taken for a new allowance',
    edits: one('server/store/cold.ts', 'isTwice ? sums.lastDrawn() : 0n', '0n'),
    file: 'test/engine/readings.test.ts',
    title: 'is not taken for a new allowance',
  },
  {
    name: 'cold22: the honest number without the agents’ wallets',
    edits: one(
      'server/engine/api/exposure.ts',
      'unitsIn(held.filter(({ address }) => address !== settings.owner))',
      'unitsIn([])',
    ),
    file: 'test/http/hostile/theft.test.ts',
    title: 'says what a thief of the data folder can take',
  },
  {
    name: 'cold23: the honest number without a frozen account, which can be thawed',
    edits: one(
      'server/engine/api/exposure.ts',
      'sum + reachOf(cold) + cold.doubt',
      'sum + (cold.fault === null ? reachOf(cold) : 0n) + cold.doubt',
    ),
    file: cold,
    title: 'counts in the honest number',
  },
  {
    name: 'cold24: the honest number in the tray told as sure however old it is',
    edits: one(
      'electron/tray/tray-menu.ts',
      'const doubt = isStale ?',
      "const doubt = isStale && amount === '' ?",
    ),
    file: 'test/electron/tray.test.ts',
    title: 'never more surely than it knows',
  },
  {
    name: 'cold25: a first run with real money that does not recommend a cold wallet',
    edits: one(
      'renderer/screens/first-run/DepositStep.tsx',
      "snapshot.network === 'mainnet' && <Recommendation />",
      "snapshot.network === 'devnet' && <Recommendation />",
    ),
    file: 'test/renderer/allowance.test.ts',
    title: 'is recommended by the first run on mainnet alone',
  },
  {
    name: 'cold26: the click that sends money back keeps some',
    edits: one('renderer/screens/treasury/ColdTreasury.tsx', 'to, amount: held }', "to, amount: '0.25' }"),
    file: 'test/renderer/allowance.test.ts',
    title: 'gets the treasury’s own money back with one click',
  },
  {
    name: 'cold27: the page of a draw that names the treasury as its source',
    edits: one(
      'renderer/screens/activity/Facts.tsx',
      '<Address value={source ?? wallet}',
      '<Address value={wallet}',
    ),
    file: 'test/renderer/allowance.test.ts',
    title: 'is named by the page of a draw as the source',
  },
  {
    name: 'cold28: `treasury cold return` without a confirmation',
    edits: one(
      'server/cli/treasury/cold.ts',
      'to: cold.address }, options);',
      'to: cold.address }, { ...options, yes: true });',
    ),
    file: 'test/cli/settings.test.ts',
    title: 'sends all that the treasury itself holds to the cold wallet',
  },
  {
    name: 'cold29: a draw that a kill left signed is not sent by the next start',
    edits: one(
      'server/engine/payment/machine/recovery.ts',
      "row.state === 'signed' && !machine.busy(row.id)",
      "row.state === 'signed' && row.source === null && !machine.busy(row.id)",
    ),
    file: 'test/engine/draws.test.ts',
    title: 'is signed, before the bytes reach the chain',
  },
  {
    name: 'cold30: a draw booked as paid by the treasury’s own wallet',
    edits: one(
      'server/store/records/ledger.ts',
      'accounts.enter(id, accountOf(payerOf(transfer), asset)',
      'accounts.enter(id, accountOf(transfer.wallet, asset)',
    ),
    file: 'test/x402/official/sellers.test.ts',
    title: 'with money that was drawn',
  },
  {
    name: 'cold31: the honest number without the draws that are in doubt',
    edits: one('server/engine/api/exposure.ts', 'reachOf(cold) + cold.doubt,', 'reachOf(cold),'),
    file: 'test/http/hostile/exposure.test.ts',
    title: 'is never low while money goes',
  },
  {
    name: 'cold32: a reading that shows a draw before we have seen it, with nothing in doubt',
    edits: one(
      'server/store/cold.ts',
      'doubt = max(0, min(pending, allowance + doubt - @allowance))',
      'doubt = 0',
    ),
    file: 'test/engine/readings.test.ts',
    title: 'a draw that was read in its own slot before it was recorded',
  },
  {
    name: 'cold33: a revocation told as final while an allowance before it may land',
    edits: one(
      'server/engine/domain/allowance-orders.ts',
      "if (earlier !== null) return { state: 'sent', earlier };",
      '',
    ),
    file: 'test/http/allowance.test.ts',
    title: 'nothing is told as revoked while it may land',
  },
  {
    name: 'cold34: a cold wallet given up while an allowance of it may land',
    edits: one(
      'server/engine/domain/allowance-orders.ts',
      'if (open === undefined) return;',
      'if (open?.slot !== undefined) return;',
    ),
    file: 'test/http/allowance.test.ts',
    title: 'the wallet from being given up',
  },
  {
    name: 'cold35: only the cold wallet of now is counted',
    edits: one(
      'server/engine/api/exposure.ts',
      'store.cold.accounts().reduce',
      'store.cold.accounts().filter(({ address }) => address === store.cold.get()?.address).reduce',
    ),
    file: cold,
    title: 'is counted and followed for ever',
  },
  {
    name: 'cold36: a rolled-back copy that does not ask the vault for the cold wallets',
    edits: one(
      'server/engine/records/cold.ts',
      'if (known.length === 0) return;',
      'if (known.length >= 0) return;',
    ),
    file: 'test/backup/rolled-back-copy.test.ts',
    title: 'that lacks the cold wallet itself',
  },
  {
    name: 'cold37: two cold wallets chosen at once',
    edits: one(
      'server/engine/api/cold.ts',
      'if (store.cold.get()?.address !== before) throw',
      'if (false) throw',
    ),
    file: cold,
    title: 'is chosen once when two are chosen at once',
  },
];
