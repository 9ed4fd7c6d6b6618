// `treasury books months`, `month` and `close`: how each month of the books stands, its sums, and its close.
import { shifted } from '../../contract/books/book-words.ts';
import type { Reply } from '../../contract/schemas.ts';
import { monthName } from '../arguments.ts';
import { ownerCommand } from '../command-row.ts';
import { Ending } from '../ending.ts';
import { facts, inert, listing, moment, table } from '../table.ts';
import { modelLines } from './model-books.ts';
import type { Terminal } from '../terminal.ts';

type Month = Reply<'closeMonth'>;
type Totals = Reply<'bookTotals'>;

const stateWords: Record<Month['state'], string> = {
  running: 'in progress',
  open: 'can be closed',
  closed: 'closed',
  differs: 'DOES NOT MATCH',
  changed: 'CHANGED',
};

const noteOf = ({ month, state, waiting, differences }: Month): string => {
  if (state === 'changed') return `no longer as it was closed: treasury books close ${month}`;
  if (state === 'differs') return `${differences.length} to check: treasury books close ${month}`;
  return waiting.join(' ');
};

const monthArgument = { month: ['such as 2026-11', monthName] } as const;

export const monthCommands = [
  ownerCommand('months', {
    about: 'list the months, newest first, and whether each is closed',
    examples: ['treasury books months', 'treasury books months --json | jq -r ".months[].state"'],
    ask: (owner) => owner.ask('bookMonths'),
    show: ({ months }, terminal) =>
      listing(terminal, months, null, {
        MONTH: 'month',
        STATE: ({ waiting, state }) => (waiting.length > 0 ? 'waiting' : stateWords[state]),
        CLOSED: ({ closedAt }) => moment(closedAt),
        ENTRIES: 'entries',
        'TIME ZONE': 'zone',
        NOTE: noteOf,
      }),
  }),
  ownerCommand('month <month>', {
    about: 'the sums of a month, beside the month before',
    examples: ['treasury books month 2030-01'],
    arguments: monthArgument,
    ask: (owner, params) => owner.ask('bookTotals', { params }),
    show: (totals, terminal) => [
      `${totals.month}, by the clock of ${totals.zone}`,
      `Opening balance ${totals.opening} USDC, closing balance ${totals.closing} USDC`,
      '',
      ...table(
        terminal,
        ['', 'ENTRIES', 'THIS MONTH', shifted(totals.month, -1), ''],
        figuresOf(totals).map(([label, field, unit]) => [
          label,
          String(totals.now[field].entries),
          totals.now[field].amount,
          totals.before[field].amount,
          unit,
        ]),
      ),
      ...parts.flatMap(([heading, rows, none]) => partLines(terminal, heading, rows, { totals, none })),
    ],
  }),
  ownerCommand('close <month>', {
    about: 'check every entry of a month against the chain, and save the result; no money moves',
    examples: ['treasury books close 2030-01  # exit code 1 when it does not match'],
    arguments: monthArgument,
    ask: async (owner, params) => ({
      ...(await owner.ask('closeMonth', { params })),
      models: await owner.ask('bookModels', { params }),
    }),
    show: ({ month, zone, state, entries, root, differences, models }) => [
      ...facts([
        ['Month', `${month}, by the clock of ${zone}`],
        ['State', stateWords[state]],
        ['Entries', String(entries ?? 0)],
        ['Root', root ?? ''],
      ]),
      ...differences.map((difference) => `- ${inert(difference)}`),
      ...modelLines(models),
    ],
    after({ month, differences }) {
      if (differences.length === 0) return;
      const words = `${month} does not match: its journal, the chain and its file disagree. Check each line above, then close it again.`;
      throw new Ending('failed', words, {}, 'month_differs');
    },
  }),
];

const figures = [
  ['Paid to services', 'spent', 'USDC'],
  ['Pictures', 'charges', 'USDC'],
  ['Deposits', 'deposits', 'USDC'],
  ['of which sales', 'sales', 'USDC'],
  ['Withdrawals', 'withdrawals', 'USDC'],
  ['Between wallets', 'transfers', 'USDC'],
  ['Fees and rents', 'fees', 'SOL'],
  ['Deposits of SOL', 'solDeposits', 'SOL'],
  ['Words from phones', 'words', 'SOL'],
] as const;

const rare: readonly string[] = ['sales', 'solDeposits', 'words'];

/** What is rare is shown where there is any. */
const figuresOf = ({ now, before }: Totals) =>
  figures.filter(([, field]) => !rare.includes(field) || now[field].entries + before[field].entries > 0);

interface Row {
  id: string;
  name: string;
  amount: string;
  entries: number;
}

const parts: readonly (readonly [string, (totals: Totals['now']) => Row[], string])[] = [
  ['AGENT', ({ agents }) => agents.map((row) => ({ ...row, id: row.agentId })), 'no agent'],
  ['GROUP', ({ groups }) => groups.map((row) => ({ ...row, id: row.groupId })), 'no group'],
  ['SERVICE', ({ services }) => services.map((row) => ({ ...row, id: row.serviceId })), 'no service'],
  ['ACCOUNT', ({ accounts }) => accounts.map((row) => ({ ...row, id: row.name })), ''],
  ['COST CENTER', ({ costCentres }) => costCentres.map((row) => ({ ...row, id: row.name })), 'none'],
];

interface PartOptions {
  totals: Totals;
  /** Names the row without a name. */
  none: string;
}

/** A part whose one row has no name says nothing. */
const partLines = (
  terminal: Terminal,
  heading: string,
  rowsOf: (totals: Totals['now']) => Row[],
  { totals, none }: PartOptions,
): string[] => {
  const [now, before] = [rowsOf(totals.now), rowsOf(totals.before)];
  const ids = [...new Set([...now, ...before].map(({ id }) => id))];
  if (ids.every((id) => id === '')) return [];
  const rows = ids.map((id) => {
    const [here, earlier] = [now, before].map((of) => of.find((row) => row.id === id));
    const name = here?.name ?? earlier?.name ?? '';
    return [
      name === '' ? none : name,
      String(here?.entries ?? 0),
      here?.amount ?? '0.00',
      earlier?.amount ?? '0.00',
    ];
  });
  return ['', ...table(terminal, [heading, 'ENTRIES', 'USDC', shifted(totals.month, -1)], rows)];
};
