// The newest transfers and refusals on the terminal, and the statement of a period as a document.
import { resolve } from 'node:path';
import { Option, type Command } from 'commander';
import { send } from '../../client/client.ts';
import { readEndpoint } from '../../client/endpoint.ts';
import { refusalOf } from '../../contract/refusals/refused-transfer.ts';
import type { Reply } from '../../contract/schemas.ts';
import { dateOrTime, wholeNumber } from '../arguments.ts';
import { Ending } from '../ending.ts';
import { piecesOf, writeNew } from './new-file.ts';
import { agentOf } from './payment.ts';
import { asAgentOrOwner, asOwner, ownerToken, type Session } from '../session.ts';
import { moment, table } from '../table.ts';
import { show, type Terminal } from '../terminal.ts';

interface StatementOptions {
  format?: 'csv' | 'json';
  from?: string;
  to?: string;
  out?: string;
}

export const addHistory = (program: Command, terminal: () => Terminal): void => {
  program
    .command('history [agent]')
    .description('transfers and refusals, newest first; with TREASURY_API_KEY the agent’s own payments')
    .option('--limit <n>', 'at most this many, up to 500', wholeNumber, 20)
    .action((agentId: string | undefined, { limit }: { limit: number }) =>
      history(terminal(), agentId, String(limit)),
    );
  program
    .command('statement')
    .description('all transfers of a period, as CSV or JSON')
    .addOption(new Option('--format <format>', 'csv (the default), or json').choices(['csv', 'json']))
    .option('--from <time>', 'first day or time, inclusive, in UTC', dateOrTime)
    .option('--to <time>', 'last day or time, inclusive, in UTC', dateOrTime)
    .option('--out <file>', 'write it to a new file instead of standard output')
    .action((options: StatementOptions) => statement(terminal(), options));
};

const history = async (terminal: Terminal, agentId: string | undefined, limit: string): Promise<void> => {
  const session = asAgentOrOwner(terminal);
  if (session.role === 'agent') return ownHistory(terminal, session, agentOf(terminal, agentId), limit);
  const entries = await newest(asOwner(terminal), agentId, Number(limit));
  show(terminal, { entries }, () =>
    orNothing(
      table(
        terminal,
        ['WHEN', 'ID', 'AGENT', 'KIND', 'SERVICE', 'USDC', 'STATUS', 'WHY'],
        entries.map((entry) => [
          moment(entry.timestamp),
          entry.id,
          entry.agentId ?? '',
          entry.kind,
          entry.service,
          entry.amount,
          entry.status,
          refusalOf(entry, (id) => id)?.sentence ?? '',
        ]),
      ),
    ),
  );
};

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
  limit: string,
): Promise<void> => {
  const found = await session.ask('spendHistory', { params: { agentId }, query: { limit } });
  show(terminal, found, () =>
    orNothing(
      table(
        terminal,
        ['WHEN', 'ID', 'SERVICE', 'USDC', 'STATUS'],
        found.payments.map(({ timestamp, id, service, amount, status }) => [
          moment(timestamp),
          id,
          service,
          amount,
          status,
        ]),
      ),
    ),
  );
};

const orNothing = (lines: string[]): string[] => (lines.length === 1 ? ['Nothing happened yet.'] : lines);

const statement = async (terminal: Terminal, options: StatementOptions): Promise<void> => {
  const { out, format = terminal.json && out === undefined ? 'json' : 'csv', ...period } = options;
  if (terminal.json && out === undefined && format === 'csv')
    throw new Ending(
      'usage',
      '--json prints JSON: leave --format csv out, or write it to a file with --out.',
    );
  const endpoint = readEndpoint(terminal.dataDir);
  const query = { format, ...period };
  const pieces = piecesOf(
    await send(endpoint, ownerToken(terminal), 'statement', { query }),
    'the statement',
  );
  if (out === undefined) {
    for await (const piece of pieces) terminal.io.out(piece);
    return;
  }
  const file = resolve(out);
  await writeNew(file, 'The statement', pieces);
  show(terminal, { file, format }, () => [`Written to ${file}.`]);
};
