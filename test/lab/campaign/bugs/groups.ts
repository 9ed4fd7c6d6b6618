// Bugs of groups of agents that a test of the suite has to catch: sums, paths and stops.
import type { TestTrial } from './caught-by-tests.ts';
import { one, type Bug } from '../planted-bugs.ts';

const groups = 'test/http/limits/groups.test.ts';
const paths = 'server/engine/payment/decision/charge-path.ts';
const stop = 'server/engine/payment/owner/stop.ts';

export const bugsOfGroups: readonly (Bug & TestTrial)[] = [
  {
    name: 'g01: a payment charged to no group',
    edits: one(
      'server/engine/domain/limits.ts',
      '  ...(groupId === null ? [] : [scopeOfGroup(groupId)]),\n',
      "  ...(groupId === null || agentId !== '' ? [] : [scopeOfGroup(groupId)]),\n",
    ),
    file: groups,
    title: 'binds its agents together',
  },
  {
    name: 'g02: a refund credited to the group that its agent is in by then',
    edits: one(
      paths,
      'if (charge !== undefined) return { keyPath: charge.keyPath, groupId: charge.groupId };',
      'if (charge !== undefined && charge.agentId !== null) return pathNow(store, charge.agentId, null);',
    ),
    file: 'test/http/generation.test.ts',
    title: 'is refunded to the group that it was charged to',
  },
  {
    name: 'g03: a held payment charged to the group that its agent was in when it asked',
    edits: one(
      'server/engine/payment/owner/approval.ts',
      'groupId: pathAtGrant(context, transfer).groupId,',
      'groupId: transfer.groupId,',
    ),
    file: groups,
    title: 'judges a held payment by the group',
  },
  {
    name: 'g04: a stop of a group that misses an agent',
    edits: one(stop, 'return membersOf(context, id).map(', 'return membersOf(context, id).slice(1).map('),
    file: groups,
    title: 'suspends its agents, and resuming it resumes those alone',
  },
  {
    name: 'g05: a group resumed with the agents that were paused by themselves',
    edits: one(
      stop,
      '.filter(({ stoppedWith }) => stoppedWith === id);',
      '.filter(({ groupId }) => groupId === id);',
    ),
    file: groups,
    title: 'suspends its agents, and resuming it resumes those alone',
  },
  {
    name: 'g06: a stop that meets the stop of a group, and is forgotten with it',
    edits: one(
      stop,
      'if (agent.stoppedWith !== null && agent.stoppedWith !== change.stoppedWith)',
      'if (agentId === change.stoppedWith)',
    ),
    file: groups,
    title: 'no stop that came after it is',
  },
  {
    name: 'g07: an agent told of the limits of its group',
    edits: one(
      'server/contract/refusals/to-agent.ts',
      'if (node === null) return details;',
      "if (node === null || node.kind === 'group') return details;",
    ),
    file: groups,
    title: 'tells its agent no name',
  },
];
