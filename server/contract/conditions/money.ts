// Conditions of the treasury's money, and of what would bring it back.
import { coldFaults } from '../treasury/cold-faults.ts';
import { accountSol } from '../treasury/network-costs.ts';
import { counted, units, type Action, type Entry } from './facts.ts';

const dayMs = 86_400_000;
const oldAfterDays = 2;
const fewTransfers = 20;

export const deposit: Action = {
  label: 'Get money',
  path: '/treasury/get',
  command: 'treasury status',
};
const coldPanel: Action = { label: 'Show the cold wallet', path: '/treasury', command: 'treasury cold' };

/** In the order in which they are shown. */
export const money = {
  no_fees: {
    severity: 'warning',
    find: ({ treasury: { transfersLeft, spendableSol } }) =>
      transfersLeft <= 0 && {
        title: 'No SOL for network fees',
        text: `The treasury has ${spendableSol} SOL above the minimum of its account, too little for one transfer. No agent can pay until you send it some.`,
        action: deposit,
      },
  },
  ceiling_reached: {
    severity: 'warning',
    isEverywhere: true,
    find: ({ ceiling: { spent, inForce } }) =>
      inForce.dailyBudget !== null &&
      units(spent) >= units(inForce.dailyBudget) && {
        title: 'Your daily limit for all agents is reached',
        text: `Your agents have spent ${spent} USDC in 24 hours, and your daily limit for all agents is ${inForce.dailyBudget} USDC. No agent can pay ${units(inForce.dailyBudget) === 0n ? '' : `until ${inForce.freeAt ?? 'they have spent less'}, `}unless you raise it.`,
        action: { label: 'Raise the daily limit', path: '/settings/limits', command: 'treasury limits' },
      },
  },
  cold_fault: {
    severity: 'warning',
    find: ({ cold }) =>
      cold?.fault != null && {
        title: 'Nothing can be drawn from your cold wallet',
        text: coldFaults[cold.fault],
        action: coldPanel,
      },
  },
  phrase: {
    severity: 'warning',
    find: ({ phraseKept }) =>
      !phraseKept && {
        title: 'Write down your recovery phrase',
        text: 'It is the only way back to your money if this machine is lost.',
        action: { label: 'Do it now', path: '/treasury', command: null },
      },
  },
  backup_old: {
    severity: 'warning',
    find: ({ backup: { newest, since }, now }) => {
      const days = Math.floor((Date.parse(now) - Date.parse(newest ?? since)) / dayMs);
      return (
        days >= oldAfterDays && {
          title:
            newest === null ? 'Your records are not backed up' : `Your newest backup is ${days} days old`,
          text: 'Backups are made daily, but only while the treasury runs and the disk has room.',
          action: { label: 'Back up now', path: '/settings/backup', command: 'treasury backup' },
        }
      );
    },
  },
  notices_failing: {
    severity: 'warning',
    find: ({ failingChannels }) =>
      failingChannels.length > 0 && {
        title: 'Notices don’t arrive',
        text: `${failingChannels.join(', ')}: the newest could not be delivered.`,
        action: { label: 'See why', path: '/settings/notices', command: 'treasury notices' },
      },
  },
  fees_low: {
    severity: 'warning',
    find: ({ treasury: { transfersLeft, spendableSol } }) => {
      const opensAccount = Number(spendableSol) >= accountSol;
      return (
        transfersLeft !== 0 &&
        (transfersLeft < fewTransfers || !opensAccount) && {
          title: 'SOL for fees runs low',
          text: `${spendableSol} SOL is left, enough for ${counted(transfersLeft, 'transfer')}${opensAccount ? '' : ', and too little for a new agent or a payee without a USDC account'}. Send the treasury some more.`,
          action: deposit,
        }
      );
    },
  },
  aside: {
    severity: 'warning',
    find: ({ exposure: { aside } }) =>
      units(aside) !== 0n && {
        title: `${aside} USDC is where the treasury cannot spend it`,
        text: 'Somebody paid into a second USDC account of the treasury’s or an agent’s wallet. A wallet app that you open with the recovery phrase shows all accounts: send the USDC from there to the treasury’s address.',
      },
  },
  drawing_stopped: {
    severity: 'warning',
    find: ({ cold }) =>
      cold?.stoppedAt != null && {
        title: 'You stopped drawing from your cold wallet',
        text: `Nothing has been drawn since ${cold.stoppedAt}. Agents pay from what they have.`,
        action: coldPanel,
      },
  },
} as const satisfies Record<string, Entry>;
