// The register of conditions: all that holds now and the owner should know, each said once. The banners, the overview's
// "For you", the tray, the command and the doctor read it, so that all of them say the same. It is a pure function of facts.
// Notices are no part of it: they are events, written when they happen. Times in a text are ISO 8601; each reader shows them
// in its own way. Agents are told nothing of it. After Tailscale's health package.
import { parseUsdc } from '../../money.ts';
import { coldFaults, type ColdFault } from './cold-faults.ts';

export const severities = ['critical', 'warning', 'todo'] as const;
export type Severity = (typeof severities)[number];

/** Amounts are decimal USDC, times ISO 8601. The dashboard's reply has all of them but the further facts. */
export interface ConditionFacts extends FurtherFacts {
  foreignDebits: readonly {
    agentId: string | null;
    amount: string;
    signature: string | null;
    timestamp: string;
  }[];
  halted: string | null;
  frozen: boolean;
  freeze: {
    since: string | null;
    reason: string | null;
    mayStillLand: { payments: number; amount: string; until: string | null };
  };
  clockDoubt: string | null;
  locked: boolean;
  outage: {
    since: string;
    isStarting: boolean;
    isWhole: boolean;
    rpcs: readonly { host: string; why: string }[];
    held: { transfers: number; amount: string };
  } | null;
  rpcFaults: readonly { host: string; answer: string; without: string }[];
  /** `amount`: micro-USDC. */
  treasury: { amount: string; spendableSol: string; transfersLeft: number };
  ceiling: { spent: string; inForce: { dailyBudget: string | null } };
  phraseKept: boolean;
  exposure: { aside: string };
  pendingApprovals: number;
  pendingLogins: number;
  pendingLinks: number;
  agents: readonly {
    agentId: string;
    displayName: string;
    status: 'active' | 'suspended';
    balance: string;
    spentToday: string;
    inForce: { dailyBudget: string };
    asking: string | null;
  }[];
}

/** What the dashboard's reply does not show by itself. */
export interface FurtherFacts {
  /** Bytes on the disk of the records. */
  disk: { free: number; least: number };
  /** The newest copy of the records, and the beginning of the treasury. */
  backup: { newest: string | null; since: string };
  /** Names of channels whose notices could not be delivered. */
  failingChannels: readonly string[];
  /** Months that can be closed, and closed months that changed or differ. */
  months: { open: readonly string[]; amiss: readonly string[] };
  cold: { fault: ColdFault | null; stoppedAt: string | null } | null;
  now: string;
}

interface Words {
  title: string;
  text: string;
  /** One thing to do about it: a place of the dashboard, and a command. */
  action?: Action;
  /** The agent that it is about. */
  agentId?: string;
}

export interface Action {
  label: string;
  path: string;
  command: string | null;
}

interface Entry {
  severity: Severity;
  /** Above every screen, not on the overview alone. */
  isEverywhere?: true;
  /** Its consequences, which are not shown beside it. None of them is of a higher severity. */
  hides?: readonly string[];
  find(facts: ConditionFacts): Words | readonly Words[] | null;
}

const dayMs = 86_400_000;
const fewTransfers = 20;
/** What a new USDC account costs, in SOL. */
const accountSol = 0.00204;
const nearlyAll = 80n;
const oldAfterDays = 2;

const counted = (count: number, one: string, many = `${one}s`): string =>
  `${count} ${count === 1 ? one : many}`;
const units = (text: string): bigint => parseUsdc(text) ?? 0n;

/** In the order in which they are shown. */
const register = {
  key_leaked: {
    severity: 'critical',
    isEverywhere: true,
    find: ({ foreignDebits }) =>
      foreignDebits.length === 0
        ? null
        : {
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
      halted === null
        ? null
        : {
            title: 'The treasury has stopped',
            text: `${halted}. Nothing is paid until it is started again.`,
          },
  },
  frozen: {
    severity: 'critical',
    isEverywhere: true,
    hides: ['ceiling_reached', 'budget_nearly_used', 'agent_asks'],
    find: ({ frozen, freeze: { since, reason, mayStillLand } }) =>
      frozen
        ? {
            title: 'Everything is stopped',
            text: [
              reason === byOwner ? 'You froze everything' : 'Everything was stopped',
              since === null ? '' : ` on ${since}`,
              reason === null || reason === byOwner ? '' : `: ${reason}`,
              '.',
              mayStillLand.payments === 0
                ? ''
                : ` ${counted(mayStillLand.payments, 'payment')}, ${mayStillLand.amount} USDC, had been signed before and may still go through${mayStillLand.until === null ? '' : ` until about ${mayStillLand.until}`}.`,
            ].join(''),
            action: { label: 'Unfreeze', path: '/', command: 'treasury unfreeze' },
          }
        : null,
  },
  clock: {
    severity: 'critical',
    isEverywhere: true,
    find: ({ clockDoubt }) =>
      clockDoubt === null
        ? null
        : {
            title: 'Payments are waiting for the clock',
            text: `They wait because ${clockDoubt}. Set this machine’s clock. If the clock is right, say so with Freeze and then Unfreeze.`,
          },
  },
  disk_full: {
    severity: 'critical',
    isEverywhere: true,
    find: ({ disk: { free, least } }) =>
      free >= least
        ? null
        : {
            title: 'The disk is full',
            text: `${megabytes(free)} are free, and nothing is paid below ${megabytes(least)}. Free some space. Stopping and withdrawing still work.`,
          },
  },
  locked: {
    severity: 'warning',
    isEverywhere: true,
    hides: ['ceiling_reached', 'budget_nearly_used'],
    find: ({ locked }) =>
      locked
        ? {
            title: 'The treasury is locked',
            text: 'Nothing is paid until you unlock it.',
            action: { label: 'Unlock', path: '/', command: 'treasury unlock' },
          }
        : null,
  },
  network_down: {
    severity: 'warning',
    isEverywhere: true,
    hides: ['rpc_faults', 'no_fees', 'fees_low', 'cold_fault', 'notices_failing'],
    find: ({ outage }) =>
      outage === null || !outage.isWhole
        ? null
        : {
            title: outage.isStarting ? 'Waiting for the network' : 'The network cannot be reached',
            text: `${outageText(outage)} Nothing is paid meanwhile, and no money moves. Payments continue by themselves once the RPC answers. Check this machine’s network; if others reach it, use another RPC.`,
            action: network,
          },
  },
  rpc_down: {
    severity: 'warning',
    isEverywhere: true,
    find: ({ outage }) =>
      outage === null || outage.isWhole
        ? null
        : {
            title: 'One of your two Solana RPCs is down',
            text: `${outageText(outage)} Payments go on through the other. Reserved money is released once both answer and agree.`,
            action: network,
          },
  },
  rpc_faults: {
    severity: 'warning',
    isEverywhere: true,
    find: ({ rpcFaults }) =>
      rpcFaults.length === 0
        ? null
        : {
            title: 'Your Solana RPC cannot do all that is needed',
            text: `${rpcFaults.map(({ host, answer, without }) => `${host}: ${answer}. ${without}`).join(' ')} Use another RPC, or another plan of this one.`,
            action: network,
          },
  },
  no_fees: {
    severity: 'warning',
    find: ({ treasury: { transfersLeft, spendableSol } }) =>
      transfersLeft > 0
        ? null
        : {
            title: 'No SOL for network fees',
            text: `The treasury has ${spendableSol} SOL above the minimum of its account, too little for one transfer. No agent can pay until you send it some.`,
            action: deposit,
          },
  },
  ceiling_reached: {
    severity: 'warning',
    isEverywhere: true,
    find: ({ ceiling: { spent, inForce } }) =>
      inForce.dailyBudget === null || units(spent) < units(inForce.dailyBudget)
        ? null
        : {
            title: 'Your ceiling for all agents is reached',
            text: `Your agents have spent ${spent} USDC in 24 hours, and your ceiling is ${inForce.dailyBudget} USDC. No agent can pay until they have spent less, unless you raise it.`,
            action: { label: 'Raise the ceiling', path: '/settings/limits', command: 'treasury ceiling' },
          },
  },
  cold_fault: {
    severity: 'warning',
    find: ({ cold }) =>
      cold?.fault == null
        ? null
        : {
            title: 'Nothing can be drawn from your cold wallet',
            text: coldFaults[cold.fault],
            action: coldPanel,
          },
  },
  phrase: {
    severity: 'warning',
    find: ({ phraseKept }) =>
      phraseKept
        ? null
        : {
            title: 'Write down your recovery phrase',
            text: 'It is the only way back to your money when this machine is lost.',
            action: { label: 'Do it now', path: '/treasury', command: null },
          },
  },
  backup_old: {
    severity: 'warning',
    find: ({ backup: { newest, since }, now }) => {
      const days = Math.floor((Date.parse(now) - Date.parse(newest ?? since)) / dayMs);
      return days < oldAfterDays
        ? null
        : {
            title:
              newest === null
                ? 'There is no backup of your records'
                : `Your newest backup is ${days} days old`,
            text: 'The treasury makes one a day while it runs and the disk has room.',
            action: { label: 'Back up now', path: '/settings/backup', command: 'treasury backup' },
          };
    },
  },
  notices_failing: {
    severity: 'warning',
    find: ({ failingChannels }) =>
      failingChannels.length === 0
        ? null
        : {
            title: 'Notices don’t arrive',
            text: `${failingChannels.join(', ')}: the newest could not be delivered.`,
            action: { label: 'See why', path: '/settings/notices', command: 'treasury notices' },
          },
  },
  fees_low: {
    severity: 'warning',
    find: ({ treasury: { transfersLeft, spendableSol } }) => {
      const opensAccount = Number(spendableSol) >= accountSol;
      return transfersLeft === 0 || (transfersLeft >= fewTransfers && opensAccount)
        ? null
        : {
            title: 'SOL for fees runs low',
            text: `${spendableSol} SOL is left, enough for ${counted(transfersLeft, 'transfer')}${opensAccount ? '' : ', and too little for a new agent or a payee without a USDC account'}. Send the treasury some more.`,
            action: deposit,
          };
    },
  },
  aside: {
    severity: 'warning',
    find: ({ exposure: { aside } }) =>
      units(aside) === 0n
        ? null
        : {
            title: `${aside} USDC lies where the treasury cannot spend it`,
            text: 'Somebody paid into a second USDC account of the treasury’s or an agent’s wallet. A wallet app that you open with the recovery phrase shows all accounts: send the USDC from there to the treasury’s address.',
          },
  },
  drawing_stopped: {
    severity: 'warning',
    find: ({ cold }) =>
      cold?.stoppedAt == null
        ? null
        : {
            title: 'You stopped drawing from your cold wallet',
            text: `Nothing has been drawn since ${cold.stoppedAt}. Agents pay from what they have.`,
            action: coldPanel,
          },
  },
  approvals: {
    severity: 'todo',
    find: ({ pendingApprovals, pendingLogins, pendingLinks }) => {
      const count = pendingApprovals + pendingLogins + pendingLinks;
      return count === 0
        ? null
        : {
            title: `${counted(count, 'request waits', 'requests wait')} for you`,
            text: listed([
              [pendingApprovals, 'approval'],
              [pendingLogins, 'login'],
              [pendingLinks, 'machine to link', 'machines to link'],
            ]),
            action: { label: 'Open Approvals', path: '/approvals', command: 'treasury approvals' },
          };
    },
  },
  agent_asks: {
    severity: 'todo',
    find: ({ agents }) =>
      agents.flatMap(({ agentId, displayName, asking, status }) =>
        asking === null || status !== 'active'
          ? []
          : [
              {
                title: `Unusual activity: ${displayName}`,
                text: `Each of its payments waits for you. ${asking}`,
                action: {
                  label: 'Look at it',
                  path: `${pathOf(agentId)}/watch`,
                  command: `treasury watch ${agentId}`,
                },
                agentId,
              },
            ],
      ),
  },
  budget_nearly_used: {
    severity: 'todo',
    find: ({ agents }) =>
      agents.flatMap(({ agentId, displayName, spentToday, inForce, status }) => {
        const [spent, budget] = [units(spentToday), units(inForce.dailyBudget)];
        if (status !== 'active' || budget === 0n || spent * 100n < budget * nearlyAll) return [];
        const isOver = spent >= budget;
        return [
          {
            title: `${displayName} has ${isOver ? 'used up' : 'nearly used up'} its daily budget`,
            text: `${spentToday} of ${inForce.dailyBudget} USDC in 24 hours.`,
            action: { label: 'See its limits', path: pathOf(agentId), command: `treasury limits ${agentId}` },
            agentId,
          },
        ];
      }),
  },
  month_amiss: {
    severity: 'todo',
    find: ({ months: { amiss } }) =>
      amiss.length === 0
        ? null
        : {
            title: `The books of ${amiss.join(', ')} need a look`,
            text: 'A closed month differs from the chain, or changed since it was closed.',
            action: books,
          },
  },
  month_open: {
    severity: 'todo',
    find: ({ months: { open } }) =>
      open.length === 0
        ? null
        : {
            title: `${open.join(', ')} can be closed`,
            text: 'Closing checks every entry against the chain.',
            action: books,
          },
  },
  empty: {
    severity: 'todo',
    find: ({ treasury: { amount }, agents }) =>
      amount !== '0' || agents.some(({ balance }) => units(balance) > 0n)
        ? null
        : {
            title: 'The treasury is empty',
            text: 'Agents can pay once you have sent it USDC.',
            action: deposit,
          },
  },
} as const satisfies Record<string, Entry>;

export type ConditionCode = keyof typeof register;
export const conditionCodes = Object.keys(register) as [ConditionCode, ...ConditionCode[]];

export interface Condition extends Words {
  code: ConditionCode;
  severity: Severity;
  isEverywhere: boolean;
}

export const severityOf = (code: ConditionCode): Severity => register[code].severity;
/** The consequences that are not shown beside it. */
export const hiddenBy = (code: ConditionCode): readonly string[] => (register[code] as Entry).hides ?? [];

/** Those in force, without the consequences of others. */
export const conditionsOf = (facts: ConditionFacts): Condition[] => {
  const found = conditionCodes.flatMap((code): Condition[] => {
    const entry: Entry = register[code];
    const words = entry.find(facts);
    return [words ?? []]
      .flat()
      .map((one) => ({ code, severity: entry.severity, isEverywhere: entry.isEverywhere === true, ...one }));
  });
  const hidden = new Set(found.flatMap(({ code }) => hiddenBy(code)));
  return found.filter(({ code }) => !hidden.has(code));
};

/** The text, with its times as the reader shows them. */
export const withTimes = (text: string, show: (iso: string) => string): string =>
  text.replaceAll(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z/g, show);

/** The treasury's own words for a freeze by the owner, which have no code. */
const byOwner = 'the owner pressed stop';

const network: Action = { label: 'Use another RPC', path: '/treasury', command: 'treasury doctor' };
const deposit: Action = { label: 'Show the deposit address', path: '/treasury', command: 'treasury status' };
const coldPanel: Action = { label: 'Show the cold wallet', path: '/treasury', command: 'treasury cold' };
const books: Action = { label: 'Open Books', path: '/books', command: 'treasury books months' };

const pathOf = (agentId: string): string => `/agents/${encodeURIComponent(agentId)}`;
const megabytes = (bytes: number): string => `${Math.floor(bytes / 1_048_576)} MB`;

const listed = (parts: readonly (readonly [count: number, one: string, many?: string])[]): string =>
  `${parts.flatMap(([count, one, many]) => (count === 0 ? [] : [counted(count, one, many)])).join(', ')}.`;

const outageText = ({ since, isStarting, rpcs, held }: NonNullable<ConditionFacts['outage']>): string => {
  const begins = isStarting ? 'No RPC has worked since the start on' : 'There has been no answer since';
  const why = rpcs.map((one) => `${one.host}: ${one.why}`).join('; ');
  const holding =
    held.transfers === 0
      ? ''
      : ` ${counted(held.transfers, 'open transfer holds', 'open transfers hold')} ${held.amount} USDC until the chain shows what became of ${held.transfers === 1 ? 'it' : 'them'}.`;
  return `${begins} ${since}: ${why}.${holding}`;
};
