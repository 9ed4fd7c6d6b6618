// The README's story over HTTP, run by a shell exactly as printed.
import { execFile, spawnSync } from 'node:child_process';
import { readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { promisify } from 'node:util';
import { openTreasury, removeFolder, temporaryFolder, type Treasury } from '../harness/treasury.ts';

let treasury: Treasury;
let folder: string;
beforeAll(async () => {
  treasury = await openTreasury();
  folder = temporaryFolder();
  symlinkSync(treasury.dataDir, join(folder, '.agent-treasury'), 'junction');
});
afterAll(async () => {
  await treasury.close();
  removeFolder(folder);
});

const readme = readFileSync(new URL('../../README.md', import.meta.url), 'utf8');
const [, section = ''] = readme.split('## Sixty seconds with curl\n');
const [, story = ''] = /```sh\n([^]*?)```/.exec(section) ?? [];
const [helpers = '', steps = ''] = story.split('\n\n');

/** The README's helper functions, in a home whose usual data folder is that of this treasury, and then a script. */
const shell = async (script: string): Promise<{ stdout: string; stderr: string }> => {
  const run = promisify(execFile)('sh', ['-c', `${helpers}\n${script}`], {
    cwd: folder,
    env: { PATH: process.env['PATH'] ?? '', HOME: folder },
  });
  return run.catch((error: { stdout: string; stderr: string }) => error);
};
const payments = (): number =>
  [...treasury.host.engine.context.store.transfers.iterate({ kinds: ['payment'] })].length;

const hasShell = process.platform !== 'win32' && spawnSync('curl', ['--version']).error === undefined;

describe.skipIf(!hasShell)('the README’s story over HTTP (curl in a shell of POSIX)', () => {
  it('deploys, finds the agent’s key, and pays as the agent', async () => {
    const untilPaid = steps.split('\n').slice(0, 4).join('\n');
    const { stdout } = await shell(untilPaid);
    expect(stdout).toContain('xPaymentHeader');
    const [paid] = [...treasury.host.engine.context.store.transfers.iterate({ kinds: ['payment'] })];
    expect([payments(), paid?.agentId]).toEqual([1, 'scout']);
    expect(paid?.keyId).not.toBeNull();
  });

  it.each(['AGENT_KEY=', 'unset AGENT_KEY'])('pays nothing with an empty key: %s', async (empty) => {
    const pay = steps.split('\n').find((line) => line.includes('/pay ')) ?? '';
    const before = payments();
    const { stdout, stderr } = await shell(`${empty}\n${pay}`);
    expect([stdout, payments()]).toEqual(['', before]);
    expect(stderr).toContain('AGENT_KEY');
  });

  it('stops the agent and everything', async () => {
    const { stdout } = await shell(steps.split('\n').slice(4).join('\n'));
    expect(stdout).toContain('"frozen":true');
  });

  it('continues with the two calls that are named after it', async () => {
    const calls = [...section.replace(story, '').matchAll(/`(owner POST [^`]+)`/g)].map(
      ([, call = '']) => call,
    );
    const { stdout } = await shell(calls.join('\n'));
    expect(stdout).toContain('"frozen":false');
    expect(stdout).toContain('"status":"active"');
  });
});
