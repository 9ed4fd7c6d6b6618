// Bugs of delegated keys, boosts, refills and counted payments, each with the test that has to catch it.
import type { TestTrial } from './caught-by-tests.ts';
import { one, type Bug } from '../planted-bugs.ts';

const keys = 'test/http/limits/delegated-keys.test.ts';
const ends = 'test/http/limits/delegated-key-ends.test.ts';
const boosts = 'test/http/limits/boosts.test.ts';
const path = 'server/engine/limits/path.ts';

const bugsOfDelegatedKeys: readonly (Bug & TestTrial)[] = [
  {
    name: 'k01: a payment of a delegated key charged to that key and to none above it',
    edits: one(
      'server/engine/domain/limits.ts',
      'scopeOfKey(at + 1, keyId)).toReversed(),',
      'scopeOfKey(at + 1, keyId)).slice(-1),',
    ),
    file: keys,
    title: 'pays within every limit of its path',
  },
  {
    name: 'k02: a delegated key that outlives its parent',
    edits: one(
      'server/engine/payment/owner/revoke.ts',
      '[parent, ...withDescendants({ keys }, keys.children(parent.id))]',
      "[parent, ...withDescendants({ keys }, keys.children(''))]",
    ),
    file: ends,
    title: 'by none of its routes once its parent ends',
  },
  {
    name: 'k03: a delegated key that may end after its parent',
    edits: one(
      'server/engine/api/delegated-keys.ts',
      'Math.min(now + longestMs, parent?.expiresAt ?? Infinity)',
      'now + longestMs',
    ),
    file: keys,
    title: 'an end within 30 days and its parent’s',
  },
  {
    name: 'k04: a delegated key that lives one millisecond longer',
    edits: one(
      'server/engine/payment/context.ts',
      '(expiresAt === null || expiresAt > now)) return;',
      '(expiresAt === null || expiresAt >= now)) return;',
    ),
    file: keys,
    title: 'ends with its expiry',
  },
  {
    name: 'k05: a stop that leaves delegated keys in force',
    edits: one(
      'server/engine/payment/owner/stop.ts',
      '...revokeKeys(context, keys)],',
      '...revokeKeys(context, keys.slice(keys.length))],',
    ),
    file: ends,
    title: 'by none of its routes once its group is stopped',
  },
  {
    name: 'k06: a delegated key that reads what its siblings made',
    edits: one(
      'server/engine/api/path.ts',
      'caller.keyLevel === 0 || keyPath.includes(caller.keyId);',
      'caller.keyLevel === 0 || keyPath.length > 0;',
    ),
    file: keys,
    title: 'finds nothing that another key made',
  },
  {
    name: 'k07: a delegated key that continues what its siblings began',
    edits: one(
      'server/engine/calls/call.ts',
      "caller.role === 'agent' && caller.keyLevel > 0 ? `key:${caller.keyId}` : scope;",
      "caller.role === 'agent' && caller.keyLevel > 3 ? `key:${caller.keyId}` : scope;",
    ),
    file: keys,
    title: 'continues only what the same key began',
  },
  {
    name: 'k08: a delegated key let in by the routes of its agent',
    edits: one(
      'server/http/auth.ts',
      "if (caller.keyLevel > 0 && access !== 'key') throw",
      "if (caller.keyLevel > 3 && access !== 'key') throw",
    ),
    file: 'test/http/hostile/hostile-delegate.test.ts',
    title: 'is let in by no route but its own',
  },
];

const bugsOfOtherNodes: readonly (Bug & TestTrial)[] = [
  {
    name: 'l11: the limits of a group that a decision does not read',
    edits: one(
      path,
      'const scopes = scopesOf({ agentId, keyPath, groupId });',
      'const scopes = scopesOf({ agentId, keyPath, groupId: null });',
    ),
    file: 'test/http/limits/groups.test.ts',
    title: 'binds its agents together',
  },
  {
    name: 'l12: a number of payments that counts denials',
    edits: one(
      'server/engine/domain/spending.ts',
      'isSpending(transfer) && !isVoid(transfer) ? transfer.reservedAt : null;',
      'isSpending(transfer) ? (transfer.reservedAt ?? transfer.createdAt) : null;',
    ),
    file: 'test/http/limits/limits.test.ts',
    title: 'counts no refusals',
  },
  {
    name: 'l13: a policy that lasts one millisecond longer',
    edits: one(
      'server/engine/limits/node-rules.ts',
      'expiresAt === null || now < expiresAt\n',
      'expiresAt === null || now <= expiresAt\n',
    ),
    file: 'test/engine/decide.test.ts',
    title: 'until the very end of a policy',
  },
  {
    name: 'b01: a boost that never ends',
    edits: one(
      'server/store/boosts.ts',
      'boost !== undefined && boost.until > now ? boost : null;',
      'boost !== undefined && boost.until > 0 ? boost : null;',
    ),
    file: boosts,
    title: 'ends by itself',
  },
  {
    name: 'b02: a boost counted twice',
    edits: one(
      path,
      'limits: boosted(limits, boost), totalSince',
      'limits: boosted(boosted(limits, boost), boost), totalSince',
    ),
    file: boosts,
    title: 'is one at a time on a node',
  },
  {
    name: 'r01: a refill made twice',
    edits: [
      {
        file: 'server/engine/records/refills.ts',
        from: 'agent === undefined ? null : refillDueNow(context, agent, time.now());',
        to: 'agent === undefined ? null : foreseen;',
      },
      {
        file: 'server/store/migrations/21-refills.ts',
        from: 'CREATE UNIQUE INDEX transfer_refill_open',
        to: 'CREATE INDEX transfer_refill_open',
      },
    ],
    file: boosts,
    title: 'is one at a time, however often',
  },
  {
    name: 'r02: a refill over what the owner allows in a day',
    edits: [
      {
        file: 'server/engine/limits/refill.ts',
        from: 'refill.perDay - refilled, source]',
        to: 'refill.perDay, source]',
      },
      {
        file: 'server/engine/payment/decision/refill-facts.ts',
        from: 'if (refilled <= refill.perDay && row.amount',
        to: 'if (row.amount <= refill.perDay && row.amount',
      },
    ],
    file: boosts,
    title: 'never gives more than perDay',
  },
  {
    name: 'r03: a refill from what is left when a payment under way is taken off twice',
    edits: one(
      'server/engine/limits/refill.ts',
      'refill.to - atLeastZero(most)',
      'refill.to - atLeastZero(least)',
    ),
    file: boosts,
    title: 'never fills above to while a payment',
  },
  {
    name: 'r04: a refill from a balance that is in doubt',
    edits: one(
      'server/engine/payment/decision/balance.ts',
      'addUsdc(wallet.balance, wallet.doubt)',
      'addUsdc(wallet.balance, usdc(0n))',
    ),
    file: boosts,
    title: 'never fills above to from a balance in doubt',
  },
];

const atServices = 'test/http/limits/limits.test.ts';

const bugsOfServiceLimits: readonly (Bug & TestTrial)[] = [
  {
    name: 'x01: a limit at a service that does not count what is reserved there',
    edits: one(
      'server/store/spending/spending.ts',
      'meters.addReserved(scope, is.held.amount);',
      'meters.addReserved(scope, 0n);',
    ),
    file: 'test/store/spending.test.ts',
    title: 'whenever a limit is set',
  },
  {
    name: 'x02: a limit at a service that counts what is spent at all of them',
    edits: one(
      path,
      'const part = scopeOfService(scope, serviceId);',
      'const part = scope + serviceId.slice(0, 0);',
    ),
    file: atServices,
    title: 'counts what was spent there before it was set, and nothing else',
  },
  {
    name: 'x03: an agent that takes away a limit at a service without asking',
    edits: one(
      'server/contract/limits/service-limits.ts',
      'limit === undefined || (after !== undefined && after <= limit)',
      'limit === undefined || after === undefined || after <= limit',
    ),
    file: atServices,
    title: 'anything wider asks the owner',
  },
  {
    name: 'x06: a change of the limits at one service that takes away those at others',
    edits: one(
      'server/engine/api/limits/limit-changes.ts',
      'withServiceLimits(limits.serviceLimits, change.serviceLimits)',
      'withServiceLimits(null, change.serviceLimits)',
    ),
    file: atServices,
    title: 'stays when a change names other services alone',
  },
  {
    name: 'x04: a seller paid under another name to evade its limit',
    edits: one(
      'server/engine/payment/decision/judge.ts',
      'limitedSeller(store, nodes, payee)',
      'limitedSeller(store, [], payee)',
    ),
    file: atServices,
    title: 'is not evaded by another name',
  },
  {
    name: 'x05: a limit at a service that is not summed again after a restart',
    edits: one(
      'server/engine/limits/windows.ts',
      'limit[budgetFields[window]] === undefined ? [] : [serviceMeters[window]],',
      'limit[budgetFields[window]] === undefined ? [] : [serviceMeters.month],',
    ),
    file: 'test/engine/windows.test.ts',
    title: 'for limits in force alone',
  },
];

export const bugsOfNestedLimits = [...bugsOfDelegatedKeys, ...bugsOfOtherNodes, ...bugsOfServiceLimits];
