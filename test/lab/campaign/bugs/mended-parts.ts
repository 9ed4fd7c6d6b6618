// Bugs of approvals, archives, refusals, answers and continued purchases, each with the test that has to catch it.
import type { TestTrial } from './caught-by-tests.ts';
import { one, type Bug } from '../planted-bugs.ts';

const judge = 'server/engine/payment/decision/judge.ts';
const approval = 'server/engine/payment/owner/approval.ts';
const archive = 'server/engine/api/archive.ts';
const folding = 'server/engine/payment/decision/folding.ts';
const continuation = 'server/engine/payment/machine/continuation.ts';
const purchases = 'server/engine/purchase/purchases.ts';
const standing = 'test/engine/payees.test.ts';
const agents = 'test/http/agents.test.ts';
const refused = 'test/engine/refusal-folding.test.ts';
const room = 'test/engine/answers.test.ts';
const wishes = 'test/engine/continuation.test.ts';
const revoked = 'test/engine/ended-keys.test.ts';
const approvals = 'test/http/approvals.test.ts';

export const bugsOfMendedParts: readonly (Bug & TestTrial)[] = [
  {
    name: 'a standing approval that ran out before the signature',
    edits: one(
      judge,
      'grant.revokedAt === null && grant.until > now &&',
      'grant.revokedAt === null && now > 0 &&',
    ),
    file: standing,
    title: 'that expired no longer covers it',
  },
  {
    name: 'a standing approval for the payees of now, not for those that were shown',
    edits: one(
      approval,
      "Array.isArray(shown['payees']) ? shown['payees'].map(String) : [payee];",
      "Array.isArray(shown['payees']) && shown['payees'].length === 0\n      ? []\n      : [...new Set([...(store.services.get(serviceId)?.payees ?? []), payee])];",
    ),
    file: standing,
    title: 'covers the payees that were shown',
  },
  {
    name: 'the migration ends standing approvals that had ended before',
    edits: one(
      'server/store/migrations/10-mend.ts',
      'FROM standing_grant WHERE revoked_at IS NULL',
      'FROM standing_grant',
    ),
    file: 'test/host/upgrade.test.ts',
    title: 'the end of a standing approval that had ended before',
  },
  {
    name: 'a standing approval of one agent drawn on by another',
    edits: one(
      'server/store/approvals.ts',
      'WHERE agent_id = @agentId AND service_id',
      'WHERE @agentId IS NOT NULL AND service_id',
    ),
    file: standing,
    title: 'covers only the agent that it was given for',
  },
  {
    name: 'the recalls of archives found by the key alone',
    edits: one(archive, 'scope: `archive:${agentId}`,', "scope: 'archive:all',"),
    file: agents,
    title: 'reports each agent’s own amount',
  },
  {
    name: 'an agent archived while a payment of it is on its way',
    edits: one(archive, "({ state }) => state !== 'seen')", "({ state }) => state === 'reserved')"),
    file: agents,
    title: 'waits for a payment under way',
  },
  {
    name: 'refusals of one agent counted in the row of another',
    edits: one(folding, '`${principal} ${code} ', "`${principal === '' ? '' : code} "),
    file: refused,
    title: 'shares no key with another agent',
  },
  {
    name: 'a row that counts refusals for ever',
    edits: one(folding, 'now - counting.since < rowCountsMs &&', 'rowCountsMs > 0 &&'),
    file: refused,
    title: 'another that counts after ten',
  },
  {
    name: 'a minute of refusals one millisecond longer',
    edits: one(
      'server/engine/payment/decision/burst.ts',
      'now - known.since < minuteMs',
      'now - known.since <= minuteMs',
    ),
    file: refused,
    title: 'another that counts after ten',
  },
  {
    name: 'a key that was refused to one agent refused to all',
    edits: [
      {
        file: 'server/store/transfers/refusals.ts',
        from: 'keep.run(digestOf(scope, key),',
        to: 'keep.run(digestOf(key),',
      },
      {
        file: 'server/store/transfers/refusals.ts',
        from: 'find.get(digestOf(scope, key))',
        to: 'find.get(digestOf(key))',
      },
    ],
    file: refused,
    title: 'shares no key with another agent',
  },
  {
    name: 'room for answers that is never filled to the last byte',
    edits: one('server/engine/purchase/room.ts', 'if (lacking <= 0) return', 'if (lacking < 0) return'),
    file: room,
    title: 'are waited for while they are under way',
  },
  {
    name: 'answers that nobody fetched removed after an hour',
    edits: one(
      'server/engine/purchase/kept.ts',
      'store.answers.before(time.now() - keptMs,',
      'store.answers.before(time.now() - pruneEveryMs,',
    ),
    file: 'test/store/answer-files.test.ts',
    title: 'older than 24 hours, and not before',
  },
  {
    name: 'a disk whose last blocks are the administrator’s counted as free',
    edits: one(
      'server/lib/files/free-space.ts',
      'const { bavail, bsize } = statfsSync(folder);',
      'const { bfree: bavail, bsize } = statfsSync(folder);',
    ),
    file: 'test/host/kept-on-disk.test.ts',
    title: 'the free space of unprivileged programs',
  },
  {
    name: 'a wish of one agent answered by what another bought',
    edits: one(
      continuation,
      'JSON.stringify([principal, route, same]',
      "JSON.stringify([principal === '' ? '' : 'agent', route, same]",
    ),
    file: wishes,
    title: 'a purchase of another caller',
  },
  {
    name: 'a wish that another reason makes another one',
    edits: one('server/contract/payments/wishes.ts', "  'reason',\n", ''),
    file: wishes,
    title: 'whatever its reason',
  },
  {
    name: 'a wish that may cost exactly what it did refused',
    edits: one(
      continuation,
      'maxAmount === null || row.amount <= maxAmount)',
      'maxAmount === null || row.amount < maxAmount)',
    ),
    file: wishes,
    title: 'whatever it may cost',
  },
  {
    name: 'a wish of two calls attended by none when one ends',
    edits: one(
      'server/engine/payment/machine/attended.ts',
      'if (own?.size === 0) calls.delete(name);',
      'if (own !== undefined) calls.delete(name);',
    ),
    file: wishes,
    title: 'until the last call that waits for it has ended',
  },
  {
    name: 'a wish gone on with after its payment was cancelled',
    edits: one(
      continuation,
      '.filter((row) => !isVoid(row) &&',
      ".filter((row) => (!isVoid(row) || row.state === 'cancelled') &&",
    ),
    file: wishes,
    title: 'once its payment was cancelled before it was signed',
  },
  {
    name: 'a granted policy takes nothing away that no longer fits',
    edits: one(
      'server/engine/api/approvals.ts',
      'return { unfit: takeAwayUnfit(context, agentId) };',
      'return { unfit: takeAwayUnfit(context, pending.id) };',
    ),
    file: 'test/http/requests.test.ts',
    title: 'cancels waiting payments that no longer fit',
  },
  {
    name: 'a payment of which the owner knew counted when it was asked for',
    edits: one(
      approval,
      'reservedAt: now,\n    feeLamports: fee,',
      'reservedAt: transfer.createdAt,\n    feeLamports: fee,',
    ),
    file: approvals,
    title: 'waives the cooldown',
  },
  {
    name: 'what is granted judged without what is left of the ceiling',
    edits: one(
      'server/errors.ts',
      "owner_ceiling: { status: 402, end: 'refused', isRule: true }",
      "owner_ceiling: { status: 402, end: 'refused' }",
    ),
    file: approvals,
    title: 'when it no longer fits: the ceiling',
  },
  {
    name: 'a paid purchase told as unpaid where its answer has no room',
    edits: one(
      'server/engine/purchase/carry.ts',
      'await takeBoth(purchasing, wanted).catch(asPaid)',
      'await takeBoth(purchasing, wanted)',
    ),
    file: room,
    title: 'is reported as paid',
  },
  {
    name: 'an answer that was received before it was kept forgotten',
    edits: one(
      purchases,
      'if (arrived !== undefined) received.add(id);',
      'if (kept.of(id) !== undefined) received.add(id);',
    ),
    file: 'test/engine/slow-disk.test.ts',
    title: 'is marked as received',
  },
  {
    name: 'a key that was revoked before the signature pays',
    edits: one('server/engine/payment/machine/sign.ts', '    refuseRevoked(context, row.keyId);\n', ''),
    file: revoked,
    title: 'between reservation and signature',
  },
  {
    name: 'a key that was revoked before the decision pays',
    edits: one('server/engine/payment/decision/intent.ts', '  refuseRevoked(context, keyId);\n', ''),
    file: revoked,
    title: 'while its seller has yet to name a price',
  },
  {
    name: 'strangers that use up the passphrase tries of known terminals',
    edits: one(
      'server/http/logins.ts',
      'const name = `${callerOf(caller)} at ${door.name}`;',
      'const name = `anybody at ${door.name}`;',
    ),
    file: 'test/http/door/known-callers.test.ts',
    title: 'are counted apart from a terminal',
  },
  {
    name: 'strangers that push out the login of a known terminal',
    edits: one(
      'server/http/logins.ts',
      "const isKnown = callerOf(caller) !== 'stranger';",
      'const isKnown = false;',
    ),
    file: 'test/http/door/known-callers.test.ts',
    title: 'do not push out a login',
  },
  {
    name: 'equal calls of one client that share a purchase, whatever their numbers',
    edits: one(continuation, '    .slice(nth - 1);', '    .slice(nth > 0 ? 0 : nth);'),
    file: wishes,
    title: 'is as many purchases as its client numbers',
  },
  {
    name: 'a bridge that does not number its equal calls',
    edits: one(
      'server/mcp/buy.ts',
      'continues: nthOf(sending.signal, `${route} ${purchaseOf(body)}`),',
      'continues: nthOf(sending.signal, `${route} ${purchaseOf(body)} ${newKey()}`),',
    ),
    file: 'test/mcp/tools.test.ts',
    title: 'as many pictures as requested at once',
  },
  {
    name: 'an account opened that the approval did not show',
    edits: one(
      'server/engine/payment/decision/judge.ts',
      "reason === 'open_account' ? shown['opensAccount'] === undefined :",
      "reason === 'open_account' ? shown['opensAccount'] === 0 :",
    ),
    file: 'test/engine/decide.test.ts',
    title: 'is granted for the reasons that the owner was shown',
  },
  {
    name: 'a grant while a denial waits to take effect',
    edits: one(
      'server/engine/payment/owner/approval.ts',
      '  if (approval.denyAt !== null)\n    throw',
      '  if (approval.denyAt === 0)\n    throw',
    ),
    file: 'test/http/approvals.test.ts',
    title: 'prevents a grant',
  },
  {
    name: 'a denial that a stop turns into a cancellation',
    edits: one(
      'server/engine/payment/owner/approval.ts',
      "const ending = approval.denyAt === null ? status : 'denied';",
      'const ending = status;',
    ),
    file: 'test/http/approvals.test.ts',
    title: 'stands when a stop',
  },
  {
    name: 'wallets searched with a seed that an unlock overwrote',
    edits: one(
      'server/vault/open-keys.ts',
      'indexOf ??= indexOfWallet(held);',
      'const then = held();\n      indexOf ??= indexOfWallet(() => then);',
    ),
    file: 'test/vault/vault.test.ts',
    title: 'finds its wallets by their addresses',
  },
  {
    name: 'a cold wallet of the phrase itself, on the path of another wallet',
    edits: one(
      'server/vault/keys.ts',
      'const nodes = [account, childOf(account, 0), childOf(first, index)];',
      'const nodes = [childOf(account, 0)];',
    ),
    file: 'test/vault/keys.test.ts',
    title: 'that other wallets show for the phrase',
  },
];
