// The sandbox as a command, and over its ends: what it acknowledged is there after a kill and after a restart.
import { once } from 'node:events';
import { describe, expect, test } from 'vitest';
import { loadRuntime } from '../../server/sandbox/chain/load-runtime.ts';
import { tries } from '../harness/tries.ts';
import { runMain, startStandAlone } from './stand-alone.ts';
import {
  balance,
  latestBlockhash,
  memo,
  newKey,
  newPayer,
  send,
  signed,
  startSandbox,
  statuses,
  temporaryDir,
  transfer,
} from './support.ts';

const instant = ['--confirm-ms', '0', '--finalize-ms', '0'];
const sol = 1_000_000_000;
const many = tries(3_000, 10_000);

describe('a sandbox that is killed amid a stream of transfers', () => {
  test('has everything that it acknowledged, once, and continues under the same blockhash', async () => {
    const dataDir = temporaryDir();
    const first = await startStandAlone(dataDir, ...instant);
    const [payer, to] = [await newPayer(first, 100 * sol), newKey()];
    await first.call('requestAirdrop', to.text, 1_000_000);
    const genesis = await first.call('getGenesisHash');
    const { blockhash } = await latestBlockhash(first);
    const transfers = Array.from({ length: 3000 }, (_, index) =>
      signed(payer, blockhash, [transfer(payer, to.address, 1), memo(`${index}`)]),
    );

    const acknowledged: string[] = [];
    const stream = async (offset: number): Promise<void> => {
      for (let index = offset; index < transfers.length; index += 4) {
        const one = transfers[index];
        if (one) acknowledged.push(await send(first, one));
        if (acknowledged.length === 200) void first.end('SIGKILL');
      }
    };
    await Promise.allSettled([0, 1, 2, 3].map(stream));
    expect(acknowledged.length).toBeGreaterThanOrEqual(200);
    expect(acknowledged.length).toBeLessThan(transfers.length);

    const second = await startStandAlone(dataDir, ...instant);
    expect(await second.call('getGenesisHash')).toBe(genesis);
    const landed = new Set<string>();
    for (let index = 0; index < transfers.length; index += 250) {
      const signatures = transfers.slice(index, index + 250).map(({ signature }) => signature);
      const { value } = await statuses(second, signatures);
      value.forEach((status, at) => status && landed.add(signatures[at] ?? ''));
    }
    expect(acknowledged.filter((signature) => !landed.has(signature))).toEqual([]);
    expect(landed.size - acknowledged.length).toBeLessThanOrEqual(4);
    expect(await balance(second, to.text)).toBe(1_000_000 + landed.size);
    expect(await balance(second, payer.text)).toBe(100 * sol - 5001 * landed.size);
    const history = await second.call<{ signature: string }[]>('getSignaturesForAddress', to.text);
    expect(new Set(history.map(({ signature }) => signature)).size).toBe(Math.min(1000, landed.size + 1));

    const [duplicate] = transfers.filter(({ signature }) => landed.has(signature));
    const fresh = transfers.at(-1);
    if (!duplicate || !fresh) throw new Error('nothing landed');
    await expect(send(second, duplicate)).rejects.toMatchObject({ data: { err: 'AlreadyProcessed' } });
    await send(second, fresh);
    expect(await second.end('SIGTERM')).toBe(0);
  });
});

test('a restart keeps accounts, time and statuses, even with other lengths of slot and finality', async () => {
  const dataDir = temporaryDir();
  const first = await startSandbox({ dataDir, slotMs: 100 });
  const payer = await newPayer(first);
  await first.call('sandbox_fundUsdc', payer.text, '123');
  await first.call('sandbox_warp', 5000);
  const one = signed(payer, (await latestBlockhash(first)).blockhash, [memo('before')]);
  await send(first, one);
  const slot = await first.call<number>('getSlot', { commitment: 'finalized' });
  const time = await first.call<number>('getBlockTime', slot);
  await first.close();

  const second = await startSandbox({ dataDir, slotMs: 1000, finalizeMs: 60_000 });
  const later = await second.call<number>('getSlot', { commitment: 'finalized' });
  expect(later).toBeGreaterThanOrEqual(slot);
  expect(later).toBeLessThan(slot + 100);
  expect(await second.call('getBlockTime', slot)).toBe(time);
  expect((await statuses(second, [one.signature])).value[0]?.confirmationStatus).toBe('finalized');
  expect(await balance(second, payer.text, 'finalized')).toBe(sol - 5000);
  await expect(send(second, one)).rejects.toMatchObject({ data: { err: 'AlreadyProcessed' } });
  const mine = signed(payer, (await latestBlockhash(second)).blockhash, [memo('after')]);
  await send(second, mine);
  expect((await statuses(second, [mine.signature])).value[0]?.confirmationStatus).toBe('confirmed');
});

test('a warp is kept', async () => {
  const dataDir = temporaryDir();
  const first = await startSandbox({ dataDir });
  const warped = await first.call<number>('sandbox_warp', 10_000);
  await first.close();
  const second = await startSandbox({ dataDir });
  expect(await second.call<number>('getSlot')).toBeGreaterThanOrEqual(warped);
});

test('a second sandbox on the same directory is refused in one sentence', async () => {
  const dataDir = temporaryDir();
  const first = await startSandbox({ dataDir });
  await expect(startSandbox({ dataDir })).rejects.toMatchObject({
    code: 'conflict',
    message: `Another sandbox is already running on ${dataDir}.`,
  });
  await expect(startStandAlone(dataDir)).rejects.toThrow(`Another sandbox is already running on ${dataDir}.`);
  await first.close();
  await startSandbox({ dataDir });
});

test(`${many} transactions take little memory, and their effects are there after a restart`, async () => {
  const dataDir = temporaryDir();
  const first = await startStandAlone(dataDir, ...instant);
  const [payer, to] = [await newPayer(first, 1000 * sol), newKey()];
  await first.call('requestAirdrop', to.text, 1_000_000);
  const sendMany = async (count: number): Promise<void> => {
    const { blockhash } = await latestBlockhash(first);
    const calls = Array.from({ length: count }, (_, index): [string, ...unknown[]] => [
      'sendTransaction',
      signed(payer, blockhash, [transfer(payer, to.address, 1), memo(`${index}`)]).wire,
      { encoding: 'base64', preflightCommitment: 'processed' },
    ]);
    for (let index = 0; index < count; index += 100) await first.batch(calls.slice(index, index + 100));
  };
  await sendMany(2000);
  const before = first.residentMb();
  await sendMany(many);
  const grown = first.residentMb() - before;
  expect(await balance(first, to.text)).toBe(1_002_000 + many);
  expect(grown).toBeLessThan(15);
  expect(await first.end('SIGTERM')).toBe(0);

  expect(await balance(await startSandbox({ dataDir }), to.text)).toBe(1_002_000 + many);
});

const run = async (...args: string[]): Promise<{ code: unknown; out: string; err: string }> => {
  const child = runMain(...args);
  const text = { out: '', err: '' };
  child.stdout?.setEncoding('utf8').on('data', (chunk: string) => (text.out += chunk));
  child.stderr?.setEncoding('utf8').on('data', (chunk: string) => (text.err += chunk));
  const [code] = (await once(child, 'close')) as [unknown];
  return { code, ...text };
};

test('says in one line that it is ready, and ends cleanly on SIGTERM and SIGINT', async () => {
  const dataDir = temporaryDir();
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    const sandbox = await startStandAlone(dataDir);
    expect(sandbox.rpcUrl.replace('http', 'ws')).toBe(sandbox.wsUrl);
    expect(await sandbox.call('getHealth')).toBe('ok');
    expect(await sandbox.end(signal)).toBe(0);
  }
});

test('reports errors in its options', async () => {
  const cases: [string[], string][] = [
    [[], '--port is missing.'],
    [['--port', '1'], '--data is missing.'],
    [['--port', 'x', '--data', 'd'], '--port must be a whole number from 0 to 65534.'],
    [['--port', '0', '--data', 'd', '--slot-ms', '0'], '--slot-ms must be a whole number from 1 to 3600000.'],
    [
      ['--port', '0', '--data', 'd', '--log-level', 'loud'],
      '--log-level must be one of debug, info, warn, error, silent.',
    ],
    [['--port', '0', '--data', 'd', '--runtime', 'fast'], '--runtime must be one of litesvm, script.'],
    [['--speed', '9'], "Unknown option '--speed'"],
  ];
  for (const [args, sentence] of cases) {
    const { code, out, err } = await run(...args);
    expect([code, out]).toEqual([2, '']);
    expect(err).toContain(sentence);
  }
  expect(await run('--help')).toMatchObject({
    code: 0,
    err: '',
    out: expect.stringContaining('--finalize-ms'),
  });
});

test('names a port that is taken', async () => {
  const first = await startSandbox();
  const port = Number(new URL(first.rpcUrl).port);
  await expect(startSandbox({ port })).rejects.toThrow(`Port ${port} of 127.0.0.1 cannot be opened`);
  const { code, err } = await run('--port', String(port), '--data', temporaryDir());
  expect(code).toBe(1);
  expect(err).toContain(`Port ${port} of 127.0.0.1 cannot be opened`);
});

const missing = (): Promise<never> => Promise.reject(new Error('Cannot find module'));

test('without LiteSVM installed it runs on the other runtime, unless LiteSVM was named', async () => {
  expect((await loadRuntime(null, missing)).choice).toEqual({ name: 'script', why: 'litesvm_missing' });
  expect((await loadRuntime('script')).choice).toEqual({ name: 'script', why: 'asked' });
  await expect(loadRuntime('litesvm', missing)).rejects.toMatchObject({
    code: 'not_available',
    message: expect.stringContaining('--runtime script'),
  });
});
