// Conditions under which nothing is paid, or part of the chain cannot be seen.
import { counted, type Action, type ConditionFacts, type Entry } from './facts.ts';

/** The treasury's own words for a freeze by the owner, which have no code. */
const byOwner = 'the owner pressed stop';
const network: Action = { label: 'Use another RPC', path: '/treasury', command: 'treasury doctor' };

/** In the order in which they are shown. */
export const stops = {
  key_leaked: {
    severity: 'critical',
    isEverywhere: true,
    find: ({ foreignDebits }) =>
      foreignDebits.length > 0 && {
        title: 'Somebody else has a key of yours: move your money now',
        text: [
          ...foreignDebits.map(
            ({ agentId, amount, signature, timestamp }) =>
              `${amount} USDC left ${agentId ?? 'the treasury’s own wallet'} on ${timestamp}, and no payment explains it (${signature === null ? 'no RPC shows the transaction' : `transaction ${signature}`}).`,
          ),
          'Freeze everything. Make a new treasury with a phrase of its own, preferably on another machine, and withdraw all USDC and SOL to its address. “Somebody else has a key” in operating.md has the commands. If it was you, with the phrase elsewhere, resume the agent or lift the freeze, and give out new API keys: the old ones have ended.',
        ].join(' '),
        action: { label: 'Withdraw', path: '/treasury', command: 'treasury freeze' },
      },
  },
  halted: {
    severity: 'critical',
    isEverywhere: true,
    hides: ['locked', 'network_down', 'rpc_down', 'rpc_faults', 'ceiling_reached', 'backup_old'],
    find: ({ halted }) =>
      halted !== null && {
        title: 'The treasury has stopped',
        text: `${halted}. Nothing is paid until it is started again.`,
      },
  },
  frozen: {
    severity: 'critical',
    isEverywhere: true,
    hides: ['ceiling_reached', 'budget_nearly_used', 'agent_asks', 'agent_alert'],
    find: ({ frozen, freeze: { since, reason, mayStillLand } }) =>
      frozen && {
        title: 'Everything is stopped',
        text: [
          reason === byOwner ? 'You froze everything' : 'Everything was stopped',
          since === null ? '' : ` on ${since}`,
          reason === null || reason === byOwner ? '' : `: ${reason}`,
          '. No agent can pay until you unfreeze.',
          mayStillLand.payments === 0
            ? ''
            : ` ${counted(mayStillLand.payments, 'payment')}, ${mayStillLand.amount} USDC, had been signed before and may still go through${mayStillLand.until === null ? '' : ` until about ${mayStillLand.until}`}.`,
        ].join(''),
        action: { label: 'Unfreeze', path: '/', command: 'treasury unfreeze' },
      },
  },
  clock: {
    severity: 'critical',
    isEverywhere: true,
    find: ({ clockDoubt }) =>
      clockDoubt !== null && {
        title: 'Payments are waiting for the clock',
        text: `They wait because ${clockDoubt}. Set this machine’s clock. If the clock is right, say so with Freeze and then Unfreeze.`,
      },
  },
  disk_full: {
    severity: 'critical',
    isEverywhere: true,
    find: ({ disk: { free, least } }) =>
      free < least && {
        title: 'The disk is full',
        text: `${megabytes(free)} are free, and nothing is paid below ${megabytes(least)}. Free some space. You can still freeze and withdraw.`,
      },
  },
  locked: {
    severity: 'warning',
    isEverywhere: true,
    hides: ['ceiling_reached', 'budget_nearly_used'],
    find: ({ locked }) =>
      locked && {
        title: 'The treasury is locked',
        text: 'Nothing is paid until you unlock it.',
        action: { label: 'Unlock', path: '/', command: 'treasury unlock' },
      },
  },
  network_down: {
    severity: 'warning',
    isEverywhere: true,
    hides: ['rpc_faults', 'no_fees', 'fees_low', 'cold_fault', 'notices_failing'],
    find: ({ outage }) =>
      outage !== null &&
      outage.isWhole && {
        title: outage.isStarting ? 'Waiting for the network' : 'The network cannot be reached',
        text: `${outageText(outage)} Nothing is paid meanwhile, and no money moves. Payments continue as soon as the RPC answers. Check this machine’s network; if others reach it, use another RPC.`,
        action: network,
      },
  },
  rpc_down: {
    severity: 'warning',
    isEverywhere: true,
    find: ({ outage }) =>
      outage !== null &&
      !outage.isWhole && {
        title: 'One of your two Solana RPCs is down',
        text: `${outageText(outage)} Payments go on through the other. Reserved money is released once both answer and agree.`,
        action: network,
      },
  },
  rpc_faults: {
    severity: 'warning',
    isEverywhere: true,
    find: ({ rpcFaults }) =>
      rpcFaults.length > 0 && {
        title: 'Your Solana RPC cannot do all that is needed',
        text: `${rpcFaults.map(({ host, answer, without }) => `${host}: ${answer}. ${without}`).join(' ')} Use another RPC, or another plan of this one.`,
        action: network,
      },
  },
} as const satisfies Record<string, Entry>;

const megabytes = (bytes: number): string => `${Math.floor(bytes / 1_048_576)} MB`;

const outageText = ({ since, isStarting, rpcs, held }: NonNullable<ConditionFacts['outage']>): string => {
  const begins = isStarting ? 'No RPC has worked since the start on' : 'There has been no answer since';
  const why = rpcs.map((one) => `${one.host}: ${one.why}`).join('; ');
  const holding =
    held.transfers === 0
      ? ''
      : ` ${counted(held.transfers, 'open transfer holds', 'open transfers hold')} ${held.amount} USDC until the chain shows what became of ${held.transfers === 1 ? 'it' : 'them'}.`;
  return `${begins} ${since}: ${why}.${holding}`;
};
