// `treasury boost`: raises the budgets of an agent, of a group or of all agents until a time.
import type { Command } from 'commander';
import type { Reply } from '../../contract/schemas.ts';
import { dateOrTime, limit } from '../arguments.ts';
import { groupNamed } from './groups.ts';
import { asOwner } from '../session.ts';
import { facts, inert, moment, table } from '../table.ts';
import { show, type Terminal } from '../terminal.ts';

interface Given {
  until?: string;
}

const untilOption = ['--until <time>', 'a date or a time, at most 7 days ahead; default: midnight'] as const;

export const addBoost = (program: Command, terminal: () => Terminal): void => {
  const boost = program
    .command('boost')
    .description('raise the budgets of a day, a week and a month together, until a time');
  boost
    .command('list', { isDefault: true })
    .description('list the boosts in force')
    .action(() => list(terminal()));
  boost
    .command('agent <agent>')
    .argument('<usdc>', 'how much more; 0 ends the boost', limit)
    .description('raise the budgets of an agent')
    .option(...untilOption, dateOrTime)
    .action(async (agentId: string, amount: string, given: Given) => {
      const body = { amount, ...given };
      showBoost(terminal(), await asOwner(terminal()).ask('boostAgent', { params: { agentId }, body }));
    });
  boost
    .command('group <group>')
    .argument('<usdc>', 'how much more; 0 ends the boost', limit)
    .description('raise the budgets of a group')
    .option(...untilOption, dateOrTime)
    .action(async (name: string, amount: string, given: Given) => {
      const owner = asOwner(terminal());
      const { groupId } = await groupNamed(owner, name);
      const body = { amount, ...given };
      showBoost(terminal(), await owner.ask('boostGroup', { params: { groupId }, body }));
    });
  boost
    .command('all')
    .argument('<usdc>', 'how much more; 0 ends the boost', limit)
    .description('raise the budgets over all agents')
    .option(...untilOption, dateOrTime)
    .action(async (amount: string, given: Given) => {
      showBoost(terminal(), await asOwner(terminal()).ask('boostTreasury', { body: { amount, ...given } }));
    });
  boost
    .command('for <payment>')
    .description('raise every budget that refused a payment, so that it passes when the agent asks again')
    .option(...untilOption, dateOrTime)
    .option('--dry-run', 'only say what would be raised', false)
    .action((transferId: string, { dryRun, ...given }: Given & { dryRun: boolean }) =>
      forPayment(terminal(), transferId, dryRun, given),
    );
  boost
    .command('end <boost>')
    .description('end a boost; what was spent still counts')
    .action(async (boostId: string) => {
      showBoost(terminal(), await asOwner(terminal()).ask('endBoost', { params: { boostId } }));
    });
};

type Boosted = Reply<'boostAgent'>;

const nameOf = ({ kind, name }: Boosted['node']): string =>
  kind === 'treasury' ? 'all agents' : kind === 'group' ? `the group ${inert(name)}` : inert(name);

const showBoost = (terminal: Terminal, boosted: Boosted): void =>
  show(terminal, boosted, () =>
    facts([
      [
        nameOf(boosted.node),
        boosted.boost === null
          ? 'no boost'
          : `${boosted.boost.amount} USDC more until ${moment(boosted.boost.until)} (${boosted.boost.boostId})`,
      ],
    ]),
  );

const list = async (terminal: Terminal): Promise<void> => {
  const found = await asOwner(terminal).ask('listBoosts');
  show(terminal, found, () =>
    found.boosts.length === 0
      ? ['No boost is in force. Make one: treasury boost agent AGENT 2']
      : table(
          terminal,
          ['OF', 'MORE', 'UNTIL', 'BOOST'],
          found.boosts.flatMap(({ node, boost }) =>
            boost === null ? [] : [[nameOf(node), boost.amount, moment(boost.until), boost.boostId]],
          ),
        ),
  );
};

const forPayment = async (
  terminal: Terminal,
  transferId: string,
  isDryRun: boolean,
  body: Given,
): Promise<void> => {
  const params = { transferId };
  const owner = asOwner(terminal);
  const needed = isDryRun
    ? await owner.ask('foreseeBoost', { params })
    : await owner.ask('boostFor', { params, body });
  show(terminal, needed, () => [
    ...(needed.boosts.length === 0 ? ['No budget is in its way.'] : []),
    ...facts(
      needed.boosts.map(({ node, amount }) => [
        nameOf(node),
        `${amount} USDC more until ${moment(needed.until)}`,
      ]),
    ),
    ...(needed.otherwise === null ? [] : [`It would be refused all the same: ${needed.otherwise}`]),
  ]);
};
