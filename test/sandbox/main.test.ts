// The sandbox as a command.
import { once } from 'node:events';
import { expect, test } from 'vitest';

import { loadRuntime } from '../../server/sandbox/chain/load-runtime.ts';
import { runMain, startStandAlone } from './stand-alone.ts';
import { startSandbox, temporaryDir } from './support.ts';

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
