// `treasury status`: the treasury at a glance.
import type { Reply } from '../../contract/schemas.ts';
import { withTimes } from '../../contract/conditions/facts.ts';
import type { Severity } from '../../contract/conditions/facts.ts';
import { keysAtRisk } from '../../contract/models/suppliers.ts';
import { partsOfExposure, partsOfTotal } from '../../contract/treasury/exposure.ts';
import { feesLeft } from '../../contract/treasury/treasury.ts';
import { formatUsdc, usdc } from '../../money.ts';
import { ownerCommand } from '../command-row.ts';
import { inert, moment } from '../table.ts';

export const addStatus = ownerCommand('status', {
  about: 'balance, agents, what waits and what is stopped',
  examples: ['treasury status', 'treasury status --json | jq .treasury'],
  ask: (owner) => owner.ask('dashboard'),
  show: (snapshot) => linesOf(snapshot).map(inert),
});

const linesOf = ({
  treasury,
  agents,
  network,
  pendingApprovals,
  total,
  exposure,
  outage,
  conditions,
}: Reply<'dashboard'>): string[] => [
  ...conditions.map(lineOf),
  `Treasury   ${treasury.walletAddress}  (${network})`,
  `Balance    ${formatUsdc(usdc(BigInt(treasury.amount)))} USDC, ${treasury.spendableSol} SOL for fees, ${feesLeft(treasury.transfersLeft)}${outage?.isWhole === true ? lastRead(exposure) : ''}`,
  `Total      ${total.amount} USDC: ${partsOfTotal(total)
    .map(([what, amount]) => `${what} ${amount}`)
    .join(', ')}`,
  `At risk    ${atRisk(exposure)}`,
  `Waiting    ${pendingApprovals} for your approval`,
  ...agents.map(
    ({ agentId, balance, spentToday, inForce, ...agent }) =>
      `Agent      ${agentId}  ${balance} USDC, ${spentToday} of ${inForce.dailyBudget} today${boostIn(inForce)}${aheadOf(agent)}`,
  ),
];

const lastRead = ({ asOf: at }: Reply<'dashboard'>['exposure']): string =>
  at === null ? ', as of the last run' : `, as of ${moment(at)}`;

const marks: Record<Severity, string> = { critical: '!!', warning: '! ', todo: '- ' };

/** A condition, with the command that does something about it. */
const lineOf = ({ severity, title, text, action }: Reply<'dashboard'>['conditions'][number]): string =>
  `${marks[severity]} ${title}. ${withTimes(text, moment)}${action?.command == null ? '' : ` (${action.command})`}`;

const atRisk = (exposure: Reply<'dashboard'>['exposure']): string => {
  const { amount, asOf, isStale } = exposure;
  const parts = partsOfExposure(exposure).map(([what, part]) => `${part} ${what}`);
  return `${amount} USDC at most, if this machine were stolen now: ${parts.join(', ')}${keysAtRisk(exposure) === '' ? '' : `; and ${keysAtRisk(exposure)}`}${isStale ? `; as of ${asOf === null ? 'the last run' : moment(asOf)}, perhaps more` : ''}`;
};

const boostIn = ({ boost }: Reply<'dashboard'>['agents'][number]['inForce']): string =>
  boost === null ? '' : ` (${boost.amount} of it until ${moment(boost.until)})`;

type Ahead = Pick<Reply<'dashboard'>['agents'][number], 'status' | 'budgetEndsAt' | 'asking'>;

const aheadOf = ({ status, budgetEndsAt, asking }: Ahead): string =>
  [
    budgetEndsAt === null ? '' : `, used up at ${moment(budgetEndsAt)} at this rate`,
    asking === null ? '' : `, asks you: ${asking}`,
    status === 'active' ? '' : ', paused',
  ].join('');
