// Backups of the records: made while payments go on, and once a day automatically. Restoring one leaves no moment
// without records, and reads what the backup lacks from the chain before anything can be paid.
import { execFile, spawnSync } from 'node:child_process';
import {
  copyFileSync,
  cpSync,
  existsSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { promisify } from 'node:util';
import Database from 'better-sqlite3';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { wholeClock } from '../../server/engine/domain/time.ts';
import { openTo } from '../../server/lib/files/owner-only.ts';
import { patiently } from '../../server/cli/treasury/backup.ts';
import { AppError } from '../../server/errors.ts';
import { createBackups } from '../../server/backup/backup.ts';
import { restoreBackup } from '../../server/backup/restore.ts';
import { createLog } from '../../server/log.ts';
import { letIn, run } from '../cli/terminal.ts';
import { allWell, audit, clean } from '../harness/engine/audit.ts';
import { expectStatus } from '../harness/expect-status.ts';
import { useFolders } from '../harness/folders.ts';
import type { Answer } from '../harness/http-client.ts';
import {
  deploy,
  openTreasury,
  removeFolder,
  openSandbox,
  until,
  type TestSandbox,
  type TestAgent,
  type Treasury,
} from '../harness/treasury.ts';
import { tries } from '../harness/tries.ts';
import { withPreload } from '../harness/programs/programs.ts';

const folder = useFolders();
let sandbox: TestSandbox;
let args: string[] = [];
beforeAll(async () => {
  sandbox = await openSandbox();
  args = ['--rpc', sandbox.rpcUrl, '--ws', `ws://127.0.0.1:${new URL(sandbox.rpcUrl).port}`];
});
afterAll(async () => {
  await sandbox.close();
});

const preload = new URL('../../build/preload.mjs', import.meta.url).href;
const restoring = (dataDir: string, file: string): string[] => [
  '--import',
  preload,
  ...withPreload('server/main.ts'),
  '--data',
  dataDir,
  '--restore',
  file,
  '--log-level',
  'error',
];
const restore = (dataDir: string, file: string) =>
  promisify(execFile)(process.execPath, restoring(dataDir, file)).then(
    ({ stdout }) => ({ code: 0, said: stdout }),
    ({ code, stderr }: { code: number; stderr: string }) => ({ code, said: stderr }),
  );
const databaseOf = (dataDir: string): string => join(dataDir, 'sandbox', 'treasury.db');
/** How many rows of transfers there are, read without opening it for writing. */
const rowsIn = (file: string): number => {
  const db = new Database(file);
  try {
    expect(db.pragma('integrity_check', { simple: true })).toBe('ok');
    return Number(db.prepare('SELECT count(*) FROM transfer').pluck().get());
  } finally {
    db.close();
  }
};

interface Lived {
  treasury: Treasury;
  agent: TestAgent;
}
const live = async (dataDir = folder()): Promise<Lived> => {
  const treasury = await openTreasury({ dataDir, args });
  await treasury.client.post('/v1/sandbox/faucet', { amount: '50' });
  const agent = await deploy(treasury.client, 'saver', { dailyBudget: '1', allocate: '5' });
  expectStatus(await agent.pay('0.01'), 200);
  return { treasury, agent };
};
const backUp = async ({ client }: Treasury): Promise<string> => {
  const made = await client.post('/v1/backup');
  expectStatus(made, 200);
  return String(made.body['file']);
};

describe('a backup', () => {
  it('is made while payments go on: all are paid, and those before it are in it', async () => {
    const { treasury, agent } = await live();
    const end = new AbortController();
    const answers: Answer[] = [];
    const paying = Promise.all(
      Array.from({ length: 4 }, async () => {
        while (!end.signal.aborted) answers.push(await agent.pay('0.000001'));
      }),
    );
    const before = treasury.host.engine.context.store.transfers.lastSeq();
    const answer = await treasury.client.post('/v1/backup');
    end.abort();
    await paying;
    expect(answers.length).toBeGreaterThan(0);
    for (const one of answers) expectStatus(one, 200);
    const file = String(answer.body['file']);
    expect(file).toMatch(/backups\/sandbox-\d{4}-\d\d-\d\dT[\d-]+Z\.db$/);
    expect(answer.body).toMatchObject({
      bytes: statSync(file).size,
      note: expect.stringContaining('contains no keys'),
    });
    expect(openTo(file)).toBeNull();
    expect(readdirSync(join(treasury.dataDir, 'backups'))).toHaveLength(1);
    expect(rowsIn(file)).toBeGreaterThanOrEqual(before);
    await treasury.close();
  });

  it('is made by the command, and copied to a file that is not there yet', async () => {
    const { treasury } = await live();
    await letIn(treasury);
    const [home, copy] = [folder(), join(folder(), 'copy.db')];
    const command = ['--data', treasury.dataDir, 'backup', copy];
    const made = await run(command, { home });
    expect(made).toMatchObject({ code: 0, stderr: '' });
    expect(made.stdout).toContain(`--restore ${copy}`);
    expect(rowsIn(copy)).toBe(2);
    expect(openTo(copy)).toBeNull();
    const again = await run(command, { home });
    expect(again).toMatchObject({ code: 1, stderr: expect.stringContaining('it is there already') });
    expect((await run([...command.slice(0, 3), '--json'], { home })).json).toMatchObject({
      bytes: expect.any(Number),
    });
    await treasury.close();
  });

  it('is waited for by the command for as long as it takes', async () => {
    const made = { file: 'a.db', bytes: 1, takenAt: '2030-01-01T10:00:00.000Z', note: '' };
    const lost = new AppError('halted', 'its answer did not come', { lost: true });
    const asked = (...answers: ('late' | 'cut off' | 'made')[]) => {
      let asks = 0;
      const ask = async () => {
        const answer = answers[asks++];
        if (answer === 'late') await wait(30);
        if (answer !== 'made') throw lost;
        return made;
      };
      return patiently(ask, 20).then(
        (reply) => ({ reply, asks }),
        (error: unknown) => ({ error, asks }),
      );
    };
    expect(await asked('late', 'late', 'made')).toEqual({ reply: made, asks: 3 });
    expect(await asked('late', 'cut off', 'made')).toEqual({ error: lost, asks: 2 });
  });

  it('is made automatically once a day; seven are kept, and no other file is touched', async () => {
    const { treasury } = await live();
    const dataDir = folder();
    const { store } = treasury.host.engine.context;
    let now = Date.parse('2030-01-01T10:00:00Z');
    const backups = createBackups({
      store,
      network: 'sandbox',
      dataDir,
      database: databaseOf(treasury.dataDir),
      clock: wholeClock({ wall: () => now, monotonic: () => now }),
      log: createLog('silent'),
    });
    const names = (): string[] => readdirSync(join(dataDir, 'backups')).toSorted();
    await backups.daily();
    const others = ['mine.db', 'mainnet-daily-2020-01-01T00-00-00-000Z.db', 'sandbox-daily-notes.txt'];
    for (const name of others) writeFileSync(join(dataDir, 'backups', name), 'kept');
    for (let hour = 1; hour <= 9 * 24; hour += 6) {
      now += 6 * 3_600_000;
      await backups.daily();
    }
    const made = names().filter((name) => !others.includes(name));
    expect(made).toHaveLength(7);
    expect(made[0]).toBe('sandbox-daily-2030-01-04T10-00-00-000Z.db');
    expect(names()).toEqual([...made, ...others].toSorted());
    backups.close();
    await treasury.close();
  });
});

describe('restoring', () => {
  it('is refused while a host runs, and for a file that is not a backup of this treasury', async () => {
    const { treasury } = await live();
    const { treasury: stranger } = await live();
    const [file, strange] = [await backUp(treasury), await backUp(stranger)];
    const dataDir = treasury.dataDir;
    expect(await restore(dataDir, file)).toMatchObject({
      code: 1,
      said: expect.stringContaining('is running. Stop it'),
    });
    await treasury.close();
    await stranger.close();
    const before = rowsIn(databaseOf(dataDir));

    const changed = (name: string, sql: string): string => {
      const path = join(folder(), name);
      copyFileSync(file, path);
      const db = new Database(path);
      db.exec(sql);
      db.close();
      return path;
    };
    const torn = join(folder(), 'torn.db');
    writeFileSync(torn, readFileSync(file).subarray(0, 40_000));
    const text = join(folder(), 'text.db');
    writeFileSync(text, 'This is no database at all, and long enough to be looked at as one.');
    const wrong = {
      [join(folder(), 'nothing.db')]: 'ENOENT',
      [text]: 'not the database',
      [torn]: 'restored here',
      [strange]: 'it belongs to the treasury',
      [changed('newer.db', 'PRAGMA user_version = 999')]: 'newer Agent Treasury',
      [changed('edited.db', 'UPDATE policy SET daily_budget = 99000000')]: 'records were changed',
      [changed(
        'network.db',
        "UPDATE meta SET value = '5eykt4UsFv8P8NJdTREpY1vzqKqZKvdpKuc147dw2N9d' WHERE name = 'genesis'",
      )]: 'not from sandbox',
    };
    // The command itself refused once above: its refusals are those of this function.
    for (const [path, why] of Object.entries(wrong))
      await expect(restoreBackup({ dataDir, network: 'sandbox' }, path, createLog('silent'))).rejects.toThrow(
        why,
      );
    const { code, said } = await restore(dataDir, text);
    expect([code, said]).toEqual([1, expect.stringMatching(/^--restore: .*not the database.*\n$/)]);
    expect(rowsIn(databaseOf(dataDir))).toBe(before);
    expect(readdirSync(join(dataDir, 'sandbox')).filter((name) => /restor/.test(name))).toEqual([]);
  });

  it('freezes until later payments are entered from the chain; API keys end; the budget holds; the owner can go on', async () => {
    const { treasury, agent } = await live();
    const file = await backUp(treasury);
    for (let n = 0; n < 5; n += 1) expectStatus(await agent.pay('0.1', { key: `k${n}` }), 200);
    const { dataDir } = treasury;
    await treasury.close();
    const before = rowsIn(databaseOf(dataDir));

    const done = await restore(dataDir, file);
    expect(done.code, done.said).toBe(0);
    const aside = /The records of before are in (\S+)\./.exec(done.said)?.[1] ?? '';
    expect(rowsIn(aside)).toBe(before);
    expect(rowsIn(databaseOf(dataDir))).toBe(2);

    const old = await openTreasury({ dataDir, args });
    const { store, time } = old.host.engine.context;
    const said = await until('the rescan', () => {
      const reason = store.freeze.get()?.reason;
      return reason?.includes('were found on the chain') === true && reason;
    });
    expect(said).toContain('5 payments of 0.50 USDC in all');
    expect(store.spend.at('saver', time.now())).toMatchObject({ open: 0n, final: 510_000n });
    // The API key that paid has ended, and with it the answers that it would repeat.
    expectStatus(await old.client.as(agent.key).get('/v1/agents/saver/balance'), 401);
    expectStatus(await old.client.post('/v1/unfreeze'), 200);
    const { body } = await old.client.post('/v1/agents/saver/keys', {});
    const pay = (amount: string) =>
      old.client
        .as(String(body['mcpConfig'].env.TREASURY_API_KEY))
        .post('/v1/agents/saver/pay', { service: 'sandbox-weather', amount, currency: 'USDC' });
    expect((await pay('0.490001')).body['code']).toBe('daily_budget');
    expectStatus(await pay('0.49'), 200);
    await until('all to be final', async () => {
      await old.host.engine.context.funds.scanDeposits();
      return store.transfers.open().length === 0 && store.deposits.unsettled().length === 0;
    });
    expect(clean(await audit(old.host))).toEqual(allWell);
    await old.close();
    const next = await openTreasury({ dataDir, args });
    expect(next.host.engine.context.store.freeze.get()).toBeNull();
    await next.close();
  });

  it('works when the current database is lost or damaged, and keeps a damaged one', async () => {
    const { treasury } = await live();
    const file = await backUp(treasury);
    const { dataDir } = treasury;
    await treasury.close();
    writeFileSync(databaseOf(dataDir), 'damaged');
    const done = await restore(dataDir, file);
    expect(done.code, done.said).toBe(0);
    const aside = /The records of before are in (\S+)\./.exec(done.said)?.[1] ?? '';
    expect(readFileSync(aside, 'utf8')).toBe('damaged');
    expect(rowsIn(databaseOf(dataDir))).toBe(2);
  });
});

const hasStrace = spawnSync('strace', ['--version']).status === 0;

describe.skipIf(!hasStrace)('SIGKILL while a backup is restored (Linux with strace)', () => {
  it('at every rename or sync: either the old or the new records are in place, whole, and nothing is lost', async () => {
    const { treasury, agent } = await live();
    const file = await backUp(treasury);
    expectStatus(await agent.pay('0.1'), 200);
    await treasury.close();
    const before = rowsIn(databaseOf(treasury.dataDir));
    const places = { old: 0, new: 0 };
    const traced = (dataDir: string, options: readonly string[], log = '/dev/null') => {
      const command = [process.execPath, ...restoring(dataDir, file)];
      // A cold compile cache would add calls of its own.
      const env = { ...process.env, NODE_DISABLE_COMPILE_CACHE: '1' };
      return spawnSync('strace', ['-f', '-qq', '-o', log, ...options, ...command], { env }).status;
    };
    const names = ['link', 'linkat', 'rename', 'renameat', 'renameat2', 'unlink', 'unlinkat', 'fsync'];
    // One run without a kill lists which of these calls a restore makes, in their order. strace counts by name.
    const [unhurt, log] = [folder(), join(folder(), 'calls')];
    cpSync(treasury.dataDir, unhurt, { recursive: true });
    expect(traced(unhurt, ['-e', `trace=${names.join()}`], log)).toBe(0);
    const made = Array.from(readFileSync(log, 'latin1').matchAll(/^\d+ +(\w+)\(/gm), ([, name = '']) => name);
    const points = made.map((call, at) => ({
      call,
      n: made.slice(0, at + 1).filter((name) => name === call).length,
    }));
    // Each point costs a start of its own, so only some are tried, the first and the last among them.
    const count = Math.min(tries(4, points.length), points.length);
    for (let one = 0; one < count; one += 1) {
      const point = points[Math.round((one * (points.length - 1)) / (count - 1))];
      if (point === undefined) throw new Error('a restore makes none of these calls');
      const { call, n } = point;
      const dataDir = folder();
      cpSync(treasury.dataDir, dataDir, { recursive: true });
      const inject = ['-e', `trace=${call}`, '-e', `inject=${call}:signal=SIGKILL:when=${n}`];
      const status = traced(dataDir, inject);
      const there = existsSync(databaseOf(dataDir)) ? rowsIn(databaseOf(dataDir)) : -1;
      expect([2, before], `killed at ${call} ${n}`).toContain(there);
      if (there === 2) {
        const aside = readdirSync(join(dataDir, 'sandbox')).find((name) => name.includes('before-restore'));
        expect(rowsIn(join(dataDir, 'sandbox', aside ?? ''))).toBe(before);
      }
      removeFolder(dataDir);
      if (status !== 0) places[there === before ? 'old' : 'new'] += 1;
    }
    process.stderr.write(`restore: ${places.old} kill points before the change, ${places.new} after\n`);
    expect(places.old).toBeGreaterThan(1);
    expect(places.new).toBeGreaterThan(0);
  });
});
