// `treasury status`: the treasury at a glance.
import type { Reply } from '../../contract/schemas.ts';
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
  exposure,
  outage,
  rpcFaults,
  foreignDebits,
  ...rest
}: Reply<'dashboard'>): string[] => [
  ...foreignDebits.map(
    ({ agentId, amount, signature }) =>
      `Keys       SOMEBODY ELSE HAS A KEY: ${amount} USDC left ${agentId ?? 'the treasury'}, ${signature === null ? 'and no RPC shows how' : `transaction ${signature}`}. Move your money now: operating.md, "Somebody else has a key"`,
  ),
  `Treasury   ${treasury.walletAddress}  (${network})`,
  `Balance    ${formatUsdc(usdc(BigInt(treasury.amount)))} USDC, ${treasury.spendableSol} SOL for fees, enough for ${treasury.transfersLeft} transfers${outage?.isWhole === true ? lastRead(exposure) : ''}`,
  ...(outage === null ? [] : [`Network    ${networkOf(outage)}`]),
  ...rpcFaults.map(({ host, answer, without }) => `RPC        ${host}: ${answer}. ${without}`),
  `At risk    ${atRisk(exposure)}`,
  `State      ${stateOf(rest)}`,
  `Waiting    ${pendingApprovals} for your approval`,
  ...agents.map(
    ({ agentId, balance, spentToday, inForce, ...agent }) =>
      `Agent      ${agentId}  ${balance} USDC, ${spentToday} of ${inForce.dailyBudget} today${boostIn(inForce)}${aheadOf(agent)}`,
  ),
];

const lastRead = ({ asOf: at }: Reply<'dashboard'>['exposure']): string =>
  at === null ? ', as of the last run' : `, as of ${moment(at)}`;

const networkOf = ({
  since,
  isStarting,
  isWhole,
  rpcs,
  held,
}: NonNullable<Reply<'dashboard'>['outage']>): string => {
  const why = rpcs.map((one) => `${one.host}: ${one.why}`).join('; ');
  const what = isWhole ? (isStarting ? 'waiting for it' : 'not reached') : 'one RPC is down';
  const kept = held.transfers === 0 ? '' : `; ${held.transfers} open, holding ${held.amount} USDC`;
  const then = isWhole
    ? 'nothing is paid, and all goes on by itself once an RPC answers'
    : 'payments go on through the other';
  return `${what} since ${moment(since)} (${why})${kept}; ${then}`;
};

const atRisk = ({ amount, asOf, isStale }: Reply<'dashboard'>['exposure']): string =>
  `${amount} USDC at most, if this machine were stolen now${isStale ? `; as of ${asOf === null ? 'the last run' : moment(asOf)}, perhaps more` : ''}`;

const boostIn = ({ boost }: Reply<'dashboard'>['agents'][number]['inForce']): string =>
  boost === null ? '' : ` (${boost.amount} of it until ${moment(boost.until)})`;

type Ahead = Pick<Reply<'dashboard'>['agents'][number], 'status' | 'budgetEndsAt' | 'asking'>;

const aheadOf = ({ status, budgetEndsAt, asking }: Ahead): string =>
  [
    budgetEndsAt === null ? '' : `, used up at ${moment(budgetEndsAt)} at this rate`,
    asking === null ? '' : `, asks you: ${asking}`,
    status === 'active' ? '' : ', paused',
  ].join('');

const stateOf = ({
  halted,
  frozen,
  freeze,
  locked,
}: Pick<Reply<'dashboard'>, 'halted' | 'frozen' | 'freeze' | 'locked'>): string => {
  const states = [
    halted === null ? null : `stopped: ${halted}`,
    frozen ? `frozen: ${freeze.reason ?? ''}` : null,
    locked ? 'locked' : null,
  ].filter((one) => one !== null);
  return states.length === 0 ? 'running' : states.join('; ');
};
