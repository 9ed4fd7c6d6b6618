// Bugs that random lives find: test/world. Those of the second list show only after a death.
import type { TestTrial } from './caught-by-tests.ts';
import { one, type Bug } from '../planted-bugs.ts';

const path = 'server/engine/limits/path.ts';
const stop = 'server/engine/payment/owner/stop.ts';

type Found = Bug & TestTrial;
/** The seed whose lives find it, of those that `npm test` lives. */
const of = (seed: number): TestTrial => ({ file: 'test/world/world.test.ts', title: `of seed ${seed}` });
const [first, second] = [of(20_260_105), of(13)];

const shownAlive: readonly Found[] = [
  {
    name: 'world01: the budget of a group that nobody looks at',
    edits: one(
      path,
      'const scopes = scopesOf({ agentId, keyPath, groupId });',
      'const scopes = scopesOf({ agentId, keyPath, groupId: null });',
    ),
    ...first,
  },
  {
    name: 'world02: a delegated key that is not charged to the keys above it',
    edits: one(
      'server/engine/payment/decision/charge-path.ts',
      ': [...keyPathOf({ keys }, key.delegated.parentId), key.id];',
      ': [key.id];',
    ),
    ...first,
  },
  {
    name: 'world03: delegated keys that outlive the stop of their agent',
    edits: one(
      stop,
      'const keys = context.store.keys.delegated(agentId ?? null, context.time.now());',
      'const keys = agentId === undefined ? context.store.keys.delegated(null, context.time.now()) : [];',
    ),
    ...first,
  },
  {
    name: 'world04: approvals that outlive the suspension of their agent',
    edits: one(
      stop,
      '.filter((it) => agentId === undefined || movesMoney(it));',
      '.filter((it) => agentId === undefined && movesMoney(it));',
    ),
    ...first,
  },
  {
    name: 'world05: an agent that may join a stopped group',
    edits: one(
      'server/engine/api/limits/groups.ts',
      "if (groupId !== null && groupNamed(context, groupId, 'groupId').stoppedAt !== null)",
      "if (groupId !== null && groupNamed(context, groupId, 'groupId').archivedAt !== null)",
    ),
    ...first,
  },
  {
    name: 'world06: a boost that counts for an hour after its end',
    edits: one(
      path,
      'const boost = store.boosts.of(scope, now);',
      'const boost = store.boosts.of(scope, now - 3_600_000);',
    ),
    ...second,
  },
  {
    name: 'world07: a key that outlives the key that delegated it',
    edits: one(
      'server/engine/api/delegated-keys.ts',
      'const latest = Math.min(now + longestMs, parent?.expiresAt ?? Infinity);',
      'const latest = Math.min(now + longestMs, parent === null ? Infinity : now + longestMs);',
    ),
    ...first,
  },
  {
    name: 'world08: signed bytes shown to a facilitator although everything is stopped',
    edits: [
      {
        file: stop,
        from: "row.state === 'signed' && boundByFreeze(row))",
        to: "row.state === 'signed' && boundByFreeze(row) && row.purchase === null)",
      },
      {
        file: 'server/engine/payment/machine/send.ts',
        from: "  if (stop !== null) {\n    if (row.state === 'signed' && !isOnlyUnread(stop))",
        to: "  if (stop !== null && row.state !== 'signed') {\n    if (row.id === '' && !isOnlyUnread(stop))",
      },
    ],
    ...first,
  },
  {
    name: 'world09: a granted payment that is charged to its agent alone',
    edits: one(
      'server/engine/payment/owner/approval.ts',
      '    groupId: pathAtGrant(context, transfer).groupId,\n',
      '    groupId: null,\n',
    ),
    ...first,
  },
  {
    name: 'world18: what a phone approved in a day, which is not added up',
    edits: one(
      'server/engine/api/phones/obey-word.ts',
      'store.phones.approvedSince(walletId, now - dayMs);',
      'store.phones.approvedSince(walletId, now);',
    ),
    ...first,
  },
  {
    name: 'world19: money that goes to an agent although everything is stopped',
    edits: one(
      'server/engine/payment/context.ts',
      "kind === 'payment' || kind === 'charge' || kind === 'allocation' || kind === 'anchor';",
      "kind === 'payment' || kind === 'charge' || kind === 'anchor';",
    ),
    ...first,
  },
  {
    name: 'world20: money that cannot be called back while everything is stopped',
    edits: one(
      'server/engine/payment/context.ts',
      "kind === 'payment' || kind === 'charge' || kind === 'allocation' || kind === 'anchor';",
      "kind !== 'withdrawal' && kind !== 'refund';",
    ),
    ...first,
  },
];

const shownByDeath: readonly Found[] = [
  {
    name: 'world10: a decision that is answered before it is on the disk',
    edits: one(
      'server/engine/calls/request.ts',
      '() => store.grouped(decide));',
      '() => ({ result: store.lazily(decide), durable: Promise.resolve() }));',
    ),
    ...first,
  },
  {
    name: 'world11: a freeze that waits for the next commit',
    edits: one(
      stop,
      '    done = store.atomically(() => {\n      const before',
      '    done = store.lazily(() => {\n      const before',
    ),
    ...first,
  },
  {
    name: 'world12: the end of a key that waits for the next commit',
    edits: one(
      'server/engine/api/delegated-keys.ts',
      'const cancelled = context.store.atomically(() => revokeKeys(context, ended));',
      'const cancelled = context.store.lazily(() => revokeKeys(context, ended));',
    ),
    ...second,
  },
  {
    name: 'world13: sums that a start makes again without what is open',
    edits: one(
      'server/store/spending/spending.ts',
      '  const open = rows.open();\n',
      '  const open = { ...rows.open(), amount: usdc(0n) };\n',
    ),
    ...first,
  },
];

const ofStarts: readonly Found[] = [
  {
    name: 'world14: a reservation that the next process carries on after a death',
    edits: one(
      'server/engine/payment/machine/recovery.ts',
      "if (row.state === 'reserved') cancelIfStale(recovering, row, starting);",
      "if (row.state === 'reserved' && starting) await machine.advance(row.id);\n    else if (row.state === 'reserved') cancelIfStale(recovering, row, starting);",
    ),
    ...second,
  },
  {
    name: 'world16: what was signed before a death taken for dead',
    edits: one(
      'server/engine/payment/machine/recovery.ts',
      "const toSend = open.filter((row) => row.state === 'signed' && !machine.busy(row.id));",
      `const toSend: Transfer[] = [];
      for (const row of open)
        if (row.state === 'signed' && starting) machine.applyProof(row.id, { dead: true, evidence: {} });`,
    ),
    ...first,
  },
  {
    name: 'world17: what was signed before a death is not sent by the next start',
    edits: one(
      'server/engine/payment/machine/recovery.ts',
      "row.state === 'signed' && !machine.busy(row.id)",
      "row.state === 'signed' && !starting && !machine.busy(row.id)",
    ),
    ...first,
  },
  {
    name: 'world15: a stop from a phone that waits until a start is over',
    edits: one(
      'server/engine/engine.ts',
      '  await parts.remoteWords.look();\n  await parts.recovery.look(true);',
      '  await parts.recovery.look(true);\n  await parts.remoteWords.look();',
    ),
    ...second,
  },
];

export const bugsOfTheWorld: readonly Found[] = [...shownAlive, ...shownByDeath, ...ofStarts];
