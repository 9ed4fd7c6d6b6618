// Model tokens in the books: one entry a day, supplier and model, owed until the invoice, and no movement of a wallet.
import Database from 'better-sqlite3';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { verifyJournal } from '../../server/engine/records/audit.ts';
import { rootOf } from '../../server/books/close.ts';
import type { Entry } from '../../server/books/entry.ts';
import { modelGroups } from '../../server/books/model-tokens.ts';
import { entriesIn } from '../../server/books/pass.ts';
import { bookFormatNames, holdsModels } from '../../server/contract/books/book-formats.ts';
import type { AmountMark, Span, Store } from '../../server/engine/ports.ts';
import { createDays, monthIn } from '../../server/lib/local-days.ts';
import { usdc } from '../../server/money.ts';
import { chainRead } from '../harness/chain/chain-read.ts';
import { createDice } from '../harness/dice.ts';
import { heldRequest, settledRequest } from '../harness/engine/model-row.ts';
import { useFolders } from '../harness/folders.ts';
import {
  deploy,
  openTreasury,
  removeFolder,
  temporaryFolder,
  type TestAgent,
  type Treasury,
} from '../harness/treasury.ts';
import { databaseOf } from '../lab/size/build-store.ts';
import { storeWithAgent } from '../store/store-with-agent.ts';
import { bookOf, fileOf, sumsOf, unitsOf } from './formats/files.ts';
import { fileIn, isMissing, judgedBy, judges } from './formats/judges.ts';
import { pastOf } from './formats/past.ts';

const newFolder = useFolders();

/** Around the March in which clocks are set forward, also at the edges of its days, of which each zone has its own. */
const rowsIn = (zone: string) => {
  const dice = createDice(7);
  const { from, to } = monthIn(zone, '2026-03');
  const dayAt = createDays(zone);
  return Array.from({ length: 400 }, () => {
    const anywhere = from - 40 * 3_600_000 + Math.floor(dice.roll() * (to - from + 80 * 3_600_000));
    const edge = dayAt(anywhere).from + (dice.isLucky(0.5) ? 0 : -1);
    return {
      at: dice.isLucky(0.4) ? edge : anywhere,
      serviceId: dice.pick(['llm:openai', 'llm:local']),
      model: dice.pick(['gpt', 'claude)(;|"', 'gpt-mini']),
      amount: BigInt(Math.floor(dice.roll() * 9_999_999)),
      mark: dice.pick(['exact', 'estimated', 'unknown'] as const),
    };
  }).toSorted((a, b) => a.at - b.at);
};

const sum = (rows: readonly { amount: bigint }[]): bigint =>
  rows.reduce((all, { amount }) => all + amount, 0n);
const entriesOf = (store: Store, zone: string, span: Span): Entry[] => [
  ...entriesIn(store, span, modelGroups(store.modelRequests, span, createDays(zone))),
];
const storeOf = (rows: ReturnType<typeof rowsIn>): Store => {
  const store = storeWithAgent(join(newFolder(), 'treasury.db'));
  store.atomically(() => {
    for (const [at, row] of rows.entries()) settledRequest(store, { ...row, id: `mod_${at}`, agentId: 'a' });
    heldRequest(store, { id: 'mod_held', agentId: 'a', at: rows[200]?.at ?? 0 });
  });
  return store;
};

const guessed = (entries: Entry[], mark: AmountMark): bigint =>
  entries.reduce(
    (all, { description }) => all + unitsOf(new RegExp(`([\\d.]+) ${mark}`).exec(description)?.[1] ?? '0', 6),
    0n,
  );
const owedIn = (entries: Entry[]): bigint => sumsOf(entries)['Liabilities:Models:Openai USDC'] ?? 0n;

describe.each(['Europe/Berlin', 'America/Sao_Paulo', 'Asia/Kathmandu'])('a month in %s', (zone) => {
  const rows = rowsIn(zone);
  const span = monthIn(zone, '2026-03');
  const store = storeOf(rows);
  afterAll(() => store.close());
  const inMonth = rows.filter(({ at }) => at >= span.from && at < span.to);

  it('has one entry a day, supplier and model, which are the rows to the unit', () => {
    const dayAt = createDays(zone);
    const entries = entriesOf(store, zone, span);
    const expected = Map.groupBy(inMonth, (row) => `${dayAt(row.at).name} ${row.serviceId} ${row.model}`);
    const keyOf = ({ at, serviceId, description }: Entry): string =>
      `${dayAt(at).name} ${serviceId} ${description.split(',')[0]}`;
    expect(new Map(entries.map((entry) => [keyOf(entry), entry.amount]))).toEqual(
      new Map([...expected].map(([key, of]) => [key, sum(of)])),
    );
    expect(sum(entries)).toBe(sum(inMonth));
    for (const mark of ['estimated', 'unknown'] as const)
      expect(guessed(entries, mark)).toBe(sum(inMonth.filter((row) => row.mark === mark)));
    // A file that ends within a day leaves that day to the next.
    const middle = span.from + 15.3 * 86_400_000;
    const halves = [
      entriesOf(store, zone, { ...span, to: middle }),
      entriesOf(store, zone, { ...span, from: middle }),
    ];
    expect(halves.flat()).toEqual(entries);
  });
});

describe('a file', () => {
  const zone = 'Europe/Berlin';
  const span = { from: monthIn(zone, '2026-02').from, to: monthIn(zone, '2026-05').to };
  const store = storeOf(rowsIn(zone));
  afterAll(() => store.close());
  const entered = monthIn(zone, '2026-04').from + 5;
  const addInvoice = (id: string, amount: bigint, cleared: bigint): void => {
    const terms = { id, serviceId: 'llm:openai', month: '2026-03', createdAt: entered };
    store.modelRequests.addInvoice({ ...terms, amount: usdc(amount), cleared: usdc(cleared) });
  };
  let entries: Entry[];
  beforeAll(() => {
    const owed = -owedIn(entriesOf(store, zone, span));
    store.atomically(() => {
      addInvoice('inv_1', owed - 5n, owed - 7n);
      addInvoice('inv_2', -9n, 7n);
    });
    const moves = pastOf({ seed: 3, zone, start: span.from, entries: 300 });
    entries = [...moves, ...entriesOf(store, zone, span)].toSorted((a, b) => a.at - b.at);
  });
  const book = bookOf({ zone, span });
  it.each(judges)('of $format is right for its program, also from the middle on', ({ tool, ...judge }) => {
    if (isMissing(tool)) return expect(judgedBy('', tool)).toContain('missing');
    const { format, check, balances } = judge;
    const save = (text: string): string => fileIn(newFolder(), `books.${format}`, text);
    const file = save(fileOf(format, book, entries));
    check(file);
    expect(balances(file)).toEqual(sumsOf(entries));
    expect(owedIn(entries)).toBe(0n);
    expect(sumsOf(entries)['Equity:Owner USDC']).toBeLessThan(0n);
    const { from } = monthIn(zone, '2026-04');
    const later = save(fileOf(format, bookOf({ zone, span: { from, to: span.to } }), entries));
    check(later);
    expect(balances(later)['Liabilities:Models:Openai USDC']).toBeUndefined();
  });

  it.each(bookFormatNames)('%s holds them if it has accounts, with the tag', (format) => {
    const [text, without] = [entries, entries.filter(({ kind }) => kind !== 'tokens')].map((of) =>
      fileOf(format, book, of),
    );
    if (holdsModels(format)) expect(text?.match(/not[ -]on[ -]the[ -]chain/g)?.length).toBeGreaterThan(100);
    else expect(text).toBe(without);
  });
});

describe('of a treasury', () => {
  let treasury: Treasury;
  let scout: TestAgent;
  const now = new Date();
  const past = Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - 2, 20);
  const month = new Date(past).toISOString().slice(0, 7);
  const spent = async () => (await treasury.client.get('/v1/agents/scout/limits')).text;
  const get = async (path: string) => (await treasury.client.get(`/v1/books${path}`)).body;
  const models = async () => (await get(`/months/${month}/models`))['suppliers'];
  const post = (path: string, body: object) => treasury.client.post(`/v1/books${path}`, body);
  const invoice = (amount: string, of = month, supplierId = 'openai') =>
    post(`/months/${of}/invoices`, { supplierId, amount });
  const moved = () => rootOf(treasury.host.engine.context, { from: 0, to: Date.now() + 1_000 });
  const storeIn = (): Store => treasury.host.engine.context.store;
  beforeAll(async () => {
    treasury = await openTreasury({ dataDir });
    scout = await deploy(treasury.client, 'scout');
    await treasury.client.post('/v1/model-suppliers', { kind: 'openai', name: 'OpenAI' });
    const add = (id: string, at: number, amount: bigint, mark: AmountMark): void =>
      settledRequest(storeIn(), { id, agentId: 'scout', at, amount, mark });
    storeIn().atomically(() => {
      add('mod_1', past, 1_000_001n, 'exact');
      add('mod_2', past + 5, 300_000n, 'estimated');
      add('mod_3', past + 9, 9_000_000n, 'unknown');
      add('mod_4', Date.now() - 1, 2_000_000n, 'unknown');
      heldRequest(storeIn(), { id: 'mod_5', agentId: 'scout', at: past + 11 });
    });
    await chainRead(treasury, Date.now);
  });
  const dataDir = temporaryFolder();
  afterAll(async () => {
    await treasury.close();
    const db = new Database(databaseOf(dataDir));
    expect(() => db.exec('UPDATE model_invoice SET amount = 1')).toThrow('never changes');
    expect(() => db.exec('DELETE FROM model_invoice')).toThrow('never deleted');
    const other = `UPDATE model_request SET corrects = 'mod_1' WHERE corrects IS NOT NULL`;
    expect(() => db.exec(other)).toThrow('never changes');
    db.close();
    removeFolder(dataDir);
  });

  it('are beside the close, which waits for their end and compares none of them', async () => {
    expect((await post(`/months/${month}/close`, {})).text).toContain('Requests to models have to end: 1.');
    const refusal = { code: 'not_available', message: 'x', details: {} } as const;
    storeIn().atomically(() =>
      storeIn().modelRequests.end('mod_5', { state: 'released', refusal }, Date.now()),
    );
    const closed = (await post(`/months/${month}/close`, {})).body;
    expect(closed).toMatchObject({ state: 'closed', entries: 0, differences: [] });
    const known = { requests: 3, exact: '1.000001', estimated: '0.30', unknown: '9.00', total: '10.300001' };
    expect(await models()).toEqual([
      { supplierId: 'openai', ...known, corrections: '0.00', invoiced: null, difference: null },
    ]);
  });

  it('are corrected by a further row, which the limits count at the time of the request', async () => {
    const all = (): unknown => [null, 'scout'].map((of) => storeIn().spend.at(of, Date.now()));
    const before = await spent();
    expect((await post('/corrections', { requestId: 'mod_4', amount: '0.2' })).status).toBe(200);
    expect(await spent()).not.toBe(before);
    const sums = all();
    expect(sums).toMatchObject([{ final: 200_000n }, { final: 200_000n }]);
    storeIn().spend.recount();
    expect(all()).toEqual(sums);
    // Of a request that has left the window, nothing is given back.
    for (const amount of ['3', '0.5']) await post('/corrections', { requestId: 'mod_3', amount });
    expect(all()).toEqual(sums);
    expect(await models()).toMatchObject([
      { requests: 3, unknown: '9.00', corrections: '-8.50', total: '1.800001' },
    ]);
    const corrections = storeIn().modelRequests.corrections();
    expect(corrections.map(({ amount }) => amount)).toEqual([-1_800_000n, -6_000_000n, -2_500_000n]);
    const wrong = ['mod_none', corrections[0]?.id];
    for (const requestId of wrong)
      expect((await post('/corrections', { requestId, amount: '1' })).status).toBe(400);
    expect([storeIn().journal.verifyRules(), verifyJournal(storeIn())]).toEqual([null, null]);
  });

  it('are invoiced, which clears what is owed and moves no wallet', async () => {
    const before = await moved();
    await invoice('20');
    expect(await models()).toMatchObject([{ invoiced: '20.00', difference: '18.199999' }]);
    await invoice('2');
    expect(await models()).toMatchObject([{ invoiced: '2.00', difference: '0.199999' }]);
    expect((await invoice('1.5')).body['suppliers']).toMatchObject([{ difference: '-0.300001' }]);
    const invoices = storeIn().modelRequests.invoices();
    expect(invoices.map(({ amount }) => amount)).toEqual([20_000_000n, -18_000_000n, -500_000n]);
    expect(invoices.map(({ cleared }) => cleared)).toEqual([1_800_001n, 0n, 0n]);
    expect(await moved()).toEqual(before);
    const running = new Date().toISOString().slice(0, 7);
    expect((await invoice('1', running)).status).toBe(409);
    expect((await invoice('1', month, 'none')).status).toBe(400);
    expect((await get('/months'))['months'][2]).toMatchObject({ month, state: 'closed' });
  });

  it('are in the files of programs with accounts alone', async () => {
    await scout.pay('0.1');
    for (const format of bookFormatNames) {
      const { status, text } = await treasury.client.get(`/v1/books?format=${format}`);
      if (status === 200) expect([format, text.includes('openai')]).toEqual([format, holdsModels(format)]);
    }
  });
});
