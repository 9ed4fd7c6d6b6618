// `treasury books` against a real treasury that is a month ahead: files, months and their close, and rules; and its statement.
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { gunzipSync } from 'node:zlib';
import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { createClient, isLost } from '../../server/client/client.ts';
import { writeToken } from '../../server/client/terminal-token.ts';
import { chainRead } from '../harness/chain/chain-read.ts';
import { enterFalseDeposit } from '../harness/chain/false-deposit.ts';
import { settledRequest } from '../harness/engine/model-row.ts';
import { useFolders } from '../harness/folders.ts';
import { deploy, until } from '../harness/treasury.ts';
import { command, scout, treasury, useTreasury } from './cli-treasury.ts';
import { run } from './terminal.ts';

let ahead = 0;
useTreasury(() => ({
  clock: { wall: () => Date.now() + ahead, monotonic: () => performance.now() + ahead },
}));
const folder = useFolders();
const paidIn = new Date().toISOString().slice(0, 7);

beforeAll(async () => {
  const { host, client } = treasury;
  const planner = await deploy(client, 'planner');
  for (const amount of ['0.3', '0.2']) await scout.pay(amount);
  await planner.pay('0.1');
  await client.post('/v1/groups', { name: 'Research' });
  await until('all to be final', () => host.engine.context.store.transfers.open().length === 0);
  ahead = 40 * 86_400_000;
  await chainRead(treasury, () => Date.now() + ahead);
});

const writePeriod = (from: string, to: string) =>
  command([
    '--json',
    'books',
    '--format',
    'koinly',
    '--from',
    from,
    '--to',
    to,
    '--out',
    join(folder(), 'm'),
  ]);

describe('treasury books', () => {
  it('writes a period to standard output, or to a new file that it describes', async () => {
    const printed = await command('books --format hledger');
    expect(printed).toMatchObject({ code: 0, stderr: '' });
    expect(printed.stdout).toMatch(/Expenses:APIs:Sandbox-Weather +0\.3/);
    const file = join(folder(), 'books.journal');
    const line = ['books', '--format', 'hledger', '--to', `${paidIn}-28`, '--out', file];
    const written = await command(line);
    expect(written.stdout).toContain(`Written to ${file}: from ${paidIn}-`);
    expect(written.stdout).toContain('by the clock of UTC.');
    expect(await command(line)).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/exists already.*--replace/),
    });
    writeFileSync(file, 'old');
    expect(await command([...line, '--from', '2099-01-01', '--replace'])).toMatchObject({ stdout: '' });
    expect(readFileSync(file, 'utf8')).toBe('old');
    expect(await command([...line, '--replace'])).toMatchObject({ code: 0 });
    expect(readFileSync(file, 'utf8')).toContain('Expenses:APIs:Sandbox-Weather');
    expect(readdirSync(dirname(file))).toEqual(['books.journal']);
    expect(await command('books --format hledger --replace')).toMatchObject({ code: 2, stdout: '' });
    const zipped = join(folder(), 'books.csv.gz');
    const { json } = await command(['--json', 'books', '--format', 'koinly', '--gzip', '--out', zipped]);
    expect(json).toMatchObject({ file: zipped, format: 'koinly', zone: 'UTC' });
    expect(gunzipSync(readFileSync(zipped)).toString()).toMatch(/^Date,Sent Amount/);
  });

  it('takes a month for its first and its last day', async () => {
    const { json } = await writePeriod(paidIn, paidIn);
    const [year = 0, month = 1] = paidIn.split('-').map(Number);
    expect([json.from, json.to]).toEqual(
      [month - 1, month].map((each) => new Date(Date.UTC(year, each, 1)).toISOString()),
    );
    expect((await writePeriod('2030-13', paidIn)).stderr).toContain('It must be a date such as');
  });

  it('says what a file by day holds, and where importing twice is not safe', async () => {
    const file = join(folder(), 'xero.csv');
    const { stdout } = await command(['books', '--format', 'xero', '--out', file]);
    expect(stdout).toMatch(
      /whole days that are final, in cents\. Begin the next file at \d{4}-\d\d-\d\d 00:00/,
    );
    expect(stdout).toContain(
      'Xero does not recognize lines that it already has: a day imported twice counts twice.',
    );
  });

  it('leaves no file where there is nothing to write, and refuses JSON on standard output', async () => {
    const file = join(folder(), 'none.ofx');
    const early = await command(['books', '--format', 'ofx', '--from', '2099-01-01', '--out', file]);
    expect(early.code).not.toBe(0);
    expect(early.stderr).toContain('from: must not be in the future');
    expect(existsSync(file)).toBe(false);
    expect(await command('--json books --format ofx')).toMatchObject({ code: 2, stdout: '' });
    expect((await command('books --format excel')).stderr).toContain('Allowed choices');
  });

  it('lists the formats', async () => {
    const { stdout } = await command('books formats');
    expect(stdout).toMatch(/^xero +a day and payee +a bank statement in Xero +left out +counts twice$/m);
    expect(stdout).toMatch(
      /^hledger +each movement .* adds nothing, if each file begins with the first day/m,
    );
  });
});

describe('treasury books months', () => {
  it('are listed, summed beside the month before, and closed', async () => {
    expect((await command('books months')).stdout).toMatch(new RegExp(`^${paidIn} +can be closed`, 'm'));
    const { stdout } = await command(`books month ${paidIn}`);
    expect(stdout).toMatch(/^Paid to services +3 +0\.60 +0\.00 +USDC$/m);
    expect(stdout).toMatch(/^scout +2 +0\.50 +0\.00$/m);
    expect(stdout).not.toContain('Words from phones');
    const closed = await command(`books close ${paidIn}`);
    expect(closed).toMatchObject({ code: 0, stderr: '' });
    expect(closed.stdout).toMatch(/^State +closed$/m);
    expect((await command('books months')).stdout).toMatch(new RegExp(`^${paidIn} +closed +2`, 'm'));
  });

  it('that differ end the command with the list and an exit code', async () => {
    enterFalseDeposit(treasury);
    const { code, json, stderr } = await command(`--json books close ${paidIn}`);
    expect({ code, state: json.state, said: JSON.parse(stderr).code }).toEqual({
      code: 1,
      state: 'differs',
      said: 'month_differs',
    });
    expect((await command(`books close ${paidIn}`)).stdout).toMatch(
      /^- At the month’s end the treasury held/m,
    );
  });

  it('that run, are not there, or are no months are refused in a sentence', async () => {
    const running = new Date(Date.now() + ahead).toISOString().slice(0, 7);
    expect(await command(`books close ${running}`)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('cannot be closed yet'),
    });
    expect((await command('books close 2001-01')).stderr).toContain('There is no month 2001-01');
    expect(await command('books close november')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('a month such as 2026-11'),
    });
  });
});

it('a misspelt command of the books is named, with the help that lists the right ones', async () => {
  for (const [line, help] of [
    ['books mnoths', 'treasury books --help'],
    ['books rules foo', 'treasury books rules --help'],
  ] as const) {
    const word = line.split(' ').at(-1);
    expect(await command(line)).toMatchObject({
      code: 2,
      stdout: '',
      stderr: `error: unknown command '${word}'. See: ${help}\n`,
    });
  }
  expect((await command('verify --help')).stdout.match(/exit codes/gi)).toHaveLength(1);
});

it('treasury books statement says that nothing is anchored', async () => {
  expect(await command('books statement')).toMatchObject({
    code: 1,
    stdout: '',
    stderr: expect.stringContaining('Nothing is anchored yet'),
  });
});

const rules = async () => (await command('--json books rules')).json.rules;
const add = (line: string, setting = {}) => command(`books rules add ${line}`, setting);

describe('treasury books rules', () => {
  it('are added, previewed, moved, changed and removed', async () => {
    expect((await command('books rules')).stdout).toContain('There are none.');
    const added = await add('--agent scout --account Expenses:Research --cost-centre R&D');
    expect(added.stdout).toContain('It catches nothing in the current month.');
    expect(added.stdout).toMatch(/^Matches +agent scout$/m);
    const preview = await command(`books rules preview --service sandbox-weather --month ${paidIn}`);
    expect(preview.stdout).toContain('It catches 1 entry, 0.10 USDC.');
    expect(preview.stdout).toMatch(
      /An earlier rule, rule_\w+, already takes 2 entries \(0\.50 USDC\) that this rule/,
    );
    expect(await add('--group Research --account Expenses:Group --first')).toMatchObject({ code: 0 });
    const [first, second] = await rules();
    expect([first.account, second.account]).toEqual(['Expenses:Group', 'Expenses:Research']);
    await command(`books rules change ${first.ruleId} --at 2 --account Expenses:Late`);
    expect((await rules()).map(({ account }: { account: string }) => account)).toEqual([
      'Expenses:Research',
      'Expenses:Late',
    ]);
    await command(`books rules change ${second.ruleId} --cost-centre none`);
    expect((await rules())[0]).toMatchObject({ costCentre: null, agentId: 'scout' });
    for (const { ruleId } of await rules())
      expect((await command(`books rules remove ${ruleId}`)).code).toBe(0);
    expect(await rules()).toEqual([]);
  });

  it('ask first where an earlier rule takes what they match', async () => {
    await add('--agent scout --account Expenses:Research');
    const line = `--service sandbox-weather --account Expenses:Weather --month ${paidIn}`;
    const asked = await add(line);
    expect(asked).toMatchObject({
      code: 3,
      stdout: expect.stringContaining('already takes 2 entries'),
    });
    expect(await add(line, { typed: ['n'] })).toMatchObject({ code: 3 });
    expect(await rules()).toHaveLength(1);
    expect(await add(line, { typed: ['y'] })).toMatchObject({ code: 0 });
    expect(await add(`${line} --first`)).toMatchObject({ code: 0, stderr: '' });
    expect(await rules()).toHaveLength(3);
  });

  it('name the field that is wrong', async () => {
    const earlier = await rules();
    const taken = '--service sandbox-weather --account';
    expect(await add(`${taken} expenses:x`)).toMatchObject({
      code: 2,
      stdout: '',
      stderr: expect.stringContaining(
        "'--account <name>' argument 'expenses:x' is invalid. It must be an account",
      ),
    });
    expect((await add(`${taken} Expenses:X --cost-centre ${'x'.repeat(61)}`)).stderr).toContain(
      '60 characters',
    );
    expect((await add('--agent nobody --account Expenses:X')).stderr).toContain(
      '--agent: there is no agent nobody',
    );
    expect((await add('--group None --account Expenses:X')).stderr).toContain('There is no group None');
    expect((await add('--account Expenses:X')).stderr).toContain(
      'A rule needs at least one condition: --service, --payee, --origin, --agent or --group.',
    );
    const one = earlier.find(({ agentId }: { agentId: string | null }) => agentId === 'scout');
    expect((await command(`books rules change ${one.ruleId} --agent none`)).stderr).toContain(
      'A rule needs at least one condition',
    );
    expect(await rules()).toEqual(earlier);
    expect(await add('--agent scout --account Expenses:X --first --at 2')).toMatchObject({ code: 2 });
    expect(await command('books rules change rule_none --first')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('There is no rule rule_none'),
    });
  });
});

it('a month begins with what the one before ended with, and the last one ends with what all wallets hold', async () => {
  const { months } = (await treasury.client.get('/v1/books/months')).body;
  let before = '0.00';
  for (const { month } of months.toReversed()) {
    const { opening, closing } = (await treasury.client.get(`/v1/books/months/${month}/totals`)).body;
    expect([month, opening]).toEqual([month, before]);
    before = closing;
  }
  const { total } = (await treasury.client.get('/v1/dashboard')).body;
  expect(Number(before)).toBeCloseTo(Number(total.treasury) + Number(total.agents), 6);
  const last = String(months[0].month);
  expect((await command(`books month ${last}`)).stdout).toContain(`closing balance ${before} USDC`);
});

it('sales of a seller are entered from its records, and are income in every file', async () => {
  const all: Record<string, string>[] = (await treasury.client.get('/v1/treasury/deposits')).body['deposits'];
  const deposit = all.find(({ currency }) => currency === 'USDC');
  const recipient = treasury.host.owner;
  const sold = { ...deposit, recipient, route: 'GET /report', service: null, payer: 'x', refund: null };
  const file = join(folder(), 'sales.jsonl');
  const others = [
    { ...sold, recipient: scout.wallet, txSignature: '2'.repeat(88), route: `GET /${'x'.repeat(200)}` },
    { ...sold, recipient: '3'.repeat(44) },
    { ...sold, recipient: null },
  ];
  // Some editors begin a file with a byte order mark.
  writeFileSync(file, `\uFEFF${[sold, ...others].map((line) => JSON.stringify(line)).join('\n')}`);
  const entered = await command(['--json', 'books', 'sales', file]);
  const deposits = { entries: 1, amount: deposit?.['amount'] };
  expect(entered.json).toEqual({ added: 2, known: 0, foreign: 2, deposits });
  expect((await command(['books', 'sales', file])).stdout).toMatch(
    /Entered +0 sales; 2 were entered before\n.*Left out +2 sales that name no wallet.*\n.*1 of them/,
  );
  expect((await command('books --format hledger')).stdout).toMatch(/Income:Sales:GET-report +-\d/);
  expect((await command(`books month ${paidIn}`)).stdout).toMatch(/of which sales +1 /);
  writeFileSync(file, `${JSON.stringify(sold)}\n{"amount": 1}`);
  expect(await command(['books', 'sales', file])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('Line 2 of'),
  });
});

it('model tokens are listed, corrected and invoiced, and stand beside the close', async () => {
  const { store } = treasury.host.engine.context;
  await treasury.client.post('/v1/model-suppliers', { kind: 'openai', name: 'OpenAI' });
  const made = {
    id: 'mod_1',
    agentId: 'scout',
    at: Date.now(),
    amount: 41_900_000n,
    mark: 'unknown',
  } as const;
  store.atomically(() => settledRequest(store, made));
  const known = '0.00 settled, 0.00 estimated, 41.90 unknown,';
  expect((await command(`books models ${paidIn}`)).stdout).toContain(
    `openai  41.90 USDC: ${known} 0.00 of corrections. No invoice yet.`,
  );
  expect(await command('books correct mod_1 40.5')).toMatchObject({
    stdout: 'mod_1  counts 40.50 USDC now\n',
  });
  expect((await command(`books invoice ${paidIn} openai 42`)).stdout).toContain(
    `40.50 USDC: ${known} -1.40 of corrections. Invoiced: 42.00, 1.50 more than recorded.`,
  );
  expect((await command(`books close ${paidIn}`)).stdout).toContain(
    'Model tokens. Billed to you by suppliers',
  );
});

// It may take any time while it keeps coming, and an incomplete one is not left behind.
describe('a statement', () => {
  const limitMs = 50;
  let close: () => void;
  afterEach(() => {
    vi.restoreAllMocks();
    close();
  });

  /** A treasury that takes three times as long to answer as the client waits for one. */
  const openSlow = async (end: (response: ServerResponse) => void) => {
    const timeout = AbortSignal.timeout;
    vi.spyOn(AbortSignal, 'timeout').mockImplementation(() => timeout(limitMs));
    const server = createServer(async (_request, response) => {
      response.write('timestamp,id\r\n');
      await wait(3 * limitMs);
      end(response);
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    close = () => {
      server.closeAllConnections();
      server.close();
    };
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const dataDir = folder();
    const endpoint = { url, pid: process.pid, owner: 'own_1', network: 'sandbox' } as const;
    mkdirSync(join(dataDir, 'runtime'));
    writeFileSync(join(dataDir, 'runtime', 'endpoint.json'), JSON.stringify(endpoint));
    writeToken(dataDir, { token: 'of-the-owner', expiresAt: '2100-01-01T00:00:00.000Z' });
    const file = join(folder(), 'statement.csv');
    const statement = (...args: string[]) =>
      run(['--data', dataDir, 'statement', ...args], { home: folder() });
    return { statement, file, client: createClient(endpoint, 'of-the-owner') };
  };

  it('may take longer than the limit for an answer, which holds for everything else', async () => {
    const { statement, client } = await openSlow((response) => response.end('today,pay_1\r\n'));
    expect(await statement()).toEqual({ code: 0, stderr: '', stdout: 'timestamp,id\r\ntoday,pay_1\r\n' });
    expect(await client.ask('activity').then(() => false, isLost)).toBe(true);
  });

  it('that breaks off is reported as such, and leaves no file', async () => {
    const { statement, file } = await openSlow((response) => response.destroy());
    const brokenOff = { code: 1, stderr: expect.stringContaining('is not complete. Export it again') };
    expect(await statement()).toMatchObject(brokenOff);
    expect(await statement('--out', file)).toMatchObject(brokenOff);
    expect(existsSync(file)).toBe(false);
  });
});
