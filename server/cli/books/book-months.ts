// `treasury books months`, `month` and `close`: how each month of the books stands, its sums, and its close.
import { Argument, type Command } from 'commander';
import type { Reply } from '../../contract/schemas.ts';
import { monthName } from '../arguments.ts';
import { Ending } from '../ending.ts';
import { asOwner } from '../session.ts';
import { facts, inert, moment, table } from '../table.ts';
import { show, type Terminal } from '../terminal.ts';

type Month = Reply<'closeMonth'>;
type Totals = Reply<'bookTotals'>;

const monthArgument = (): Argument => new Argument('<month>', 'such as 2026-11').argParser(monthName);

export const addMonths = (books: Command, terminal: () => Terminal): void => {
  books
    .command('months')
    .description('list the months, newest first, and whether each is closed')
    .action(() => listMonths(terminal()));
  books
    .command('month')
    .description('the sums of a month, beside the month before')
    .addArgument(monthArgument())
    .action((name: string) => showMonth(terminal(), name));
  books
    .command('close')
    .description('compare a month’s journal with the chain and the file, line by line, and keep the result')
    .addArgument(monthArgument())
    .action((name: string) => close(terminal(), name));
};

const stateWords: Record<Month['state'], string> = {
  running: 'in progress',
  open: 'can be closed',
  closed: 'closed',
  differs: 'DOES NOT MATCH',
  changed: 'CHANGED',
};

const listMonths = async (terminal: Terminal): Promise<void> => {
  const answer = await asOwner(terminal).ask('bookMonths');
  show(terminal, answer, () =>
    table(
      terminal,
      ['MONTH', 'STATE', 'CLOSED', 'ENTRIES', 'TIME ZONE', 'NOTE'],
      answer.months.map((month) => [
        month.month,
        month.waiting.length > 0 ? 'waiting' : stateWords[month.state],
        moment(month.closedAt),
        month.entries === null ? '' : String(month.entries),
        month.zone,
        noteOf(month),
      ]),
    ),
  );
};

const noteOf = ({ month, state, waiting, differences }: Month): string => {
  if (state === 'changed') return `no longer as it was closed: treasury books close ${month}`;
  if (state === 'differs') return `${differences.length} to check: treasury books close ${month}`;
  return waiting.join(' ');
};

/** @throws Ending when journal, chain and file do not agree */
const close = async (terminal: Terminal, name: string): Promise<void> => {
  const month = await asOwner(terminal).ask('closeMonth', { params: { month: name } });
  show(terminal, month, () => [
    ...facts([
      ['Month', `${month.month}, by the clock of ${month.zone}`],
      ['State', stateWords[month.state]],
      ['Entries', String(month.entries ?? 0)],
      ['Root', month.root ?? ''],
    ]),
    ...month.differences.map((difference) => `- ${inert(difference)}`),
  ]);
  if (month.differences.length > 0)
    throw new Ending(
      'failed',
      `${month.month} does not match: its journal, the chain and its file disagree. Check each line above, then close it again.`,
      {},
      'month_differs',
    );
};

const showMonth = async (terminal: Terminal, name: string): Promise<void> => {
  const totals = await asOwner(terminal).ask('bookTotals', { params: { month: name } });
  show(terminal, totals, () => [
    `${totals.month}, by the clock of ${totals.zone}`,
    '',
    ...table(
      terminal,
      ['', 'ENTRIES', 'THIS MONTH', 'BEFORE', ''],
      figuresOf(totals).map(([label, field, unit]) => [
        label,
        String(totals.now[field].entries),
        totals.now[field].amount,
        totals.before[field].amount,
        unit,
      ]),
    ),
    ...parts.flatMap(([heading, rows, none]) => partLines(terminal, heading, rows, { totals, none })),
  ]);
};

const figures = [
  ['Spent', 'spent', 'USDC'],
  ['Pictures', 'charges', 'USDC'],
  ['Deposits', 'deposits', 'USDC'],
  ['Withdrawals', 'withdrawals', 'USDC'],
  ['Own transfers', 'transfers', 'USDC'],
  ['Fees and rents', 'fees', 'SOL'],
  ['Deposits of SOL', 'solDeposits', 'SOL'],
  ['Words from phones', 'words', 'SOL'],
] as const;

const rare: readonly string[] = ['solDeposits', 'words'];

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
  ['GROUP', ({ groups }) => groups.map((row) => ({ ...row, id: row.groupId })), 'in no group'],
  ['SERVICE', ({ services }) => services.map((row) => ({ ...row, id: row.serviceId })), 'no service'],
  ['ACCOUNT', ({ accounts }) => accounts.map((row) => ({ ...row, id: row.name })), ''],
  ['COST CENTRE', ({ costCentres }) => costCentres.map((row) => ({ ...row, id: row.name })), 'none'],
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
  return ['', ...table(terminal, [heading, 'ENTRIES', 'USDC', 'BEFORE'], rows)];
};
