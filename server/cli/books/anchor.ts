// `treasury books anchor` and `treasury books statement`: the anchors on the chain, and the statement that they prove.
import { resolve } from 'node:path';
import { Argument, type Command } from 'commander';
import { send } from '../../client/client.ts';
import { readEndpoint } from '../../client/endpoint.ts';
import type { Reply } from '../../contract/schemas.ts';
import { periodEnd, periodStart } from '../arguments.ts';
import { Ending } from '../ending.ts';
import { piecesOf, writeNew } from '../payments/new-file.ts';
import { asOwner, ownerToken } from '../session.ts';
import { facts, moment, momentIn, table } from '../table.ts';
import { show, type Terminal } from '../terminal.ts';

interface StatementOptions {
  from?: string;
  to?: string;
  out?: string;
}

export const addAnchor = (books: Command, terminal: () => Terminal): void => {
  books
    .command('anchor')
    .description('anchor the books on the chain once a day; without on or off: show what is anchored')
    .addArgument(new Argument('[switch]', 'on or off').choices(['on', 'off']))
    .action((turned: 'on' | 'off' | undefined) => anchor(terminal(), turned));
  books
    .command('statement')
    .description('the entries of the anchored days of a period, for treasury verify')
    .option(
      '--from <time>',
      'first day, month or time, inclusive; days are those of your time zone',
      periodStart,
    )
    .option('--to <time>', 'last day, month or time, inclusive', periodEnd)
    .option('--out <file>', 'write it to a new file instead of standard output')
    .action((options: StatementOptions) => statement(terminal(), options));
};

const anchor = async (terminal: Terminal, turned: 'on' | 'off' | undefined): Promise<void> => {
  const owner = asOwner(terminal);
  const found =
    turned === undefined
      ? await owner.ask('getAnchors')
      : await owner.ask('setAnchors', { body: { on: turned === 'on' } });
  show(terminal, found, () => anchorLines(terminal, found));
};

const anchorLines = (terminal: Terminal, found: Reply<'getAnchors'>): string[] => [
  ...facts([
    ['Anchoring', found.on ? `on; costs ${found.cost} SOL a day` : `off; would cost ${found.cost} SOL a day`],
    ['Anchored until', found.until === null ? 'nothing is anchored' : moment(found.until)],
    ['Signer', found.signer],
    ...(found.on && found.waiting.length > 0
      ? [['Next anchor waits for', found.waiting.join(' ')] as const]
      : []),
  ]),
  ...(found.anchors.length === 0
    ? []
    : [
        '',
        ...table(
          terminal,
          ['FROM', 'TO', 'ENTRIES', 'STATUS', 'TRANSACTION'],
          found.anchors.map((one) => [
            one.from === null ? 'the beginning' : moment(one.from),
            moment(one.to),
            String(one.entries),
            one.status,
            one.transaction ?? '',
          ]),
        ),
      ]),
];

const statement = async (terminal: Terminal, { out, ...query }: StatementOptions): Promise<void> => {
  if ((await asOwner(terminal).ask('getAnchors')).until === null)
    throw new Ending(
      'failed',
      'Nothing is anchored yet, so there is no statement. See: treasury books anchor',
      {},
      'nothing_anchored',
    );
  const endpoint = readEndpoint(terminal.dataDir);
  const response = await send(endpoint, ownerToken(terminal), 'anchoredStatement', { query });
  const pieces = piecesOf(response, 'the statement');
  const fact = (name: string): string | null => response.headers.get(`X-Books-${name}`);
  const [zone, from, to, entries] = [fact('Zone'), fact('From'), fact('To'), fact('Entries')];
  if (zone === null || from === null || to === null)
    throw new Ending(
      'failed',
      'No day of this period is anchored, so there is no statement of it. See: treasury books anchor',
      {},
      'nothing_anchored',
    );
  if (out === undefined) {
    for await (const piece of pieces) terminal.io.out(piece);
    return;
  }
  const file = resolve(out);
  await writeNew(file, 'The statement', pieces);
  const first = Date.parse(from) === 0 ? 'the beginning' : momentIn(zone, from);
  show(terminal, { file, zone, from, to, entries: Number(entries) }, () => [
    `Written to ${file}: ${entries} entries, from ${first} up to ${momentIn(zone, to)}, by the clock of ${zone}.`,
    'These are whole anchored spans, which may begin before the period and end after it.',
  ]);
};
