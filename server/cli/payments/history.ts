// The transfers and refusals on the terminal, their totals, and the statement of a period as a document.
import { resolve } from 'node:path';
import { becameOf, groupings, signOf, titleOf } from '../../contract/payments/outcomes.ts';
import { sumsIn } from '../../contract/payments/sums.ts';
import { demandWords } from '../../contract/payments/unpayable.ts';
import { refusalOf } from '../../contract/refusals/refused-transfer.ts';
import type { Input, Reply } from '../../contract/schemas.ts';
import { periodOptions, wholeNumber } from '../arguments.ts';
import { command, ownerCommand } from '../command-row.ts';
import { Ending } from '../ending.ts';
import { piecesOf, printAll, writeNew } from './new-file.ts';
import { agentOf, namesFor, wordOf } from './payment.ts';
import { asAgentOrOwner, asOwner, documentFor, type Session } from '../session.ts';
import { facts, inert, listing, moment, momentIn, type Fact } from '../table.ts';
import { show, type Terminal } from '../terminal.ts';

const filterOptions = {
  ...periodOptions,
  search: ['text', 'only what has these words, or an address, a signature or an id that begins so'],
} as const;

/** Days are those of the owner's zone. */
const queryOf = (
  agentId: string | undefined,
  { search, from, to }: { search?: string; from?: string; to?: string },
) => ({
  zone: 'owner',
  ...(agentId === undefined ? {} : { agentId }),
  ...(search === undefined ? {} : { q: search }),
  ...(from === undefined ? {} : { from }),
  ...(to === undefined ? {} : { to }),
});

export const historyCommands = [
  command('history [agent]', {
    about:
      'transfers and refusals, newest first; with TREASURY_API_KEY the agent’s own payments. A narrow terminal shows the ends of ids, --json all of them',
    examples: [
      'treasury history',
      'treasury history scout --limit 50',
      'treasury history --search "Web Search"',
    ],
    options: {
      limit: ['n', 'at most this many, up to 500', wholeNumber, 20],
      sort: ['order', 'time (the newest first), or amount (the largest first)', ['time', 'amount'], 'time'],
      ...filterOptions,
    },
    async run(terminal, { agent, limit, sort, ...filter }) {
      const session = asAgentOrOwner(terminal);
      if (session.role === 'agent') {
        if (sort !== 'time' || Object.keys(filter).length > 0)
          throw new Ending('usage', 'With TREASURY_API_KEY, history takes --limit alone.');
        return ownHistory(terminal, session, agentOf(terminal, agent), limit);
      }
      const owner = asOwner(terminal);
      const { entries, zone } = await pages(owner, { ...queryOf(agent, filter), sort }, limit);
      const nameOf = await namesFor(owner);
      show(terminal, { entries, zone }, () => {
        const [head = '', ...rows] = listing({ ...terminal, cut }, entries, nothing, {
          WHEN: ({ timestamp }) => momentIn(zone, timestamp).slice(0, 16),
          AGENT: ({ agentId }) => (agentId === null ? 'Treasury' : nameOf(agentId)),
          WHAT: (entry) => titleOf(entry, nameOf),
          AMOUNT: (entry) => `${signOf(entry)}${entry.amount}${entry.currency === 'USDC' ? '' : ' SOL'}`,
          STATUS: (entry) => becameOf(entry).label,
          ID: 'id',
        });
        return [head, ...rows.flatMap((row, at) => [row, ...whyOf(entries[at], nameOf)])];
      });
    },
  }),
  command('totals [agent]', {
    about: 'what was paid, and what came in, went out, failed or was refused; --by splits what was spent',
    examples: ['treasury totals --from 2030-01 --to 2030-01 --by service', 'treasury totals scout --by day'],
    options: {
      by: [
        'what',
        'what was spent by each agent, group, service, image model, day or month',
        Object.keys(groupings) as (keyof typeof groupings)[],
      ],
      ...filterOptions,
    },
    async run(terminal, { agent, by, ...filter }) {
      const query = { ...queryOf(agent, filter), ...(by === undefined ? {} : { by }) };
      const totals = await asOwner(terminal).ask('totals', { query });
      show(terminal, totals, () => [
        ...facts(sumsOf(totals)),
        ...(by === undefined
          ? []
          : ['', ...listing(terminal, totals.rows, 'Nothing was spent.', splitColumns(groupings[by]))]),
      ]);
    },
  }),
  ownerCommand('unpayable', {
    about: 'what you could not buy: sellers that do not take USDC on your network, the most frequent first',
    examples: ['treasury unpayable'],
    ask: (owner) => owner.ask('unpayableSellers'),
    show: ({ sellers }, terminal) =>
      listing(terminal, sellers, 'No seller has asked for anything but USDC on your network.', {
        SELLER: 'seller',
        'ASKED FOR': demandWords,
        TIMES: 'times',
        AGENTS: 'agents',
        LAST: ({ lastAt }) => moment(lastAt).slice(0, 16),
      }),
  }),
  command('statement', {
    about: 'all transfers of a period, as CSV or JSON',
    examples: [
      'treasury statement --from 2030-01-01 --to 2030-01-31 --out january.csv',
      'treasury statement --format json',
    ],
    options: {
      format: ['format', 'csv (the default), or json', ['csv', 'json']],
      ...periodOptions,
      out: ['file', 'write it to a new file instead of standard output'],
    },
    async run(terminal, { out, format = terminal.json && out === undefined ? 'json' : 'csv', ...period }) {
      if (terminal.json && out === undefined && format === 'csv')
        throw new Ending(
          'usage',
          '--json prints JSON: leave --format csv out, or write it to a file with --out.',
        );
      const response = await documentFor(terminal, 'statement', { format, ...queryOf(undefined, period) });
      const pieces = piecesOf(response, 'the statement');
      if (out === undefined) return printAll(terminal, pieces);
      const file = resolve(out);
      await writeNew(file, 'The statement', pieces);
      show(terminal, { file, format }, () => [`Written to ${file}.`]);
    },
  }),
];

type Entry = Reply<'activity'>['entries'][number];
type Totals = Reply<'totals'>;

const whyOf = (entry: Entry | undefined, nameOf: (agentId: string) => string): string[] => {
  const why = entry === undefined ? null : (refusalOf(entry, nameOf)?.sentence ?? entry.note);
  return why === null ? [] : [inert(`  ${why}`)];
};

const nothing = 'Nothing happened yet.';
/** At 80 columns all is there, with the ends of ids. */
const cut = [
  ['WHAT', 22],
  ['AGENT', 16],
  ['ID', 9],
  ['WHAT', 12],
  ['AGENT', 10],
] as const;

const sumsOf = (totals: Totals): Fact[] => [
  [
    totals.payments === 1 ? '1 payment' : `${totals.payments} payments`,
    `${totals.amount} USDC${totals.flows.in.count > 0 ? ' after refunds' : ''}`,
  ],
  ...sumsIn(totals).map(({ label, sign, amount, count }): Fact => [
    label,
    amount === null ? `${count}` : `${sign}${amount} USDC (${count})`,
  ]),
  ['Time zone', totals.zone],
];

const splitColumns = (name: string) => ({
  [name.toUpperCase()]: (row: Totals['rows'][number]) => row.name,
  USDC: (row: Totals['rows'][number]) => row.amount,
  PAYMENTS: (row: Totals['rows'][number]) => row.payments,
  'NOT DELIVERED': (row: Totals['rows'][number]) => row.undelivered.count,
  FAILED: (row: Totals['rows'][number]) => row.failed.count,
  REFUSED: (row: Totals['rows'][number]) => row.refused.count,
});

/** Follows the cursor: a page may hold fewer than `limit` entries although there are more. */
const pages = async (
  owner: Pick<Session, 'ask'>,
  query: NonNullable<Input<'activity'>['query']>,
  limit: number,
): Promise<{ entries: Entry[]; zone: string }> => {
  const entries: Entry[] = [];
  let before = {};
  for (;;) {
    const page = await owner.ask('activity', {
      query: { ...query, ...before, limit: String(limit - entries.length) },
    });
    entries.push(...page.entries);
    if (page.next === null || entries.length >= limit) return { entries, zone: page.zone };
    before = { before: String(page.next) };
  }
};

const ownHistory = async (
  terminal: Terminal,
  session: Session,
  agentId: string,
  limit: number,
): Promise<void> => {
  const found = await session.ask('spendHistory', { params: { agentId }, query: { limit: `${limit}` } });
  show(terminal, found, () =>
    listing({ ...terminal, cut }, found.payments, nothing, {
      WHEN: ({ timestamp }) => moment(timestamp).slice(0, 16),
      WHAT: 'service',
      USDC: 'amount',
      STATUS: ({ status }) => wordOf(status),
      ID: 'id',
    }),
  );
};
