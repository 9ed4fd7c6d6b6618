// `treasury limits`: what is used of the limits of an agent and of those above it; without an agent, of the limits over
// all agents together, which it also sets.
import { unknownServicesSentence } from '../../contract/limits/service-limits.ts';
import { fieldNamed } from '../../contract/limits/policy-fields.ts';
import type { Reply } from '../../contract/schemas.ts';
import { command } from '../command-row.ts';
import { Ending } from '../ending.ts';
import { writeLimits } from './limits-file.ts';
import { changeIn, limitOptions, setLimits } from './policy-options.ts';
import { asAgentOrOwner, asOwner } from '../session.ts';
import { facts, inert, listing, moment } from '../table.ts';
import { show, type Terminal } from '../terminal.ts';

export const addLimits = command('limits [agent]', {
  about: 'print what is used of an agent’s limits; without an agent, those of all agents, or change them',
  examples: [
    'treasury limits scout',
    'treasury limits  # of all agents together',
    'treasury limits --monthly-budget 200  # sets one',
    'treasury limits --out limits.json',
  ],
  options: {
    ...limitOptions,
    out: ['file', 'write the limits of all agents, groups and delegated keys to a new file, as JSON'],
  },
  async run(terminal, { agent: agentId, out, ...given }) {
    const isChange = Object.keys(given).length > 0;
    if (out !== undefined) {
      if (agentId !== undefined || isChange)
        throw new Ending('usage', '--out writes all limits, and takes neither an agent nor a limit.');
      return writeLimits(terminal, out);
    }
    if (agentId === undefined) return ofAll(terminal, changeIn(given));
    if (isChange)
      throw new Ending('usage', `The limits of an agent are its policy: treasury policy ${agentId} --help`);
    return ofAgent(terminal, agentId);
  },
});

const ofAgent = async (terminal: Terminal, agentId: string): Promise<void> => {
  const found = await asAgentOrOwner(terminal).ask('getLimits', { params: { agentId } });
  const { above, ...own } = found;
  show(terminal, found, () => [
    ...usedLines(terminal, own),
    ...forecastLines(found),
    ...above.flatMap(({ node, ...used }) =>
      isEmpty(used)
        ? []
        : [
            '',
            node.kind === 'group' ? `The group ${inert(node.name)}:` : 'All agents together:',
            ...usedLines(terminal, used),
          ],
    ),
  ]);
};

const ofAll = async (terminal: Terminal, body: Record<string, unknown>): Promise<void> => {
  const owner = asOwner(terminal);
  const found =
    Object.keys(body).length === 0
      ? await owner.ask('getTreasuryLimits')
      : await owner.ask('setTreasuryLimits', { body });
  show(terminal, found, () => limitLines(terminal, found, 'No limit for all agents together.'));
};

const forecastLines = ({ forecast: { usedUp, monthEnd } }: Reply<'getLimits'>): string[] =>
  facts([
    ...usedUp.map(
      ({ field, at, basis }) =>
        [fieldNamed(field)?.command.label ?? field, `runs out around ${moment(at)}, ${basis}`] as const,
    ),
    [
      'This month',
      monthEnd &&
        `${monthEnd.spent} USDC so far, on track for about ${Number(monthEnd.amount).toFixed(2)} USDC, ${monthEnd.basis}`,
    ],
  ]);

type Used = Reply<'getTreasuryLimits'>['used'];

const isUsed = ({ budgets, rates, services }: Used): boolean =>
  budgets.length + rates.length + services.length > 0;
const isEmpty = (used: Used): boolean => !isUsed(used) && used.opensAt === null && used.expiresAt === null;

/** The limits that are set, and their use. @param none where nothing is set */
export const limitLines = (
  terminal: Terminal,
  { limits, unknownServices, used }: Reply<'getTreasuryLimits'>,
  none: string,
): string[] => {
  const set = setLimits(limits);
  if (set.length === 0) return [none];
  return [
    ...facts(set),
    ...unknownServicesSentence(unknownServices),
    ...(isUsed(used) ? ['', ...usedTable(terminal, used)] : []),
  ];
};

const usedTable = (terminal: Terminal, { budgets, rates, services }: Used): string[] =>
  listing(terminal, [...budgets, ...rates, ...services], null, {
    LIMIT: (one) =>
      `${fieldNamed(one.field)?.command.label ?? one.field}${'serviceId' in one ? ` at ${one.serviceId}` : ''}`,
    USED: 'used',
    OF: 'limit',
    LEFT: 'left',
    'FREE AGAIN': ({ freeAt }) => moment(freeAt),
  });

const usedLines = (terminal: Terminal, used: Used): string[] => [
  ...usedTable(terminal, used),
  ...facts([
    ['Pays again in its hours from', used.opensAt && moment(used.opensAt)],
    ['Ends', used.expiresAt && moment(used.expiresAt)],
  ]),
];
