// `treasury groups`: the owner's groups of agents: their limits, their agents, and one word that stops them all.
import type { Client } from '../../client/client.ts';
import type { Reply } from '../../contract/schemas.ts';
import { AppError } from '../../errors.ts';
import { commandGroup, ownerCommand } from '../command-row.ts';
import { limitLines } from './limits.ts';
import { changeIn, limitOptions } from './policy-options.ts';
import { endedLines, facts, listing, moment } from '../table.ts';
import type { Terminal } from '../terminal.ts';

type Group = Reply<'getGroup'>;

/** @throws AppError `not_found` when no group has this id or this name */
export const groupNamed = async (owner: Client, group: string): Promise<Group> => {
  const { groups } = await owner.ask('listGroups');
  const found = groups.find((one) => one.groupId === group) ?? groups.find((one) => one.name === group);
  if (found !== undefined) return found;
  throw new AppError('not_found', `There is no group ${group}. treasury groups lists them.`);
};

/** The parameter of the routes of a group. */
const paramsOf = async (owner: Client, name: string): Promise<{ groupId: string }> => ({
  groupId: (await groupNamed(owner, name)).groupId,
});

const groupLines = (group: Group, terminal: Terminal): string[] => [
  ...facts([
    ['Group', `${group.name} (${group.groupId})`],
    ['Status', group.stoppedAt === null ? 'active' : `stopped since ${moment(group.stoppedAt)}`],
    ['Agents', group.agents.length === 0 ? 'none' : group.agents.join(', ')],
    ['Spent today', `${group.spentToday} USDC`],
  ]),
  '',
  ...limitLines(terminal, group, 'No limits of its own.'),
];

export const addGroups = commandGroup('groups', 'groups of agents, with limits that they share', [
  ownerCommand('list', {
    isDefault: true,
    about: 'list them',
    examples: ['treasury groups', 'treasury groups --json | jq -r ".groups[].name"'],
    ask: (owner) => owner.ask('listGroups'),
    show: ({ groups }, terminal) =>
      listing(terminal, groups, 'No groups yet. Make one: treasury groups add NAME --daily-budget 5', {
        GROUP: 'name',
        STATUS: ({ stoppedAt }) => (stoppedAt === null ? 'active' : 'stopped'),
        AGENTS: ({ agents }) => agents.length,
        'SPENT TODAY': 'spentToday',
        'DAILY BUDGET': ({ limits }) => limits.dailyBudget,
        ID: 'groupId',
      }),
  }),
  ownerCommand('add <name>', {
    about: 'create one, with the limits that are given',
    examples: ['treasury groups add Research --daily-budget 5 --payments-per-hour 60'],
    options: limitOptions,
    ask: (owner, { name, ...given }) => owner.ask('createGroup', { body: { name, limits: changeIn(given) } }),
    show: groupLines,
  }),
  ownerCommand('rename <group> <name>', {
    about: 'change its name',
    examples: ['treasury groups rename Research Science'],
    ask: async (owner, { group: old, name }) =>
      owner.ask('renameGroup', { params: await paramsOf(owner, old), body: { name } }),
    show: groupLines,
  }),
  ownerCommand('set <group>', {
    about: 'print its limits, or change those that are given',
    examples: [
      'treasury groups set Research',
      'treasury groups set Research --monthly-budget 60 --active-hours "mon-fri 08:00-19:00"',
      'treasury groups set Research --monthly-budget none',
    ],
    options: limitOptions,
    async ask(owner, { group: name, ...given }) {
      const params = await paramsOf(owner, name);
      const body = changeIn(given);
      if (Object.keys(body).length === 0) return owner.ask('getGroup', { params });
      return owner.ask('setGroupLimits', { params, body });
    },
    show: groupLines,
  }),
  ownerCommand('stop <group>', {
    about: 'pause all its agents: they pay nothing until you resume it',
    examples: ['treasury groups stop Research'],
    ask: async (owner, { group: name }) => owner.ask('stopGroup', { params: await paramsOf(owner, name) }),
    show: (group, terminal) => [...groupLines(group, terminal), ...endedLines(group.ended)],
  }),
  ownerCommand('resume <group>', {
    about: 'let the agents pay again that its stop paused',
    examples: ['treasury groups resume Research'],
    ask: async (owner, { group: name }) => owner.ask('resumeGroup', { params: await paramsOf(owner, name) }),
    show: groupLines,
  }),
  ownerCommand('archive <group>', {
    about: 'hide a group that has no agents',
    examples: ['treasury groups archive Research'],
    ask: async (owner, { group: name }) => owner.ask('archiveGroup', { params: await paramsOf(owner, name) }),
    show: (_reply, _terminal, { group: name }) => facts([[name, 'archived']]),
  }),
  ownerCommand('move <agent> <group-or-none>', {
    about: 'put an agent into a group, or into none; what it spent stays where it was',
    examples: ['treasury groups move scout Research', 'treasury groups move scout none'],
    async ask(owner, { agent: agentId, 'group-or-none': name }) {
      const body = name === 'none' ? { groupId: null } : await paramsOf(owner, name);
      return owner.ask('setAgentGroup', { params: { agentId }, body });
    },
    show: (_reply, _terminal, { agent, 'group-or-none': name }) =>
      facts([[agent, name === 'none' ? 'in no group' : `in the group ${name}`]]),
  }),
]);
