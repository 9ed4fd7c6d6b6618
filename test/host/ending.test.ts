// Signals that end a host, to a real process: while it starts, and again while it closes.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { useFolders } from '../harness/folders.ts';
import { until } from '../harness/treasury.ts';
import { launch, openMainnet, type Mainnet } from './support.ts';

let mainnet: Mainnet;
let args: readonly string[];
const folder = useFolders();
beforeAll(async () => {
  mainnet = await openMainnet();
  args = ['--rpc', mainnet.proxy.url, ...mainnet.sandboxArgs.slice(2)];
});
beforeEach(() => {
  mainnet.proxy.fault = null;
});
afterAll(() => mainnet.close());

/** The RPC is silent at this method. */
const hangAt = (method: string): void => {
  mainnet.proxy.fault = (request, forward) => (request.method === method ? new Promise(() => {}) : forward());
};
const isAsked = (method: string) => () => mainnet.proxy.seen.some((one) => one.method === method);
const database = (dataDir: string, suffix = ''): string => join(dataDir, 'sandbox', `treasury.db${suffix}`);

// Windows has no signals.
describe.skipIf(process.platform === 'win32')('a signal', () => {
  it('during the start closes the records before it ends with 0', async () => {
    hangAt('getGenesisHash');
    const dataDir = folder();
    const { child } = launch(dataDir, args, {});
    await until('the question to the chain', isAsked('getGenesisHash'));
    expect(existsSync(database(dataDir, '-wal'))).toBe(true);
    child.kill('SIGTERM');
    expect(await once(child, 'exit')).toEqual([0, null]);
    expect(existsSync(database(dataDir))).toBe(true);
    expect(existsSync(database(dataDir, '-wal'))).toBe(false);
  });

  it('that npm passes on counts once; one that comes later ends at once, with 1, what does not close', async () => {
    const signals = new URL('../../server/lib/end-signals.ts', import.meta.url).href;
    const code = `import { onEndSignal } from '${signals}';
      onEndSignal(() => setInterval(() => console.log('closing'), 50));
      setInterval(() => {}, 1_000);
      console.log('open');`;
    const child = spawn(process.execPath, ['--input-type=module', '-e', code]);
    let said = '';
    child.stderr.on('data', (chunk: Buffer) => (said += chunk.toString()));
    await once(child.stdout, 'data');
    const ended = once(child, 'close');
    // Of one signal sent twice, a busy process is told once.
    child.kill('SIGINT');
    child.kill('SIGTERM');
    const first = await Promise.race([once(child.stdout, 'data'), ended]);
    expect(String(first)).toBe('closing\n');
    child.stdout.on('data', () => child.kill('SIGINT'));
    expect(await ended).toEqual([1, null]);
    expect(said).toBe('Ended at once by a second signal, before everything was closed.\n');
  });
});
