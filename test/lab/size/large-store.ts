// `npm run large-store`: the time and memory of a treasury with 1,000 agents and 10,000,000 payments, side by side
// with the same treasury without a past.
import { mkdtempSync, readFileSync, rmSync, statfsSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { machine } from '../bench/report.ts';
import { buildStores, databaseOf, startOn, type Folders } from './build-store.ts';
import { compare, tableOf, type Compared } from './compare.ts';
import { payWhile } from './pay-while.ts';
import { questionsOf, sideOf, type Side } from './questions.ts';
import { sizeOf } from './sizes.ts';
import {
  bestOf,
  books,
  keepStreaming,
  statements,
  stream,
  type Document,
  type Streamed,
} from './streaming.ts';
import { whole } from './options.ts';

const usage = `Usage: npm run large-store -- [options]

  --agents N     1000
  --payments N   10000000; each takes some 3.6 KB of disk, and as much again for the backup
  --keep DIR     build in this folder and leave it, or take what was built there before
  --readings N   3; of each document, of which the fastest and the least memory count
  --only LIST    some questions alone, as in --only pay,history; also: start, size, export, books, backup
  --json         JSON on standard output instead of a table

The floor is the same host on a copy of the data folder as it was before the past was written: as many agents and
services and no payments; for the snapshot, the charts and lists, one with 60 payments of each agent in the last 30
days, so that a page is full, and a chart has about as many points on either side.
`;

const starts = 5;

const readOptions = () => {
  const { values } = parseArgs({
    options: {
      agents: { type: 'string', default: '1000' },
      payments: { type: 'string', default: '10000000' },
      keep: { type: 'string' },
      readings: { type: 'string', default: '3' },
      only: { type: 'string' },
      json: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  const size = { agents: whole('agents', values.agents, 9), payments: whole('payments', values.payments, 9) };
  const only = values.only?.split(',').map((part) => part.trim());
  const readings = whole('readings', values.readings, 2);
  return { ...values, size, readings, wants: (part: string) => only === undefined || only.includes(part) };
};
type Options = ReturnType<typeof readOptions>;

const say = (text: string): void => void process.stderr.write(`${text}\n`);

const measureStarts = async ({ large, empty }: Folders): Promise<Compared> => {
  const start = (dataDir: string) => async () => {
    const host = await startOn(dataDir);
    host.client.close();
    stopping = host.kill('SIGTERM');
  };
  // The end of the former host is not part of the next start's time.
  let stopping: Promise<void> = Promise.resolve();
  const after = (work: () => Promise<void>) => () => stopping.then(work);
  const result = await compare({
    id: 'start',
    what: 'start to the ready line',
    large: after(start(large)),
    floor: after(start(empty)),
    samples: starts,
    warmUp: 1,
  });
  await stopping;
  return result;
};

const tokenOf = ({ host }: Side): string => readFileSync(host.ready.cookieFile, 'utf8');

const measureHosts = async (folders: Folders, { wants, readings }: Options) => {
  const { payers } = folders.payers;
  const hosts = [];
  try {
    for (const dataDir of [folders.large, folders.small, folders.empty]) hosts.push(await startOn(dataDir));
    const [large, small, empty] = hosts;
    if (large === undefined || small === undefined || empty === undefined) throw new Error('three hosts run');
    const sides = {
      large: await sideOf(large, payers),
      small: await sideOf(small, payers),
      empty: await sideOf(empty, payers),
    };
    const rows: Compared[] = [];
    for (const question of questionsOf(sides).filter(({ id }) => wants(id))) {
      const row = await compare(question);
      say(
        `${row.id}: ${row.large.p50} ms against ${row.floor.p50} ms, ${row.met === true ? 'ok' : 'MISSED'}`,
      );
      rows.push(row);
    }
    const exports: Record<string, Streamed> = {};
    const best = async (side: Side, document: Document): Promise<Streamed> => {
      const read: Streamed[] = [];
      for (let n = 0; n < readings; n += 1) read.push(await stream(side, document, tokenOf(side)));
      return bestOf(read);
    };
    const documents = [...(wants('export') ? statements : []), ...(wants('books') ? books : [])];
    for (const document of documents) {
      try {
        exports[`${document.name}, small`] = await best(sides.small, document);
        exports[`${document.name}, large`] = await best(sides.large, document);
      } catch (error) {
        // Xero takes 1,000 lines a file, and the treasury refuses to write more.
        say(`${document.name}: not measured, ${(error as Error).message}`);
      }
    }
    if (wants('export')) {
      const streaming = { id: 'pay-export', what: 'a statement streams' };
      rows.push(
        await payWhile(sides.large, streaming, (end) =>
          keepStreaming(sides.large, tokenOf(sides.large), end),
        ),
      );
    }
    if (wants('backup') && hasRoomFor(folders.large)) rows.push(await measureBackup(sides.large));
    return { rows, exports };
  } finally {
    for (const host of hosts) {
      host.client.close();
      await host.kill('SIGTERM');
    }
  }
};

const hasRoomFor = (dataDir: string): boolean => {
  const { bavail, bsize } = statfsSync(dataDir);
  const hasRoom = bavail * bsize > 1.2 * statSync(databaseOf(dataDir)).size;
  if (!hasRoom) say('backup: not measured, the disk has no room for a copy');
  return hasRoom;
};

/** Covers a backup's first seconds: the copy, and then its check, run beside payments until they end. */
const measureBackup = (side: Side): Promise<Compared> =>
  payWhile(side, { id: 'pay-backup', what: 'a backup is made' }, async () => {
    const begin = performance.now();
    const { status, body, text } = await side.host.client.post('/v1/backup');
    if (status !== 200) throw new Error(`a backup was answered ${status}: ${text}`);
    rmSync(body['file']);
    const seconds = (performance.now() - begin) / 1_000;
    say(`a backup of ${(body['bytes'] / 1e9).toFixed(2)} GB took ${seconds.toFixed(1)} s`);
  });

const run = async (options: Options): Promise<void> => {
  if (options.help) return void process.stdout.write(usage);
  const about = machine();
  const folder = options.keep ?? mkdtempSync(join(tmpdir(), 'treasury-large-'));
  try {
    const folders = await buildStores(folder, options.size, say);
    const size = options.wants('size') ? sizeOf(databaseOf(folders.large), options.size.payments) : null;
    const rows = options.wants('start') ? [await measureStarts(folders)] : [];
    const asked = await measureHosts(folders, options);
    rows.push(...asked.rows);
    if (options.json) {
      const all = { machine: about, ...options.size, size, rows, exports: asked.exports };
      process.stdout.write(`${JSON.stringify(all, null, 2)}\n`);
      return;
    }
    process.stdout.write(`${tableOf(rows)}\n\n`);
    if (size !== null) {
      const parts = Object.entries(size.parts).map(([name, bytes]) => `${name} ${bytes}`);
      process.stdout.write(`${size.perPayment} bytes per payment: ${parts.join(', ')}\n`);
    }
    for (const [name, it] of Object.entries(asked.exports))
      process.stdout.write(
        `${name}: ${it.rows} lines, ${it.megabytes} MB in ${it.seconds} s, ${it.rowsPerSecond} lines/s, ${it.grownMb} MB more memory\n`,
      );
  } finally {
    if (options.keep === undefined) rmSync(folder, { recursive: true, force: true });
  }
};

try {
  await run(readOptions());
} catch (error) {
  say(error instanceof Error ? (error.stack ?? error.message) : String(error));
  process.exitCode = 1;
}
