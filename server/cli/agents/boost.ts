// `treasury boost`: raises the budgets of an agent, of a group or of all agents until a time.
import type { Reply } from '../../contract/schemas.ts';
import { dateOrTime, limit } from '../arguments.ts';
import { commandGroup, ownerCommand } from '../command-row.ts';
import { groupNamed } from './groups.ts';
import { facts, inert, listing, moment } from '../table.ts';

type Boosted = Reply<'boostAgent'>;

const nameOf = ({ kind, name }: Boosted['node']): string =>
  kind === 'treasury' ? 'all agents' : kind === 'group' ? `the group ${inert(name)}` : inert(name);

const linesOf = ({ node, boost }: Boosted): string[] =>
  facts([
    [
      nameOf(node),
      boost === null
        ? 'no boost'
        : `${boost.amount} USDC more until ${moment(boost.until)} (${boost.boostId})`,
    ],
  ]);

const until = ['time', 'a date or a time, at most 7 days ahead; default: midnight', dateOrTime] as const;

const raising = {
  arguments: { usdc: ['how much more; 0 ends the boost', limit] },
  options: { until },
  show: linesOf,
} as const;

export const addBoost = commandGroup(
  'boost',
  'raise the budgets of a day, a week and a month together, until a time',
  [
    ownerCommand('list', {
      isDefault: true,
      about: 'list the boosts in force',
      examples: ['treasury boost'],
      ask: (owner) => owner.ask('listBoosts'),
      show: ({ boosts }, terminal) =>
        listing(
          terminal,
          boosts.flatMap(({ node, boost }) => (boost === null ? [] : [{ node, ...boost }])),
          'No boost is in force. Make one: treasury boost agent AGENT 2',
          {
            OF: ({ node }) => nameOf(node),
            MORE: 'amount',
            UNTIL: (boost) => moment(boost.until),
            BOOST: 'boostId',
          },
        ),
    }),
    ownerCommand('agent <agent> <usdc>', {
      about: 'raise the budgets of an agent',
      examples: ['treasury boost agent scout 2', 'treasury boost agent scout 0  # ends it'],
      ...raising,
      ask: (owner, { agent: agentId, usdc: amount, ...given }) =>
        owner.ask('boostAgent', { params: { agentId }, body: { amount, ...given } }),
    }),
    ownerCommand('group <group> <usdc>', {
      about: 'raise the budgets of a group',
      examples: ['treasury boost group Research 5 --until 2030-01-31'],
      ...raising,
      async ask(owner, { group: name, usdc: amount, ...given }) {
        const { groupId } = await groupNamed(owner, name);
        return owner.ask('boostGroup', { params: { groupId }, body: { amount, ...given } });
      },
    }),
    ownerCommand('all <usdc>', {
      about: 'raise the budgets over all agents',
      examples: ['treasury boost all 10'],
      ...raising,
      ask: (owner, { usdc: amount, ...given }) => owner.ask('boostTreasury', { body: { amount, ...given } }),
    }),
    ownerCommand('for <payment>', {
      about: 'raise every budget that refused a payment, so that it passes when the agent asks again',
      examples: [
        'treasury boost for pay_0mwtgw0wmafc15a8b890 --dry-run',
        'treasury boost for pay_0mwtgw0wmafc15a8b890',
      ],
      options: { until, dryRun: 'only say what would be raised' },
      ask: (owner, { payment: transferId, dryRun, ...body }) =>
        dryRun
          ? owner.ask('foreseeBoost', { params: { transferId } })
          : owner.ask('boostFor', { params: { transferId }, body }),
      show: ({ boosts, otherwise, until: end }) => [
        ...(boosts.length === 0 ? ['No budget is in its way.'] : []),
        ...facts(
          boosts.map(({ node, amount }) => [nameOf(node), `${amount} USDC more until ${moment(end)}`]),
        ),
        ...(otherwise === null ? [] : [`It would be refused all the same: ${otherwise}`]),
      ],
    }),
    ownerCommand('end <boost>', {
      about: 'end a boost; what was spent still counts',
      examples: ['treasury boost end bst_0mwtgw0wmafc15a8b891'],
      ask: (owner, { boost: boostId }) => owner.ask('endBoost', { params: { boostId } }),
      show: linesOf,
    }),
  ],
);
