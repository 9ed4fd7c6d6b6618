// `treasury books anchor` and `treasury books statement`: the anchors on the chain, and the statement that they prove.
import { resolve } from 'node:path';
import { anchorWords } from '../../contract/books/book-words.ts';
import type { Reply } from '../../contract/schemas.ts';
import { periodOptions } from '../arguments.ts';
import { command, ownerCommand } from '../command-row.ts';
import { Ending } from '../ending.ts';
import { piecesOf, printAll, writeNew } from '../payments/new-file.ts';
import { asOwner, documentFor } from '../session.ts';
import { facts, listing, moment, momentIn } from '../table.ts';
import { show, type Terminal } from '../terminal.ts';

const anchorLines = (found: Reply<'getAnchors'>, terminal: Terminal): string[] => [
  ...facts([
    ['Anchoring', found.on ? `on; costs ${found.cost} SOL a day` : `off; would cost ${found.cost} SOL a day`],
    ['Anchored until', found.until === null ? 'nothing is anchored' : moment(found.until)],
    ['Signer', found.signer],
    ['In words', anchorWords(found.cost)],
    ['Next anchor waits for', found.on && found.waiting.length > 0 ? found.waiting.join(' ') : null],
  ]),
  ...(found.anchors.length === 0
    ? []
    : [
        '',
        ...listing(terminal, found.anchors, null, {
          FROM: ({ from }) => (from === null ? 'the beginning' : moment(from)),
          TO: ({ to }) => moment(to),
          ENTRIES: 'entries',
          STATUS: 'status',
          TRANSACTION: 'transaction',
        }),
      ]),
];

const nothingAnchored = (why: string): Ending =>
  new Ending('failed', `${why} See: treasury books anchor`, {}, 'nothing_anchored');

export const anchorCommands = [
  ownerCommand('anchor [switch]', {
    about: 'anchor the books on the chain once a day; without on or off: show what is anchored',
    examples: ['treasury books anchor', 'treasury books anchor on'],
    arguments: { switch: ['on or off', ['on', 'off']] },
    ask: (owner, { switch: turned }) =>
      turned === undefined
        ? owner.ask('getAnchors')
        : owner.ask('setAnchors', { body: { on: turned === 'on' } }),
    show: anchorLines,
  }),
  command('statement', {
    about: 'the entries of the anchored days of a period, for treasury verify',
    examples: ['treasury books statement --from 2030-01-01 --to 2030-01-31 --out january.jsonl'],
    options: { ...periodOptions, out: ['file', 'write it to a new file instead of standard output'] },
    async run(terminal, { out, ...query }) {
      if ((await asOwner(terminal).ask('getAnchors')).until === null)
        throw nothingAnchored('Nothing is anchored yet, so there is no statement.');
      const response = await documentFor(terminal, 'anchoredStatement', query);
      const pieces = piecesOf(response, 'the statement');
      const fact = (name: string): string | null => response.headers.get(`X-Books-${name}`);
      const [zone, from, to, entries] = [fact('Zone'), fact('From'), fact('To'), fact('Entries')];
      if (zone === null || from === null || to === null)
        throw nothingAnchored('No day of this period is anchored, so there is no statement of it.');
      if (out === undefined) return printAll(terminal, pieces);
      const file = resolve(out);
      await writeNew(file, 'The statement', pieces);
      const first = Date.parse(from) === 0 ? 'the beginning' : momentIn(zone, from);
      show(terminal, { file, zone, from, to, entries: Number(entries) }, () => [
        `Written to ${file}: ${entries} entries, from ${first} up to ${momentIn(zone, to)}, by the clock of ${zone}.`,
        'These are whole anchored spans, which may begin before the period and end after it.',
      ]);
    },
  }),
];
