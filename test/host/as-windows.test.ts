// A treasury that takes itself for one on Windows: its life on the runtime in TypeScript, and its data folder, whose
// access list it sets and reads back. On Windows it is one, with the tools of Windows; elsewhere they are played.
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, it, vi } from 'vitest';
import { openTo } from '../../server/lib/files/owner-only.ts';
import { useFolders } from '../harness/folders.ts';
import { deploy, instantly, spawnTreasury, type Process } from '../harness/treasury.ts';
import { everyone, windowsTools, type WindowsTools } from '../harness/programs/windows/windows-tools.ts';

const folder = useFolders();
const asWindows = new URL('../harness/programs/windows/as-windows.mjs', import.meta.url).href;
let tools: WindowsTools;

beforeAll(() => {
  tools = windowsTools(folder());
  for (const [name, value] of Object.entries(tools.env)) vi.stubEnv(name, value);
});

const start = (dataDir: string): Promise<Process> =>
  spawnTreasury(dataDir, instantly, {
    ...tools.env,
    SANDBOX_RUNTIME: '',
    ...(process.platform === 'win32' ? {} : { NODE_OPTIONS: `--import ${asWindows}` }),
  });

const filesIn = (path: string): string[] =>
  readdirSync(path, { withFileTypes: true, recursive: true }).map((one) => join(one.parentPath, one.name));

it('pays, is killed, and pays on, with every file for this user alone', async () => {
  const dataDir = join(folder(), 'data');
  const first = await start(dataDir);
  const { body: diagnostics } = await first.client.get('/v1/diagnostics');
  expect(diagnostics['runtime']).toEqual({ name: 'script', why: 'litesvm_missing' });
  const agent = await deploy(first.client, 'scout');
  expect((await agent.pay('0.10')).status).toBe(200);
  await first.kill('SIGKILL');

  const second = await start(dataDir);
  const { body } = await second.client.get('/v1/agents/scout/balance');
  expect(body['balance']).toBe('9.90');
  expect(filesIn(dataDir).filter((path) => openTo(path, 'win32') !== null)).toEqual([]);
  await second.kill('SIGKILL');

  tools.icacls(dataDir, '/grant', `${everyone}:(OI)(CI)R`);
  await expect(start(dataDir)).rejects.toThrow(
    /The data folder .* is open to (Everyone|S-1-1-0)\. Close it with: icacls/,
  );
});

it('ends cleanly when its console is closed, and by the harness, which knows Windows has no signals', async () => {
  vi.stubEnv('TEST_WITHOUT_SIGNALS', '1');
  const dataDir = join(folder(), 'data');
  for (const signal of ['SIGTERM', 'SIGHUP', 'SIGBREAK'] as const) {
    const host = await start(dataDir);
    expect(existsSync(join(dataDir, 'runtime', 'endpoint.json'))).toBe(true);
    await host.kill(signal);
    expect(host.child.exitCode).toBe(0);
    expect(existsSync(join(dataDir, 'runtime', 'endpoint.json'))).toBe(false);
  }
});

it('does not take a folder of others for its own', async () => {
  const dataDir = join(folder(), 'shared');
  mkdirSync(dataDir);
  tools.icacls(dataDir, '/grant', `${everyone}:(OI)(CI)R`);
  writeFileSync(join(dataDir, 'letter.txt'), '');
  await expect(start(dataDir)).rejects.toThrow('Close it with: icacls');
  expect(readdirSync(dataDir)).toEqual(['letter.txt']);
});
