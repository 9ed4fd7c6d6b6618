// The newest transfers and refusals on the terminal, and the statement of a period as a document.
import { resolve } from 'node:path';
import { refusalOf } from '../../contract/refusals/refused-transfer.ts';
import type { Reply } from '../../contract/schemas.ts';
import { dateOrTime, wholeNumber } from '../arguments.ts';
import { command } from '../command-row.ts';
import { Ending } from '../ending.ts';
import { piecesOf, printAll, writeNew } from './new-file.ts';
import { agentOf } from './payment.ts';
import { asAgentOrOwner, asOwner, documentFor, type Session } from '../session.ts';
import { listing, moment } from '../table.ts';
import { show, type Terminal } from '../terminal.ts';

export const historyCommands = [
  command('history [agent]', {
    about: 'transfers and refusals, newest first; with TREASURY_API_KEY the agent’s own payments',
    examples: ['treasury history', 'treasury history scout --limit 50'],
    options: { limit: ['n', 'at most this many, up to 500', wholeNumber, 20] },
    async run(terminal, { agent, limit }) {
      const session = asAgentOrOwner(terminal);
      if (session.role === 'agent') return ownHistory(terminal, session, agentOf(terminal, agent), limit);
      const entries = await newest(asOwner(terminal), agent, limit);
      show(terminal, { entries }, () =>
        listing(terminal, entries, nothing, {
          WHEN: ({ timestamp }) => moment(timestamp),
          ID: 'id',
          AGENT: 'agentId',
          KIND: 'kind',
          SERVICE: 'service',
          USDC: 'amount',
          STATUS: 'status',
          WHY: (entry) => refusalOf(entry, (id) => id)?.sentence,
        }),
      );
    },
  }),
  command('statement', {
    about: 'all transfers of a period, as CSV or JSON',
    examples: [
      'treasury statement --from 2030-01-01 --to 2030-01-31 --out january.csv',
      'treasury statement --format json',
    ],
    options: {
      format: ['format', 'csv (the default), or json', ['csv', 'json']],
      from: ['time', 'first day or time, inclusive, in UTC', dateOrTime],
      to: ['time', 'last day or time, inclusive, in UTC', dateOrTime],
      out: ['file', 'write it to a new file instead of standard output'],
    },
    async run(terminal, { out, format = terminal.json && out === undefined ? 'json' : 'csv', ...period }) {
      if (terminal.json && out === undefined && format === 'csv')
        throw new Ending(
          'usage',
          '--json prints JSON: leave --format csv out, or write it to a file with --out.',
        );
      const response = await documentFor(terminal, 'statement', { format, ...period });
      const pieces = piecesOf(response, 'the statement');
      if (out === undefined) return printAll(terminal, pieces);
      const file = resolve(out);
      await writeNew(file, 'The statement', pieces);
      show(terminal, { file, format }, () => [`Written to ${file}.`]);
    },
  }),
];

const nothing = 'Nothing happened yet.';

/** Follows the cursor: a page may hold fewer than `limit` entries although there are more. */
const newest = async (owner: Pick<Session, 'ask'>, agentId: string | undefined, limit: number) => {
  const entries: Reply<'activity'>['entries'] = [];
  let before = {};
  for (;;) {
    const query = {
      ...(agentId === undefined ? {} : { agentId }),
      ...before,
      limit: String(limit - entries.length),
    };
    const page = await owner.ask('activity', { query });
    entries.push(...page.entries);
    if (page.next === null || entries.length >= limit) return entries;
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
    listing(terminal, found.payments, nothing, {
      WHEN: ({ timestamp }) => moment(timestamp),
      ID: 'id',
      SERVICE: 'service',
      USDC: 'amount',
      STATUS: 'status',
    }),
  );
};
