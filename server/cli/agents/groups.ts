// `treasury groups`: the owner's groups of agents: their limits, their agents, and one word that stops them all.
import type { Command } from 'commander';
import type { Reply } from '../../contract/schemas.ts';
import { AppError } from '../../errors.ts';
import { limitLines } from './limits.ts';
import { addLimitOptions, changeIn } from './policy-options.ts';
import { asOwner } from '../session.ts';
import { facts, moment, table } from '../table.ts';
import { show, type Terminal } from '../terminal.ts';

type Group = Reply<'getGroup'>;
type Change = Record<string, unknown>;

export const addGroups = (program: Command, terminal: () => Terminal): void => {
  const groups = program.command('groups').description('groups of agents, with limits that they share');
  groups
    .command('list', { isDefault: true })
    .description('list them')
    .action(() => list(terminal()));
  addLimitOptions(
    groups.command('add <name>').description('create one, with the limits that are given'),
  ).action((name: string, given: Change) => add(terminal(), name, changeIn(given)));
  groups
    .command('rename <group> <name>')
    .description('change its name')
    .action((group: string, name: string) =>
      change(terminal(), group, (owner, params) => owner.ask('renameGroup', { params, body: { name } })),
    );
  addLimitOptions(
    groups.command('set <group>').description('print its limits, or change those that are given'),
  ).action((group: string, given: Change) => set(terminal(), group, changeIn(given)));
  groups
    .command('stop <group>')
    .description('pause all its agents: they pay nothing until you resume it')
    .action((group: string) =>
      change(terminal(), group, (owner, params) => owner.ask('stopGroup', { params })),
    );
  groups
    .command('resume <group>')
    .description('let the agents pay again that its stop paused')
    .action((group: string) =>
      change(terminal(), group, (owner, params) => owner.ask('resumeGroup', { params })),
    );
  groups
    .command('archive <group>')
    .description('hide a group that has no agents')
    .action((group: string) => archive(terminal(), group));
  groups
    .command('move <agent> <group-or-none>')
    .description('put an agent into a group, or into none; what it spent stays where it was')
    .action((agentId: string, group: string) => move(terminal(), agentId, group));
};

type Owner = ReturnType<typeof asOwner>;

/** @throws AppError `not_found` when no group has this id or this name */
export const groupNamed = async (owner: Owner, group: string): Promise<Group> => {
  const { groups } = await owner.ask('listGroups');
  const found = groups.find((one) => one.groupId === group) ?? groups.find((one) => one.name === group);
  if (found !== undefined) return found;
  throw new AppError('not_found', `There is no group ${group}. treasury groups lists them.`);
};

const list = async (terminal: Terminal): Promise<void> => {
  const answer = await asOwner(terminal).ask('listGroups');
  show(terminal, answer, () =>
    answer.groups.length === 0
      ? ['No groups yet. Make one: treasury groups add NAME --daily-budget 5']
      : table(
          terminal,
          ['GROUP', 'STATUS', 'AGENTS', 'SPENT TODAY', 'DAILY BUDGET', 'ID'],
          answer.groups.map((group) => [
            group.name,
            group.stoppedAt === null ? 'active' : 'stopped',
            String(group.agents.length),
            group.spentToday,
            group.limits.dailyBudget ?? '',
            group.groupId,
          ]),
        ),
  );
};

const groupLines = (terminal: Terminal, group: Group): string[] => [
  ...facts([
    ['Group', `${group.name} (${group.groupId})`],
    ['Status', group.stoppedAt === null ? 'active' : `stopped since ${moment(group.stoppedAt)}`],
    ['Agents', group.agents.length === 0 ? 'none' : group.agents.join(', ')],
    ['Spent today', `${group.spentToday} USDC`],
  ]),
  '',
  ...limitLines(terminal, group, 'No limits of its own.'),
];

const add = async (terminal: Terminal, name: string, limits: Change): Promise<void> => {
  const group = await asOwner(terminal).ask('createGroup', { body: { name, limits } });
  show(terminal, group, () => groupLines(terminal, group));
};

const change = async (
  terminal: Terminal,
  name: string,
  run: (owner: Owner, params: { groupId: string }) => Promise<Group>,
): Promise<void> => {
  const owner = asOwner(terminal);
  const { groupId } = await groupNamed(owner, name);
  const group = await run(owner, { groupId });
  show(terminal, group, () => groupLines(terminal, group));
};

const set = (terminal: Terminal, name: string, body: Change): Promise<void> =>
  change(terminal, name, (owner, params) =>
    Object.keys(body).length === 0
      ? owner.ask('getGroup', { params })
      : owner.ask('setGroupLimits', { params, body }),
  );

const archive = async (terminal: Terminal, name: string): Promise<void> => {
  const owner = asOwner(terminal);
  const { groupId } = await groupNamed(owner, name);
  const archived = await owner.ask('archiveGroup', { params: { groupId } });
  show(terminal, archived, () => facts([[name, 'archived']]));
};

const move = async (terminal: Terminal, agentId: string, name: string): Promise<void> => {
  const owner = asOwner(terminal);
  const groupId = name === 'none' ? null : (await groupNamed(owner, name)).groupId;
  const moved = await owner.ask('setAgentGroup', { params: { agentId }, body: { groupId } });
  show(terminal, moved, () => facts([[agentId, groupId === null ? 'in no group' : `in the group ${name}`]]));
};
